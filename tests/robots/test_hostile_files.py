import subprocess
import sys

import pytest

from tests.robots.files import BALL, inertial, joint, link, mjcf, robot, shape, write

HOSTILE = {
    "height field of 1e10 cells": mjcf(
        '<geom type="hfield" hfield="h"/>',
        before='<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>',
    ),
    "texture of 4e10 pixels": mjcf(
        before='<asset><texture name="t" type="2d" builtin="flat" width="200000" height="200000"/></asset>'
    ),
    "2e9 copies": mjcf('<replicate count="2000000000"><geom size="1"/></replicate>'),
    "flex of 1e15 points": mjcf('<flexcomp name="f" type="grid" count="100000 100000 100000" dim="3"/>'),
    "2e9 numbers of user data": mjcf(BALL.format("b", 1), before='<size nuserdata="2000000000"/>'),
    "an arena of 1 byte": mjcf(BALL.format("b", 1), before='<size memory="1"/>'),
    "an arena of 1 EB": mjcf(BALL.format("b", 1), before='<size memory="1E"/>'),
    "20 000 nested bodies": mjcf("<body>" * 20_000 + "</body>" * 20_000),
    "a file that includes itself": '<mujoco><include file="robot.xml"/></mujoco>',
    "exploding entities": (
        '<!DOCTYPE x [<!ENTITY a0 "lol">'
        + "".join(f'<!ENTITY a{k + 1} "{f"&a{k};" * 10}">' for k in range(12))
        + ']><mujoco model="&a12;"/>'
    ),
    "a size of 1e300": mjcf('<body name="b"><freejoint/><geom size="1e300"/></body>'),
    "a mesh with a face of nothing": mjcf(
        '<body><freejoint/><geom type="mesh" mesh="m"/></body>',
        before='<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 99999"/></asset>',
    ),
    "a URDF that asks MuJoCo for 16 GB": robot('<mujoco><size nuserdata="2000000000"/></mujoco>', link("a")),
    "a URDF sphere of nan": robot(link("a", inertial() + shape('<sphere radius="nan"/>'))),
    "a URDF joint without axis": robot(link("a"), link("b"), joint("j", "a", "b", axis="0 0 0")),
}
CHILD = """
import sys
from surefoot.errors import SurefootError
from surefoot.robots.load import load
try:
    load(sys.argv[1])
except SurefootError as error:
    print("refused:", error)
"""


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_refused_and_kill_nobody(tmp_path, case):
    file = write(tmp_path, HOSTILE[case], "robot.xml")
    command = [sys.executable, "-c", CHILD, str(file)]
    child = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, check=False)
    assert child.returncode == 0, child.stderr
    assert child.stdout.startswith(f"refused: {file}: ")
