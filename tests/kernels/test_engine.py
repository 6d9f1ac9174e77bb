import mujoco
import numba
import numpy as np
import pytest

import surefoot as sf
from surefoot.kernels.engine import (
    LAYOUT,
    dense_inertia,
    equality_rows,
    integrate,
    read_address,
    read_float,
    read_int,
    smooth_terms,
)
from surefoot.motion.workspace import Workspace
from tests.contact.scenes import four_bar, random_state

FIELDS = (
    "xpos",
    "xquat",
    "xmat",
    "xipos",
    "geom_xpos",
    "geom_xmat",
    "subtree_com",
    "cdof",
    "cinert",
    "cvel",
    "cdof_dot",
)
FIELDS += ("qfrc_bias", "qfrc_passive", "M")


def robots():
    return {"links": sf.load("links"), "arm": sf.load("arm"), "ur10": sf.load("ur10"), "loop": four_bar()}


@pytest.fixture(scope="module", params=["links", "arm", "ur10", "loop"])
def scene(request):
    return robots()[request.param]


@numba.njit
def _contact(d, layout, i):
    base = read_address(d + layout.contact) + i * layout.contact_size
    return read_float(base + layout.dist), read_int(base + layout.geom), read_int(base + layout.geom + 4)


def test_every_smooth_term_is_mujocos(scene):
    rng = np.random.default_rng(0)
    for _ in range(3):
        space = Workspace(scene, 1e-3)
        space.load(random_state(scene, rng))
        for name in FIELDS:
            getattr(space.data, name)[:] = np.inf  # every number must be written
        smooth_terms(space.plant.m, space.plant.d, space.plant.qfrc_bias)
        theirs = mujoco.MjData(space.model)
        theirs.qpos[:], theirs.qvel[:] = space.data.qpos, space.data.qvel
        mujoco.mj_fwdPosition(space.model, theirs)
        mujoco.mj_fwdVelocity(space.model, theirs)
        for name in FIELDS:
            ours = getattr(space.data, name)
            if name in ("xquat", "xpos", "xmat", "xipos"):
                ours, reference = (
                    ours[1:],
                    getattr(theirs, name)[1:],
                )  # MuJoCo sets the world once, when it makes the data
            else:
                reference = getattr(theirs, name)
            if name in ("subtree_com", "cvel", "cinert"):
                ours, reference = ours[1:], reference[1:]
            assert np.array_equal(ours, reference), name
        assert space.data.ncon == theirs.ncon
        assert np.array_equal(space.data.contact.dist, theirs.contact.dist)


def test_the_inertia_is_mujocos_and_symmetric(scene):
    space = Workspace(scene, 1e-3)
    space.load(random_state(scene, np.random.default_rng(1)))
    smooth_terms(space.plant.m, space.plant.d, space.plant.qfrc_bias)
    ours, theirs = np.full((scene.nv, scene.nv), np.inf), np.empty((scene.nv, scene.nv))
    dense_inertia(space.plant.m, space.plant.d, ours)
    mujoco.mj_fullM(space.model, space.data, theirs)
    assert np.array_equal(ours, theirs)
    assert np.array_equal(ours, ours.T)
    assert np.linalg.eigvalsh(ours).min() > 0


def test_positions_move_on_mujocos_manifold(scene):
    rng = np.random.default_rng(2)
    q = scene.home().q.copy()
    expected, velocity = q.copy(), rng.normal(size=scene.nv)
    integrate(scene.model._address, q, velocity, 0.37)
    mujoco.mj_integratePos(scene.model, expected, velocity, 0.37)
    assert np.array_equal(q, expected)


def test_contacts_are_read_from_the_live_struct():
    scene = sf.load("links")
    space = Workspace(scene, 1e-3)
    space.load(scene.home())
    smooth_terms(space.plant.m, space.plant.d, space.plant.qfrc_bias)
    assert space.data.ncon >= 4
    for i in range(space.data.ncon):
        contact = space.data.contact[i]
        assert _contact(space.plant.d, LAYOUT, i) == (contact.dist, contact.geom1, contact.geom2)


def test_equality_rows_are_mujocos():
    scene = four_bar()
    space = Workspace(scene, 1e-3)
    space.load(random_state(scene, np.random.default_rng(3)))
    smooth_terms(space.plant.m, space.plant.d, space.plant.qfrc_bias)
    equality_rows(space.plant.m, space.plant.d)
    assert space.data.ne == 3
    assert len(space.data.efc_J) == space.data.nefc * scene.nv
    assert np.isfinite(space.data.efc_pos).all()


def test_a_state_that_mujoco_would_reset_stays():
    scene = sf.load("links")
    space = Workspace(scene, 1e-3)
    state = scene.state(v=np.full(scene.nv, 1e11))
    space.load(state)
    smooth_terms(space.plant.m, space.plant.d, space.plant.qfrc_bias)
    assert np.array_equal(space.data.qvel, state.v)
    assert space.data.warning[mujoco.mjtWarning.mjWARN_BADQVEL].number == 0


def test_offsets_are_distinct_and_inside_the_structs():
    contact = [LAYOUT.dist, LAYOUT.pos, LAYOUT.frame, LAYOUT.dim, LAYOUT.geom, LAYOUT.friction, LAYOUT.exclude]
    assert len(set(contact)) == len(contact)
    assert max(contact) < LAYOUT.contact_size
