"""The bundled quadruped and arm: as many parameters as the figures list, nominal mass, plants that build."""

from collections import Counter

import numpy as np
import pytest

import surefoot as sf
from surefoot.robots.families import family
from surefoot.robots.families.links import LINKS_FEET
from surefoot.traces.bundled_uncertainty import ARM, ARM_MORE, QUADRUPED, QUADRUPED_MORE
from surefoot.traces.distributions import Jitter
from surefoot.traces.draws import Draws
from surefoot.traces.fabricate import Parts, build
from surefoot.traces.loop_names import loop_names
from surefoot.traces.parameters import Uncertainty, values

WALKER = Parts(LINKS_FEET, sf.Curb(mu=0.9))
PICKER = Parts("arm", sf.Plane(mu=0.9, z=-0.2))


def resolved(parts, *mappings):
    mapping = {pattern: spread for each in mappings for pattern, spread in each.items()}
    return Uncertainty(mapping).resolve(parts.names | loop_names(parts.scene))


def counted(parameters):
    """How many parameters a kind; the two tilts of an axis count as one."""
    kinds = Counter()
    for each in parameters:
        if not each.name.endswith(".tilt2"):
            words = each.name.removesuffix(".tilt1").split(".")
            kinds[words[-1] if words[0] == "robot" else words[0]] += 1
    return kinds


def test_the_quadruped_has_figure_15s_parameters():
    parameters = resolved(WALKER, QUADRUPED)
    assert counted(parameters) == {
        "density": 17,
        "length": 12,
        "radius": 16,
        "axis": 12,
        "ground": 1,
        "restitution": 1,
        "law": 1,
        "start": 36,
        "lag": 2,
        "encoder": 12,
        "encoder_rate": 12,
        "motor": 12,
        "gps": 2,
        "magnetometer": 3,
        "estimate": 7,
    }
    # The figure has 176 entries; 30 of them are noise that no controller here reads.
    assert counted(parameters).total() == 176 - 30
    assert sum(each.per_step for each in parameters) == 49


def test_the_arm_has_figure_10s_parameters():
    kinds = counted(resolved(PICKER, ARM))
    assert [kinds[kind] for kind in ("density", "length", "axis", "start", "encoder", "motor")] == [
        11,
        10,
        11,
        22,
        11,
        11,
    ]
    assert (kinds["radius"], kinds["width"], kinds["depth"]) == (1 + 4 + 4, 6, 6)


def test_what_the_files_vary_beside():
    assert counted(resolved(WALKER, QUADRUPED_MORE)) == {"0": 1, "1": 1, "2": 1, "tare": 12}
    assert counted(resolved(PICKER, ARM_MORE)) == {"tare": 11}


def test_feet_have_mass_and_the_robot_its_own():
    scene = LINKS_FEET.scene()
    assert scene.mass == pytest.approx(3.8, rel=1e-14)
    assert LINKS_FEET.lf.foot.kilograms == pytest.approx(0.0046077, rel=1e-4)
    np.testing.assert_allclose(scene.model.body_mass, family("links-light").scene().model.body_mass, rtol=1e-12)


@pytest.mark.parametrize(("parts", "mappings"), [(WALKER, (QUADRUPED, QUADRUPED_MORE)), (PICKER, (ARM, ARM_MORE))])
def test_particles_weigh_about_what_the_nominal_robot_weighs(parts, mappings):
    parameters = resolved(parts, *mappings)
    built = [build(parts, values(parameters, p, Draws(0))) for p in range(200)]
    assert built[0].scene is parts.scene
    masses = np.array([each.scene.mass for each in built])
    assert masses.mean() == pytest.approx(masses[0], rel=0.03)
    assert 0.7 * masses[0] < masses.min() < masses.max() < 1.35 * masses[0]


def test_the_most_unlikely_particles_build():
    class Extreme(Draws):
        def uniform(self, particle, name):
            return 2.0**-53 if (particle + len(name)) % 2 else 1 - 2.0**-53

    for parts, mapping in ((WALKER, QUADRUPED), (PICKER, ARM)):
        for particle in (1, 2):
            build(parts, values(resolved(parts, mapping), particle, Extreme(0)))


def test_noise_keeps_its_limits():
    noise = [each for each in (*QUADRUPED.values(), *ARM.values()) if isinstance(each, Jitter)]
    assert all(each.high == -each.low == pytest.approx(3 * each.sd) for each in noise)
