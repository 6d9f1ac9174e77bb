from surefoot.robots.load import load
from tests.robots.files import joint, link, noted, robot, walker, write


def test_a_walker_floats_and_an_arm_is_bolted(tmp_path):
    legs = load(write(tmp_path, walker()))
    assert legs.base == "base"
    assert noted(legs, "assumed", "base")[0] == (
        "the robot floats: 3 limbs reach lower than its root link 'base'; say floating=False if not"
    )
    arm = load(write(tmp_path, robot(link("base"), link("arm"), joint("j", "base", "arm", xyz="0 0 -1")), "arm.urdf"))
    assert arm.base is None
    assert "is bolted down: fewer than two limbs" in noted(arm, "assumed", "base")[0]


def test_the_user_has_the_last_word(tmp_path):
    file = write(tmp_path, walker())
    assert load(file, floating=False).base is None
    assert not noted(load(file, floating=True), "assumed", "base")
