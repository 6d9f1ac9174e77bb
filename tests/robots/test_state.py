import copy
import pickle

import mujoco
import numpy as np
import pytest

from surefoot.errors import InputError
from surefoot.robots.state import State

MODEL = '<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'


def test_a_state_is_a_copy_and_cannot_be_written():
    q, v = np.zeros(7), np.zeros(6)
    state = State(q, v)
    q[0] = 1
    assert state.q[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        state.q[0] = 1


def test_to_and_from_mujoco():
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    state = State([1, 2, 3, 1, 0, 0, 0], [1, 2, 3, 4, 5, 6], t=0.5)
    state.to_mujoco(data)
    back = State.from_mujoco(data)
    assert np.array_equal(back.q, state.q)
    assert np.array_equal(back.v, state.v)
    assert back.t == 0.5
    data.qpos[0] = 9
    assert back.q[0] == 1


def test_replace_changes_one_thing():
    state = State([0.0], [1.0], t=2.0).replace(v=[3.0])
    assert (state.q[0], state.v[0], state.t) == (0, 3, 2)


def test_bad_numbers_are_named():
    with pytest.raises(InputError, match=r"State\.q: expected finite numbers, got nan at index 1"):
        State([0, np.nan], [0])
    with pytest.raises(InputError, match=r"State\.v: expected an array of numbers, got str"):
        State([0], "fast")
    with pytest.raises(InputError, match=r"State\.t: expected a finite number, got inf"):
        State([0], [0], t=np.inf)
    with pytest.raises(InputError, match=r"State\.q: expected shape \(7,\), got \(2,\)"):
        State([0, 0], [0]).to_mujoco(mujoco.MjData(mujoco.MjModel.from_xml_string(MODEL)))
    with pytest.raises(InputError, match="replace: no field is called 'u'; "):
        State([0], [0]).replace(u=1)


def test_states_compare_by_their_numbers_and_copies_stay_read_only():
    state = State(np.arange(3.0), np.zeros(2), 0.5)
    for twin in (copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert twin == state
        assert hash(twin) == hash(state)
        assert not twin.q.flags.writeable
    assert state != state.replace(t=0.6)
    assert state != "a state"
