import pytest

from surefoot.report.renderer import find_renderer
from tests.report.soft_trace import SoftTrace, quadruped, soft_trace


@pytest.fixture(scope="session")
def landed() -> SoftTrace:
    """A quadruped that fell 5 cm and came to rest."""
    return soft_trace(quadruped())


@pytest.fixture
def drawing() -> None:
    """Skip where no renderer works: the message for that case is tested elsewhere, by switching drawing off."""
    if find_renderer().backend is None:
        pytest.skip(f"no renderer: {find_renderer()}")
