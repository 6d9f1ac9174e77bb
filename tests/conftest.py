"""What all tests share: hypothesis without a clock, `links`, and real robots where their files are installed."""

import pytest
from hypothesis import HealthCheck, settings

import surefoot as sf
from surefoot.robots.meshes import example_robot_data

# Kernels compile on first call, so the first example of a property may take seconds.
settings.register_profile("surefoot", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("surefoot")


@pytest.fixture(scope="session")
def links():
    """The quadruped; nobody changes it."""
    return sf.load("links")


def pytest_collection_modifyitems(items):
    """Leave out tests of real robots where their files are not installed (`make test-real` installs them)."""
    if example_robot_data() is not None:
        return
    absent = pytest.mark.skip(reason="example-robot-data is not installed; run `make test-real`")
    for item in items:
        if "real" in item.keywords:
            item.add_marker(absent)
