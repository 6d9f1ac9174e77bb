"""Names of what can be uncertain in the loop of control: sensors, motors, lag."""

from __future__ import annotations

from surefoot.robots.scene import Scene

BIAS = ".bias"
GPS = ("gps.x", "gps.y")
MAGNETOMETER = ("magnetometer.roll", "magnetometer.pitch", "magnetometer.yaw")
ESTIMATE = ("estimate.z", *(f"estimate.velocity.{name}" for name in ("x", "y", "z", "roll", "pitch", "yaw")))
IMU = ("imu.roll", "imu.pitch", "imu.yaw")
SENSORS = ("encoder", "encoder_rate", "torque_sensor", "gps", "magnetometer", "imu", "estimate")
LAGS = ("lag.sensors", "lag.torque")
JITTER = ".jitter"


def loop_names(scene: Scene) -> dict[str, float]:
    """Nominal value by name: 0 of every error, 1 of every motor's strength.

    A sensor's own name stands for its noise in every control step, the same name with ".bias" for an offset that stays:
    "encoder.JOINT" (rad or m), "encoder_rate.JOINT" (rad/s or m/s), "torque_sensor.JOINT" (N m or N); of a floating
    base "gps.x", "gps.y" (m), "magnetometer.roll" and so on (rad), "imu.roll" and so on (the gyroscope, rad/s),
    "estimate.z" (m), "estimate.velocity.x" and so on (m/s, rad/s). Then "motor.JOINT.strength" (a factor),
    "motor.JOINT.noise" (N m, N); "lag.sensors" and "lag.torque" (s), each with ".jitter" for what it varies by from one
    step to the next.
    """
    sensors = [f"{kind}.{joint}" for kind in ("encoder", "encoder_rate", "torque_sensor") for joint in scene.joints]
    if scene.base is not None:
        sensors += [*GPS, *MAGNETOMETER, *IMU, *ESTIMATE]
    names = {name + ending: 0.0 for name in sensors for ending in ("", BIAS)}
    for joint in scene.joints:
        names |= {f"motor.{joint}.strength": 1.0, f"motor.{joint}.noise": 0.0}
    return names | {lag + ending: 0.0 for lag in LAGS for ending in ("", JITTER)}


def is_noise(name: str) -> bool:
    """Whether what bears this name is drawn anew in every control step."""
    if name.partition(".")[0] in SENSORS:
        return not name.endswith(BIAS)
    return name.endswith(JITTER) or (name.startswith("motor.") and name.endswith(".noise"))
