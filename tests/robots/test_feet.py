import pytest

from surefoot.errors import ModelError
from surefoot.robots.load import load
from tests.robots.files import noted, walker, write


def test_feet_are_the_ends_of_the_legs(tmp_path):
    scene = load(write(tmp_path, walker()))
    assert [foot.name for foot in scene.feet] == ["left_foot", "right_foot", "hind_foot"]
    assert scene.feet[0].geoms == ("left_foot_collision",)


def test_feet_by_name_of_link_or_geom(tmp_path):
    file = write(tmp_path, walker())
    assert [foot.name for foot in load(file, feet=["hind_foot"]).feet] == ["hind_foot"]
    assert load(file, feet=["hind_foot_collision"]).feet[0].body == "hind_foot"
    # A link without collision geometry stands for the links it is fixed to.
    assert load(file, feet=["left_leg"]).feet[0].geoms == ("left_foot_collision",)


def test_feet_by_radius_get_a_sphere(tmp_path):
    scene = load(write(tmp_path, walker(foot="")), feet={"left_foot": 0.03, "right_foot": 0.03, "hind_foot": 0.03})
    assert scene.home().q[2] == pytest.approx(0.33, abs=1e-9)
    assert scene.mass == pytest.approx(3.5)
    assert len(noted(scene, "assumed", "left_foot")) == 1


def test_a_foot_without_geometry_names_the_remedy(tmp_path):
    with pytest.raises(ModelError) as caught:
        load(write(tmp_path, walker(foot="")), feet=["left_foot"])
    assert str(caught.value) == (
        "feet: link 'left_foot' has no collision geometry that moves; "
        "pass feet={'left_foot': radius} to put a sphere of that radius (m) at its origin"
    )
