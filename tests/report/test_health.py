import ctypes

import pytest

from surefoot.kernels import cache, layout
from surefoot.report import health
from surefoot.report.health import Fact, examine, extras, kernel_cache, struct_layout, versions


def test_versions_name_everything_that_matters():
    found = {fact.name: fact.text for fact in versions()}
    assert set(found) >= {"python", "surefoot", "mujoco", "numba", "numpy"}
    assert found["mujoco"][0] in "456789"


def test_a_missing_dependency_comes_with_its_remedy(monkeypatch):
    monkeypatch.setattr(health, "_DEPENDENCIES", ("no-such-package",))
    fact = versions()[-1]
    assert fact.good is False
    assert fact.text.startswith("missing; python")
    assert fact.text.endswith("-m pip install 'no-such-package'")


def test_struct_layout_holds():
    (fact,) = struct_layout()
    assert fact.good, fact.text


def test_struct_layout_notices_a_shift(monkeypatch):
    """Move one field of mjContact, as another release of MuJoCo might."""
    real = layout.struct

    def shifted(name):
        if name != "mjContact":
            return real(name)
        return type(name, (ctypes.Structure,), {"_fields_": [("new", ctypes.c_double), *real(name)._fields_]})

    monkeypatch.setattr(layout, "struct", shifted)
    (fact,) = struct_layout()
    assert fact.good is False
    assert "misread" in fact.text


@pytest.fixture
def caches(monkeypatch, tmp_path):
    """An empty kernel cache, and a folder of this version in it."""
    monkeypatch.setenv("SUREFOOT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "CACHE_FOLDER", tmp_path / "kernels-now")
    return tmp_path


def test_kernels_not_compiled_yet(caches):
    first, second = kernel_cache()
    assert first == Fact("kernel cache", True, f"{caches}, 0 compiled functions, 0.0 MB")
    assert second.good is None
    assert second.text.startswith("not compiled yet")


def test_kernels_compiled_and_old_ones_left(caches):
    for folder, count in (("kernels-now", 2), ("kernels-old", 3)):
        (caches / folder).mkdir()
        (caches / folder / "index.nbi").write_bytes(b"x" * 1000)
        for i in range(count):
            (caches / folder / f"{i}.nbc").write_bytes(b"x" * 100_000)
    first, second, third = kernel_cache()
    assert first.text == f"{caches}, 5 compiled functions, 0.5 MB"
    assert second == Fact("kernels", True, "2 compiled functions ready")
    assert third.text.startswith("3 functions of other versions")


def test_extras_are_those_of_the_package(monkeypatch):
    monkeypatch.setattr(
        health.importlib.metadata,
        "requires",
        lambda name: ["numpy>=2", "numpy>=1; extra == 'have'", "no-such-package<2; extra == 'lack'"],
    )
    have, lack = extras()
    assert have == Fact("extra have", True, "numpy")
    assert lack.good is None
    assert lack.text.startswith("without no-such-package; python")
    assert lack.text.endswith("-m pip install 'surefoot[lack]'")


def test_one_broken_part_does_not_hide_the_others(monkeypatch):
    def broken():
        raise OSError("disk on fire")

    monkeypatch.setattr(health, "kernel_cache", broken)
    monkeypatch.setattr(health, "renderer", lambda: [Fact("renderer", True, "yes")])
    facts = {fact.name: fact for fact in examine()}
    assert facts["kernel cache"] == Fact("kernel cache", False, "OSError: disk on fire")
    assert facts["struct layout"].good


def test_switched_off_renderer_is_no_fault(monkeypatch):
    from surefoot.report.renderer import find_renderer

    monkeypatch.setenv("MUJOCO_GL", "off")
    find_renderer.cache_clear()
    (fact,) = health.renderer()
    find_renderer.cache_clear()
    assert fact.good is None
    assert (
        fact.text == "none: MUJOCO_GL: set to 'off', which switches drawing off; all but pictures and animations works"
    )


def test_wrong_setting_of_the_renderer_is_a_fault(monkeypatch):
    from surefoot.report.renderer import find_renderer

    monkeypatch.setenv("MUJOCO_GL", "vulkan")
    find_renderer.cache_clear()
    (fact,) = health.renderer()
    find_renderer.cache_clear()
    assert fact.good is False
    assert fact.text.startswith("MUJOCO_GL: expected one of")
