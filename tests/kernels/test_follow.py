import numpy as np
import pytest

import surefoot as sf

DT = 1e-3
follow = sf.follow


@sf.policy
def stand(t, q, v, torque_out, memory, params):
    for i in range(12):
        memory[i] = 100.0 * (params[1 + i] - q[7 + i]) - 20.0 * v[6 + i]
    return follow(params[0], q, v, memory[:12], torque_out)


def test_a_compiled_policy_calls_the_controller_as_python_does(links):
    home = links.home()
    compiled, plain = sf.InverseDynamics(links, DT), sf.InverseDynamics(links, DT)
    start = home.replace(v=np.r_[0.05, 0.02, np.zeros(16)])
    bound = stand.bind([compiled.handle, *home.q[7:]], memory=12)
    one = sf.Simulator(links, DT).rollout(start, bound, 0.05)

    def python(state):
        return plain(state, 100.0 * (home.q[7:] - state.q[7:]) - 20.0 * state.v[6:])

    two = sf.Simulator(links, DT).rollout(start, python, 0.05)
    assert one.ok
    assert one.q[-1] == pytest.approx(two.q[-1], abs=1e-9)
    assert one.torque == pytest.approx(two.torque, abs=1e-6)


def test_standing_stays(links):
    home = links.home()
    controller = sf.InverseDynamics(links, DT)
    trace = sf.Simulator(links, DT).rollout(home, stand.bind([controller.handle, *home.q[7:]], memory=12), 0.5)
    assert trace.ok
    assert np.abs(trace.q[-1] - trace.q[0]).max() <= 1e-9
