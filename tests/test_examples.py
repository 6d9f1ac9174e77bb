"""Every example runs, and says what its text promises."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
PROMISES = {
    "batch.py": r"2000 of 2000 solved, .*\n.*\none thread gives the same bits: True\n",
    "belief_and_truth.py": r"4\.8 kg, mu 0\.7: sags by 0\.00 mm, .*\n5\.0 kg, mu 0\.7: sags by 0\.50 mm, .* solved\n",
    "compiled_controller.py": r"2000 steps, all solved\nAfter half a second the joints are within 0\.\d\d mrad",
    "compiled_policy.py": r"4000 steps, all solved\nThe base moved between 0\.16\d+ and 0\.1[89]\d+ m\.\n",
    "dissipative_forms.py": r"1600 steps, all solved; .*\n(.*\n)*energy +1\d\d\.\d ",
    "every_solution.py": r"LRL: it slides down, falls with 3\.14 .*\n(.*\n)*It surely holds at torques below -1\.962 N",
    "grasp.py": r"0\.5 x that: .* the box slips .*\n1\.1 x that: .* the box is held and falls with 0\.000 m/s\^2",
    "improve_a_quadruped.py": r"0\.1 m/s: torque-speed .*\n(.*\n)*all limits hold at 0\.2 with .*\nupdate 1 at 0\.1",
    "reachable_forces.py": r"four feet, .* stands\n(.*\n)*two feet, .* cannot stand still\n(.*\n)*figure: ",
    "robots_as_built.py": r"soft: brittle: .* push\.0\.force\.1 decides\.\n(.*\n)*once more: \d+ steps until then",
    "safe_to_switch.py": r"50 %: \d+ of 16 .*\n.* 75 %: 1[2-6] of 16 .*\nBest at .*safe\.\nIn a hurry: best at 0 %",
    "slippery_ground.py": r"0\.05   4 of 4 +0\.050\n",
    "smooth_torques.py": r"Lemke's method, cold .* 1\.\d+ N m .*\n(.* 0\.00\d\d N m .*\n){3}the same motion",
    "soft_inverse.py": r"300 steps: torques come back within \de-1\d N m, \de-1\d N are left on the base\.\n",
    "torque_limits.py": r"none .* 20\.0 m/s\^2 +0\n(.*\n)*.* 1\.00 N m +19\.\d m/s\^2 +10\n$",
    "torques_to_stand.py": r"The ground carries 47\.0880 N; the robot weighs 47\.0880 N\.\n",
    "trot.py": r"In 10 s it went [12]\.\d m on ground of friction 0\.1, \d\.\d mm up and down\.\n10 s took ",
    "your_robot.py": r"1000 steps, all solved\nfigure:  .*fall\.png\n",
}


def test_every_example_is_run():
    assert {path.name for path in FOLDER.glob("*.py")} == set(PROMISES)


@pytest.mark.parametrize("name", PROMISES)
def test_example(name, tmp_path):
    child = subprocess.run(
        [sys.executable, "-W", "error", str(FOLDER / name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    assert re.search(PROMISES[name], child.stdout), child.stdout
