"""Names of what is uncertain in the loop."""

from surefoot.robots.families import build
from surefoot.traces.loop_names import is_noise, loop_names


def test_a_floating_robot_has_all_sensors():
    names = loop_names(build("links-light"))
    assert len(names) == 2 * (3 * 12 + 2 + 3 + 3 + 7) + 2 * 12 + 4
    assert names["motor.LF_X1.strength"] == 1.0
    assert {value for name, value in names.items() if "strength" not in name} == {0.0}


def test_a_bolted_robot_knows_where_it_is():
    names = loop_names(build("arm"))
    assert not [name for name in names if name.startswith(("gps", "magnetometer", "estimate"))]
    assert "encoder_rate.F_00.bias" in names


def test_what_is_noise():
    names = loop_names(build("links-light"))
    noise = {name for name in names if is_noise(name)}
    assert {
        "encoder.LF_X1",
        "torque_sensor.LF_X1",
        "gps.x",
        "estimate.velocity.yaw",
        "motor.RH_Y3.noise",
        "lag.torque.jitter",
    } <= noise
    assert len(noise) == 3 * 12 + 2 + 3 + 3 + 7 + 12 + 2
    assert (
        not {"lag.torque", "lag.sensors", "encoder.LF_X1.bias", "motor.RH_Y3.strength", "robot.lf.thigh.length"} & noise
    )
