"""What a robot that stands on the ground can do: the space of its dynamics, costs in it, and its centre of mass."""

from surefoot.whole_body.affine import AffineMap, AffineSet
from surefoot.whole_body.costs import Minimum, Quadratic
from surefoot.whole_body.space import Blocks, DynamicsSpace, Membership, dynamics_space

__all__ = [
    "AffineMap",
    "AffineSet",
    "Blocks",
    "DynamicsSpace",
    "Membership",
    "Minimum",
    "Quadratic",
    "dynamics_space",
]
