import numpy as np
import pytest

from surefoot.modes.blocks import planar_block, spatial_block

AT_REST, NO_BAND = np.zeros(3), np.array([1e-9, 1e-9])


def fits(block, force, motion):
    """Names of the modes whose bounds hold, strict ones strictly."""
    forms = np.concatenate([block.force @ force, block.motion @ motion])
    names = []
    for m, token in enumerate(block.tokens):
        low, high, strict = block.low[m], block.high[m], block.strict[m]
        inside = (forms >= low - 1e-12) & (forms <= high + 1e-12)
        beyond = ~strict | ((forms > low + 1e-12) & (forms < high - 1e-12))
        if (inside & beyond).all():
            names.append(token)
    return names


@pytest.mark.parametrize(
    ("force", "motion", "modes"),
    [
        ([0, 0], [1, 3], ["S"]),
        ([0, 0], [0, 0], ["F"]),  # neither separates nor slides
        ([2, 1], [0, -1], ["L"]),
        ([2, -1], [0, 1], ["R"]),
        ([2, 1], [0, 0], ["F"]),
        ([2, 0.3], [0, 0], ["F"]),
        ([2, 1.1], [0, 0], []),
        ([2, 1], [0, 1], []),  # friction that drives the slide
        ([0, 0], [-1, 0], []),
        ([1, 0], [1, 0], []),
        ([-1, 0], [0, 0], []),
        ([0, 0], [0, 2], ["R"]),  # slides without load
    ],
)
def test_planar_modes_at_rest(force, motion, modes):
    assert fits(planar_block((0.5, 0.5), np.zeros(2), NO_BAND), np.array(force), np.array(motion)) == modes


@pytest.mark.parametrize(
    ("velocity", "tokens"),
    [
        ([0, 0], ("S", "L", "R", "F")),
        ([1, 0], ("S",)),
        ([0, 1], ("S", "R")),
        ([0, -1], ("S", "L")),
        ([-1, 0], ()),
        ([1e-10, -1e-10], ("S", "L", "R", "F")),
    ],
)
def test_velocities_leave_the_modes_of_table_three(velocity, tokens):
    assert planar_block((0.5, 0.5), np.array(velocity, dtype=float), NO_BAND).tokens == tokens


def test_within_its_threshold_a_velocity_counts_as_zero():
    contact = planar_block((0.5, 0.5), np.array([-0.05, 0.05]), np.array([0.06, 0.08]))
    at_rest = planar_block((0.5, 0.5), np.zeros(2), NO_BAND)
    assert contact.tokens == at_rest.tokens == ("S", "L", "R", "F")
    assert (contact.low == at_rest.low).all()
    assert (contact.high == at_rest.high).all()
    assert (contact.strict == at_rest.strict).all()


def test_without_friction_there_is_no_tangential_force():
    slick = planar_block((0.0, 0.0), np.zeros(2), NO_BAND)
    assert fits(slick, np.array([1.0, 0.0]), np.array([0.0, 1.0])) == ["R"]
    assert fits(slick, np.array([1.0, 0.1]), np.array([0.0, 1.0])) == []
    assert fits(slick, np.array([-1.0, 0.0]), np.array([0.0, 0.0])) == []


def test_infinite_friction_slides_without_load_only():
    rough = planar_block((np.inf, np.inf), np.zeros(2), NO_BAND)
    assert fits(rough, np.array([1.0, 500.0]), np.zeros(2)) == ["F"]
    assert fits(rough, np.array([0.0, 1.0]), np.zeros(2)) == []
    assert fits(rough, np.array([0.0, 0.0]), np.array([0.0, -1.0])) == ["L"]
    assert fits(rough, np.array([1.0, 1.0]), np.array([0.0, -1.0])) == []


def test_friction_between_two_bounds_is_a_wedge():
    contact = planar_block((0.2, 0.6), np.zeros(2), NO_BAND)
    left = np.array([0.0, -1.0])
    assert [fits(contact, np.array([1.0, f]), left) for f in (0.1, 0.2, 0.4, 0.6, 0.7)] == [[], ["L"], ["L"], ["L"], []]
    assert fits(contact, np.array([1.0, 0.6]), np.zeros(2)) == ["F"]


@pytest.mark.parametrize("edges", [4, 8, 16])
def test_every_slip_lies_in_one_sector_with_friction_against_it(edges):
    contact = spatial_block((0.5, 0.5), AT_REST, NO_BAND, edges)
    assert len(contact.tokens) == 2 + 2 * edges
    for angle in np.linspace(0.01, 6.29, 37):
        slip = np.array([0.0, np.cos(angle), np.sin(angle)])
        j = int(np.round(angle * edges / (2 * np.pi))) % edges
        edge = 2 * np.pi * j / edges
        force = 2.0 * np.array([1.0, -0.5 * np.cos(edge), -0.5 * np.sin(edge)])
        assert fits(contact, force, slip) == [str(j)]
        assert fits(contact, force, np.zeros(3)) == ["F"]
        assert fits(contact, 0.99 * force + [0.02, 0.0, 0.0], slip) == []


@pytest.mark.parametrize("edges", [4, 8])
def test_between_two_sectors_friction_is_on_the_face(edges):
    contact = spatial_block((0.5, 0.5), AT_REST, NO_BAND, edges)
    for j in range(edges):
        angle = 2 * np.pi * (j + 0.5) / edges
        slip = np.array([0.0, np.cos(angle), np.sin(angle)])
        ends = [2 * np.pi * k / edges for k in (j, j + 1)]
        for share in (0.0, 0.3, 1.0):
            force = np.array([1.0, 0.0, 0.0])
            for weight, end in zip((share, 1 - share), ends, strict=True):
                force[1:] -= 0.5 * weight * np.array([np.cos(end), np.sin(end)])
            assert fits(contact, force, slip) == [f"{j}|{(j + 1) % edges}"]


def test_spatial_slides_that_are_under_way():
    sliding = spatial_block((0.5, 0.5), np.array([0.0, 1.0, 0.1]), NO_BAND, 8)
    assert sliding.tokens == ("S", "0")
    between = spatial_block((0.5, 0.5), np.array([0.0, np.cos(np.pi / 8), np.sin(np.pi / 8)]), NO_BAND, 8)
    assert between.tokens == ("S", "0|1")
    assert fits(sliding, np.array([1.0, -0.5, 0.0]), np.array([0.0, -3.0, 9.0])) == ["0"]  # its acceleration is free


def test_spatial_wedges():
    contact = spatial_block((0.2, 0.6), AT_REST, NO_BAND, 8)
    for j in range(8):
        edge = 2 * np.pi * j / 8
        slip = np.array([0.0, np.cos(edge), np.sin(edge)])
        for mu, fine in ((0.1, False), (0.2, True), (0.4, True), (0.6, True), (0.7, False)):
            force = np.array([1.0, -mu * np.cos(edge), -mu * np.sin(edge)])
            assert fits(contact, force, slip) == ([str(j)] if fine else [])
            assert fits(contact, force * [1, -1, -1], slip) == []
        border = 2 * np.pi * (j + 0.5) / 8
        slip = np.array([0.0, np.cos(border), np.sin(border)])
        force = np.array([1.0, -0.4 * np.cos(border), -0.4 * np.sin(border)])
        assert fits(contact, force, slip) == [f"{j}|{(j + 1) % 8}"]
