import pytest

import surefoot as sf


@pytest.fixture(scope="module")
def response():
    """The response of a bundled system, found once."""
    found = {}

    def _response(name):
        if name not in found:
            found[name] = sf.modes.load(name).response()
        return found[name]

    return _response
