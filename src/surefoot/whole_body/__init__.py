"""What a robot that stands on the ground can do: the space of its dynamics, costs in it, and its centre of mass."""

from surefoot.whole_body.affine import AffineMap, AffineSet
from surefoot.whole_body.arguments import standing
from surefoot.whole_body.balance import balancer
from surefoot.whole_body.centre_of_mass import GraspMap, centre_of_mass, grasp_map
from surefoot.whole_body.choreography import Choreography, Moves
from surefoot.whole_body.controller import WholeBody
from surefoot.whole_body.costs import Minimum, Quadratic
from surefoot.whole_body.crouch import crouched, ready
from surefoot.whole_body.moves import lifts, shifts, squats, stand
from surefoot.whole_body.plot import plot_reachable
from surefoot.whole_body.program import Program, build
from surefoot.whole_body.program_solve import ProgramSolution, Violation
from surefoot.whole_body.push_recovery import LargestPush, largest_push
from surefoot.whole_body.reachable import ReachableForces, reachable_forces, support_region
from surefoot.whole_body.reactions import CentreOfMassForces, centre_of_mass_forces
from surefoot.whole_body.space import Blocks, DynamicsSpace, Membership, dynamics_space
from surefoot.whole_body.stage import WholeBodyControl, goal_value
from surefoot.whole_body.tasks import (
    Acceleration,
    CentreOfMass,
    ContactForce,
    Momentum,
    Orientation,
    Pose,
    Position,
    Posture,
    Task,
    Torque,
)

__all__ = [
    "Acceleration",
    "AffineMap",
    "AffineSet",
    "Blocks",
    "CentreOfMass",
    "CentreOfMassForces",
    "Choreography",
    "ContactForce",
    "DynamicsSpace",
    "GraspMap",
    "LargestPush",
    "Membership",
    "Minimum",
    "Momentum",
    "Moves",
    "Orientation",
    "Pose",
    "Position",
    "Posture",
    "Program",
    "ProgramSolution",
    "Quadratic",
    "ReachableForces",
    "Task",
    "Torque",
    "Violation",
    "WholeBody",
    "WholeBodyControl",
    "balancer",
    "build",
    "centre_of_mass",
    "centre_of_mass_forces",
    "crouched",
    "dynamics_space",
    "goal_value",
    "grasp_map",
    "largest_push",
    "lifts",
    "plot_reachable",
    "reachable_forces",
    "ready",
    "shifts",
    "squats",
    "stand",
    "standing",
    "support_region",
]
