"""The start robots carry the numbers of the dissertation's tables, mirrored, and stand level."""

import mujoco
import numpy as np
import pytest

from surefoot.design.prototypes import PRINTED, RECONFIGURABLE_LARGE, RECONFIGURABLE_SMALL
from surefoot.robots.families import parameters, with_values
from surefoot.robots.families.links import LINKS
from surefoot.robots.families.parts import Block

ROBOTS = (PRINTED, RECONFIGURABLE_SMALL, RECONFIGURABLE_LARGE)
LEGS = ("LF", "RF", "LH", "RH")

# Table 7, column initial, and table 9, in m: base, hip, upper and lower limb.
SIZES = {
    "printed": ((0.087, 0.064, 0.020), 0.062, 0.072, 0.140),
    "reconfigurable-small": ((0.07112, 0.05080, 0.0762), 0.025, 0.05715, 0.09715),
    "reconfigurable-large": ((0.30734, 0.23495, 0.0762), 0.025, 0.13335, 0.13335),
}


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)
def test_sizes_of_the_compiled_robot(robot):
    """At zero legs are straight and level, from the corners of the base forward and backward."""
    model = robot.scene(None).model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    base, hip, upper, lower = SIZES[robot.name]
    assert model.geom("BASE").size == pytest.approx(np.array(base) / 2)
    for leg in LEGS:
        front, left = (1 if leg[1] == "F" else -1), (1 if leg[0] == "L" else -1)
        way = np.cumsum([base[0] / 2, hip, upper, lower])
        at = [data.body(f"{leg}_{part}").xpos for part in ("HIP", "THIGH", "SHANK")]
        at.append(data.geom(f"{leg}_FOOT").xpos)
        expected = [(front * x, left * base[1] / 2, 0.0) for x in way]
        assert np.allclose(at, expected, atol=1e-12)
        assert model.geom(f"{leg}_FOOT").size[0] == 0.020


@pytest.mark.parametrize(
    ("robot", "mass"),
    [
        (PRINTED, 1300 * 0.087 * 0.064 * 0.020 + 0.2 + 4 * (0.017 + 0.018 + 0.029)),
        (
            RECONFIGURABLE_SMALL,
            0.7133 * 0.07112 * 0.0508 / (0.109 * 0.106) + 4 * (0.1 + 0.045 * (0.05715 / 0.0795 + 0.09715 / 0.082)),
        ),
        (
            RECONFIGURABLE_LARGE,
            0.7133 * 0.30734 * 0.23495 / (0.109 * 0.106) + 4 * (0.1 + 0.045 * (0.13335 / 0.0795 + 0.13335 / 0.082)),
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_mass_of_the_whole_robot(robot, mass):
    assert robot.scene().model.body_subtreemass[1] == pytest.approx(mass, rel=1e-12)


def test_the_modified_small_robot_has_the_masses_of_its_file():
    """With the sizes that BotBuilder ended with: 0.7133 kg, and 0.10, 0.045, 0.045 kg on average of front and hind."""
    sizes = {"base.size.0": 0.109, "base.size.1": 0.106}
    for end, upper, lower in (("f", 0.073, 0.075), ("h", 0.086, 0.089)):
        for side in "lr":
            sizes |= {f"{side}{end}.thigh.length": upper, f"{side}{end}.shank.length": lower}
    model = with_values(RECONFIGURABLE_SMALL, sizes).scene().model
    assert model.body("BASE").mass[0] == pytest.approx(0.7133)
    for part, mass in (("HIP", 0.10), ("THIGH", 0.045), ("SHANK", 0.045)):
        assert np.mean([model.body(f"{leg}_{part}").mass[0] for leg in LEGS]) == pytest.approx(mass)


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)
def test_they_stand_level_on_four_feet(robot):
    scene = robot.scene()
    data = mujoco.MjData(scene.model)
    data.qpos[:] = scene.home().q
    mujoco.mj_kinematics(scene.model, data)
    feet = np.array([data.geom(f"{leg}_FOOT").xpos for leg in LEGS])
    assert np.allclose(scene.home().q[3:7], [1, 0, 0, 0], atol=1e-12)
    assert np.allclose(feet[:, 2], 0.020, atol=1e-12)
    assert np.allclose(feet * [1, -1, 1], feet[[1, 0, 3, 2]], atol=1e-12)


def test_the_load_is_in_the_middle_of_the_base_and_touches_nothing():
    model = PRINTED.scene().model
    load, body = model.geom("LOAD"), model.body("BASE")
    assert (load.contype[0], load.conaffinity[0]) == (0, 0)
    assert np.allclose(body.ipos, 0.0, atol=1e-15)
    assert body.mass[0] == pytest.approx(1300 * 0.087 * 0.064 * 0.020 + 0.2)
    assert all(2 * load.size < 2 * model.geom("BASE").size)


def test_a_load_is_a_number_that_may_change_where_there_is_one():
    assert parameters(PRINTED)["load.mass"] == 0.2
    assert not [name for name in parameters(LINKS) if name.startswith("load")]
    empty = with_values(PRINTED, {"load": None}).scene().model
    heavy = with_values(PRINTED, {"load": Block(size=(0.01, 0.01, 0.01), mass=0.5)}).scene().model
    assert heavy.body_subtreemass[1] - empty.body_subtreemass[1] == pytest.approx(0.5)
    assert "LOAD" not in [empty.geom(i).name for i in range(empty.ngeom)]
