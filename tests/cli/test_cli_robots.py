from surefoot.cli.robots import SOURCES
from surefoot.robots.families import FAMILIES, build


def test_every_bundled_robot_is_listed_with_its_numbers(run):
    result = run("robots")
    assert result.exit_code == 0
    lines = {words[0]: words for words in map(str.split, result.output.splitlines()) if words}
    for name in FAMILIES:
        scene = build(name)
        base = "bolted" if scene.base is None else "floating"
        expected = [name, str(scene.nv), str(len(scene.joints)), f"{scene.mass:.2f}", str(len(scene.feet)), base]
        assert lines[name][:6] == expected


def test_every_bundled_robot_has_a_source():
    assert set(SOURCES) == set(FAMILIES)
