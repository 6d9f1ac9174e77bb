"""All laws side by side, for tests that hold for each of them."""

from dataclasses import fields, replace

import pytest

import surefoot as sf

LAWS = {
    "coulomb": sf.Coulomb(),
    "coulomb smooth": sf.Coulomb(smooth=True),
    "no slip": sf.NoSlip(),
    "held": sf.NoSlip(release=False),
    "slip": sf.Dissipative(),
    "plain slip": sf.Dissipative(offset=False),
    "exact": sf.Dissipative(cone="exact"),
    "energy": sf.Dissipative(form="energy"),
    "compliant": sf.Compliant(stiffness=2e4, damping=100.0),
    "soft": sf.Soft(),
    "soft critical": sf.Soft(critical=True),
}
PARTS = ("dynamics", "reduction", "normal", "friction", "joints")


def laws(*names):
    """A parameter `law` that runs over these laws, or over all."""
    return pytest.mark.parametrize("law", [LAWS[name] for name in names or LAWS], ids=names or tuple(LAWS))


def with_friction(law, mu):
    """The same law with its own friction; no slip has none of its own."""
    return replace(law, mu=mu) if "mu" in {field.name for field in fields(law)} else law


def violation(answer):
    """Largest violation of the dynamics and of the law."""
    return max(answer.residuals()[part] for part in PARTS)
