import importlib
import inspect
import subprocess
import sys

import pytest

import surefoot as sf


def run(code):
    """Run Python code in a process of its own and return what it printed."""
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize("name", sf.__all__)
def test_every_public_name_exists_and_says_what_it_is(name):
    value = getattr(sf, name)
    assert inspect.getdoc(value), f"{name} has no docstring"


@pytest.mark.parametrize("name", [n for n in sf.__all__ if inspect.isclass(getattr(sf, n))])
def test_public_methods_say_what_they_do(name):
    kind = getattr(sf, name)
    for method, value in vars(kind).items():
        if method.startswith("_") or not (inspect.isfunction(value) or isinstance(value, property | classmethod)):
            continue
        assert inspect.getdoc(getattr(kind, method)), f"{name}.{method} has no docstring"


@pytest.mark.parametrize("name", [n for n in sf.__all__ if inspect.isfunction(getattr(sf, n))])
def test_documented_arguments_exist_and_existing_ones_are_documented(name):
    function = getattr(sf, name)
    doc = inspect.getdoc(function) or ""
    if "Args:" not in doc:
        return
    section = doc.split("Args:")[1].split("\n\n")[0]
    documented = [
        line.split(":")[0].strip() for line in section.splitlines() if line.startswith("    ") and line[4] != " "
    ]
    documented = [part.strip() for line in documented for part in line.split(",")]
    assert documented == list(inspect.signature(function).parameters)


def test_the_face_of_the_design_is_there():
    face = {sf.load, sf.scene, sf.check, sf.solve, sf.forward_dynamics, sf.inverse_dynamics, sf.policy, sf.Coulomb}
    face |= {sf.Compliant, sf.Dissipative}
    face |= {sf.NoSlip, sf.Simulator, sf.InverseDynamics, sf.Contacts, sf.State, sf.Status, sf.Answer, sf.Trace}
    face |= {sf.Plane, sf.Slope, sf.Curb, sf.HeightMap, sf.Box, sf.Ball, sf.SurefootError, sf.InputError, sf.SolveError}
    assert face <= {getattr(sf, name) for name in sf.__all__}
    assert sf.__all__ == sorted(set(sf.__all__))


def test_dir_lists_the_public_names():
    assert set(dir(sf)) == {*sf.__all__, "__version__"}


def test_the_version_is_the_packages():
    assert importlib.metadata.version("surefoot") == sf.__version__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"^module 'surefoot' has no attribute 'lod'$"):
        sf.lod  # noqa: B018


def test_import_loads_neither_the_engine_nor_the_compiler():
    loaded = run(
        "import surefoot, sys; print([m for m in ('mujoco', 'numba', 'numpy', 'matplotlib') if m in sys.modules])"
    )
    assert loaded == "[]"


def test_a_name_loads_on_first_use_and_stays():
    code = (
        "import surefoot as sf, sys; a = sf.State; print('mujoco' in sys.modules, 'State' in vars(sf), a is sf.State)"
    )
    assert run(code) == "True True True"


def test_errors_load_without_the_engine():
    assert run("import surefoot as sf, sys; sf.InputError; print('mujoco' in sys.modules)") == "False"


def test_a_star_import_brings_every_name():
    assert (
        run("from surefoot import *; import surefoot; print(all(n in globals() for n in surefoot.__all__))") == "True"
    )


def test_figures_load_only_when_drawn():
    code = (
        "import surefoot as sf, sys; sf.Simulator; sf.load; print('matplotlib' in sys.modules, 'pandas' in sys.modules)"
    )
    assert run(code) == "False False"
