"""Random systems for the search of contact modes: planar ones with 1 to 4 contacts, spatial ones with 1 or 2."""

from dataclasses import replace

import numpy as np

from tests.modes.mechanisms import BUILDERS, MOVING, REST, chain, dense, linear, moving, space_body

KINDS = tuple(BUILDERS)


def planar(seed, index, contacts=None, kind=None, motion=None):
    """Planar system `index` of a seed; what is not asked for is drawn."""
    rng = np.random.default_rng([seed, index])
    kind = kind or str(rng.choice(KINDS))
    contacts = contacts or int(rng.choice([1, 2, 3, 4], p=[0.25, 0.35, 0.3, 0.1]))
    motion = motion or str(rng.choice([REST, MOVING]))
    sample = BUILDERS[kind](rng, contacts, motion)
    sample = replace(sample, kind=kind, friction=_friction(rng, sample.contacts))
    sample = _with_motors(rng, sample)
    return _with_constraints(rng, sample)


def at_rest(seed, index, contacts):
    """A planar body or chain at rest with motors without limits and finite friction: what Lemke's method can solve."""
    rng = np.random.default_rng([seed, index])
    sample = BUILDERS[str(rng.choice(["body", "chain", "dense", "table", "twin"]))](rng, contacts, REST)
    sample = replace(sample, friction=rng.uniform(0.05, 1.5, sample.contacts))
    return replace(sample, inputs=_motors(rng, len(sample.bias)))


def resting_chain(seed, index, contacts):
    """A chain of as many links as contacts, at rest, with a motor of 20 N m in every joint: many modes."""
    rng = np.random.default_rng([seed, index])
    sample = chain(rng, contacts, REST, links=contacts)
    motors = np.eye(len(sample.bias))[:, 3:]
    return replace(sample, kind="chain", friction=rng.uniform(0.2, 1.0, contacts), inputs=motors, torque_limits=20.0)


def spatial(seed, index, contacts, edges):
    """A spatial body (6 velocities) or a dense system, at rest or sliding, friction as a pyramid of `edges` edges."""
    rng = np.random.default_rng([seed, index])
    sample = space_body(rng, contacts) if rng.random() < 0.6 else dense(rng, contacts, REST, width=3)
    if rng.random() < 0.4:
        sample = moving(rng, sample, 3)
    sample = replace(sample, edges=edges, friction=_friction(rng, contacts))
    return _with_motors(rng, sample)


def some_torque(rng, sample):
    """A torque within the limits, of the size of the system's own forces."""
    torque = 5.0 * rng.standard_normal(sample.torques)
    if sample.torque_limits is None:
        return torque
    limits = np.asarray(sample.torque_limits, float)
    low, high = (limits[:, 0], limits[:, 1]) if limits.ndim == 2 else (-limits, limits)
    return np.clip(torque, low, high)


def _friction(rng, contacts):
    """One number, or one a contact: up to 2, now and then 0 or infinite."""
    mu = rng.uniform(0.0, 2.0, contacts)
    special = rng.random(contacts)
    mu[special < 0.1], mu[special > 0.9] = 0.0, np.inf
    return mu if rng.random() < 0.8 else float(mu[0])


def _motors(rng, nv):
    count = int(rng.integers(0, min(3, nv) + 1))
    if rng.random() < 0.5:
        return np.eye(nv)[:, nv - count :]
    return rng.standard_normal((nv, count))


def _with_motors(rng, sample):
    nv = len(sample.bias)
    if sample.inputs is None and (nv > 3 or rng.random() < 0.8):
        sample = replace(sample, inputs=_motors(rng, nv))
    t = sample.torques
    choices = [
        None,
        None,
        20.0,
        rng.uniform(1.0, 30.0, t),
        np.column_stack([-rng.uniform(0, 20, t), rng.uniform(1, 20, t)]),
    ]
    return replace(sample, torque_limits=choices[int(rng.integers(len(choices)))])


def _with_constraints(rng, sample):
    """Now and then a physical inequality, and thresholds above some velocities."""
    nv, rows, t = len(sample.bias), len(sample.jacobian), sample.torques
    if rng.random() < 0.15:
        blocks = {"acceleration": nv, "force": rows, "torque": t}
        name = str(rng.choice([name for name, size in blocks.items() if size]))
        row = rng.standard_normal((1, blocks[name]))
        extra = linear(**{name: row}, at_least=-rng.uniform(0.0, 10.0, 1))
        sample = replace(sample, physical=(*sample.physical, extra))
    if sample.velocity is not None and rng.random() < 0.05:
        sample = replace(sample, velocity=-sample.velocity)  # contacts that opened now collide
    if sample.velocity is not None and rng.random() < 0.2:
        sample = replace(sample, threshold=rng.uniform(0.0, 0.5, (sample.contacts, 2)))
    return sample
