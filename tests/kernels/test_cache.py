import importlib
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numba
import pytest
from numba import types
from numba.core import config

import surefoot
from surefoot.kernels import cache, kernel
from surefoot.kernels.contact_law import contact_law, make_solver

PACKAGE = Path(surefoot.__file__).parent


def run(code, folder, **environment):
    """Run Python code in a child that imports the package found in `folder`; returns the lines that it printed."""
    clean = {
        k: v for k, v in os.environ.items() if k not in ("SUREFOOT_CACHE_DIR", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")
    }
    environment = {**clean, "PYTHONPATH": str(folder), **{k: str(v) for k, v in environment.items()}}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


@pytest.fixture
def package(tmp_path):
    """A copy of the kernels that a test may edit, with two kernels in two files of which one calls the other."""
    folder = tmp_path / "src" / "surefoot"
    shutil.copytree(PACKAGE / "kernels", folder / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PACKAGE / "__init__.py", folder)
    (folder / "kernels" / "inner.py").write_text(
        "from surefoot.kernels.cache import kernel\n\nSIZE = 1.0\n\n\n@kernel\ndef inner(x):\n    return x + SIZE\n"
    )
    (folder / "kernels" / "outer.py").write_text(
        "from surefoot.kernels.cache import kernel\nfrom surefoot.kernels.inner import inner\n\n\n"
        "@kernel\ndef outer(x):\n    return inner(x)\n"
    )
    return folder


FOLDER = "from surefoot.kernels.cache import CACHE_FOLDER; print(CACHE_FOLDER)"
CALL = (
    "from surefoot.kernels.outer import outer; print(outer(1.0), sum(outer.stats.cache_hits.values()), "
    "sum(outer.stats.cache_misses.values()))"
)


def test_the_cache_folder_is_the_one_that_the_environment_names(package, tmp_path):
    (folder,) = run(FOLDER, package.parent, SUREFOOT_CACHE_DIR=tmp_path / "mine")
    assert Path(folder).parent == tmp_path / "mine"
    assert Path(folder).name.startswith("kernels-")


def test_else_it_is_the_users_cache_folder(package, tmp_path):
    (folder,) = run(FOLDER, package.parent, XDG_CACHE_HOME=tmp_path / "xdg")
    assert Path(folder).parent == tmp_path / "xdg" / "surefoot"
    (folder,) = run(FOLDER, package.parent, HOME=tmp_path / "home")
    assert Path(folder).parent == tmp_path / "home" / ".cache" / "surefoot"


def test_any_edit_of_any_kernel_starts_a_fresh_folder(package, tmp_path):
    seen = {tuple(run(FOLDER, package.parent, SUREFOOT_CACHE_DIR=tmp_path))}
    for name in ("pyramid.py", "status.py", "inner.py"):
        with (package / "kernels" / name).open("a") as file:
            file.write("# an edit\n")
        seen.add(tuple(run(FOLDER, package.parent, SUREFOOT_CACHE_DIR=tmp_path)))
    assert len(seen) == 4


def test_an_edit_outside_the_kernels_keeps_the_folder(package, tmp_path):
    before = run(FOLDER, package.parent, SUREFOOT_CACHE_DIR=tmp_path)
    with (package / "__init__.py").open("a") as file:
        file.write("# an edit\n")
    assert run(FOLDER, package.parent, SUREFOOT_CACHE_DIR=tmp_path) == before


def test_machine_code_is_reused_until_a_function_of_another_file_changes(package, tmp_path):
    def call():
        return run(CALL, package.parent, SUREFOOT_CACHE_DIR=tmp_path / "cache")

    assert call() == ["2.0", "0", "1"]
    assert call() == ["2.0", "1", "0"]
    # Numba alone would go on with the old machine code of `outer`, both after an edit of `inner` and of its global.
    inner = package / "kernels" / "inner.py"
    inner.write_text(inner.read_text().replace("SIZE = 1.0", "SIZE = 10.0"))
    assert call() == ["11.0", "0", "1"]
    inner.write_text(inner.read_text().replace("x + SIZE", "x - SIZE"))
    assert call() == ["-9.0", "0", "1"]


def test_nothing_is_written_beside_the_sources(package, tmp_path):
    run(CALL, package.parent, SUREFOOT_CACHE_DIR=tmp_path / "cache", PYTHONDONTWRITEBYTECODE=1)
    assert list(package.rglob("*.nbi")) == []
    assert len(list((tmp_path / "cache").rglob("outer*.nbi"))) == 1


def test_other_users_of_numba_keep_their_cache(package, tmp_path):
    (tmp_path / "theirs.py").write_text("import numba\n\n\n@numba.njit(cache=True)\ndef twice(x):\n    return 2 * x\n")
    code = "import surefoot.kernels.outer, theirs; print(theirs.twice(3))"
    path = f"{package.parent}{os.pathsep}{tmp_path}"
    assert run(code, path, SUREFOOT_CACHE_DIR=tmp_path / "cache", NUMBA_CACHE_DIR=tmp_path / "numba") == ["6"]
    assert len(list((tmp_path / "numba").rglob("theirs.twice*.nbi"))) == 1
    assert list((tmp_path / "cache").rglob("theirs*")) == []


def test_the_setting_is_put_back_whatever_happens(monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", "someone's own")
    kernel(lambda x: x, cache=False)
    assert config.CACHE_DIR == "someone's own"
    monkeypatch.setattr(numba, "njit", lambda **settings: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        kernel(lambda x: x)
    assert config.CACHE_DIR == "someone's own"


def test_kernels_release_the_lock_and_keep_the_meaning_of_nan():
    @kernel(cache=False)
    def is_odd(x):
        return x != x, 1.0 / (x - x)

    assert is_odd(float("nan"))[0]
    assert not is_odd(1.0)[0]
    assert is_odd(1.0)[1] == float("inf")  # NumPy's error model: no ZeroDivisionError
    assert is_odd.targetoptions["nogil"]


def test_options_may_be_overruled():
    @kernel(_nrt=True, cache=False)
    def ones(n):
        return [1.0] * n

    assert ones(3) == [1.0, 1.0, 1.0]
    assert cache.inlined(lambda x: x).targetoptions["inline"] == "always"


# Parts


def test_a_part_refuses_to_be_called_from_python(package, tmp_path):
    """In a process of its own: without the refusal it would crash, at the latest when its machine code is there."""
    (package / "kernels" / "inner.py").write_text(
        "from surefoot.kernels.cache import part\n\n\n@part\ndef inner(x):\n    return x + 1.0\n"
    )
    code = (
        "from surefoot.kernels.inner import inner\nfrom surefoot.kernels.outer import outer\n"
        "for _ in range(2):\n"
        "    try:\n        inner(1.0)\n    except TypeError as error:\n        print(error)\n"
        "    print(outer(1.0))\n"
    )
    said = ["inner", "is", "part", "of", "other", "kernels", "and", "cannot", "be", "called", "from", "Python", "2.0"]
    for _ in range(2):  # compiled, then from the cache
        assert run(code, package.parent, SUREFOOT_CACHE_DIR=tmp_path / "cache") == 2 * said


def test_every_part_refuses():
    found = 0
    for path in sorted((PACKAGE / "kernels").glob("*.py")):
        module = importlib.import_module(f"surefoot.kernels.{path.stem}")
        for name, value in vars(module).items():
            if isinstance(value, cache._Part):
                found += 1
                with pytest.raises(TypeError, match=f"{value.__name__} is part of other kernels and cannot be called"):
                    value(name)
    assert found > 20


def test_without_numbas_compiler_a_part_is_a_function(package, tmp_path):
    code = "from surefoot.kernels.cache import part; print(part(lambda x: x + 1.0)(1.0))"
    assert run(code, package.parent, SUREFOOT_CACHE_DIR=tmp_path / "cache", NUMBA_DISABLE_JIT=1) == ["2.0"]


# Pointers


@numba.njit
def call(function, x):
    return function(x)


def test_a_pointer_compiles_once_and_only_when_it_is_handed_over(monkeypatch):
    compiled = []
    real = numba.cfunc

    def counted(signature, **settings):
        compiled.append(signature)
        return real(signature, **{**settings, "cache": False})

    monkeypatch.setattr(numba, "cfunc", counted)

    def twice(x):
        return 2 * x

    number, whole = types.float64(types.float64), types.int64(types.int64)
    first, second = cache.Pointer(twice, number), cache.Pointer(twice, number)
    assert not compiled
    assert call(first, 1.5) == call(second, 1.5) == call(first, 1.5) == 3.0
    assert compiled == [number]
    assert call(cache.Pointer(twice, whole), 3) == 6
    assert compiled == [number, whole]


def test_work_arrays_of_any_size_share_one_law():
    small, large = (contact_law(make_solver(*sizes)[0]) for sizes in ((2, 4, 3), (9, 16, 12)))
    assert small.signature() == large.signature()
    assert small.__wrapper_address__() == large.__wrapper_address__()


def test_another_process_finds_the_machine_code_of_a_pointer(package, tmp_path):
    (package / "kernels" / "inner.py").write_text(
        "from numba import types\nfrom surefoot.kernels.cache import Pointer\n\n\n"
        "def twice(x):\n    return 2 * x\n\n\nPOINTER = Pointer(twice, types.float64(types.float64))\n"
    )
    code = (
        "import numba, numba.experimental.function_type\n"
        "from surefoot.kernels import cache\nfrom surefoot.kernels.inner import POINTER\n"
        "print(numba.njit(lambda function, x: function(x))(POINTER, 2.0), cache._ALIVE[0].cache_hits)\n"
    )
    assert run(code, package.parent, SUREFOOT_CACHE_DIR=tmp_path / "cache") == ["4.0", "0"]
    assert run(code, package.parent, SUREFOOT_CACHE_DIR=tmp_path / "cache") == ["4.0", "1"]


def test_threads_do_not_take_the_folder_from_each_other(monkeypatch):
    """One that left while the other was inside left it with no folder: machine code then went to the working one."""
    monkeypatch.setattr(config, "CACHE_DIR", "someone's own")
    inside, seen = threading.Event(), []

    def enter():
        with cache._own_folder():
            seen.append(config.CACHE_DIR)
            inside.set()

    other = threading.Thread(target=enter)
    with cache._own_folder():
        other.start()
        assert not inside.wait(0.1)
    other.join()
    assert seen == [str(cache.CACHE_FOLDER)]
    assert config.CACHE_DIR == "someone's own"
