"""Every contact mode of a frictional system, its domain and its ambiguity: [Greenfield2005]."""

from surefoot.modes.bodies import Body, Hinge, Push, Touch
from surefoot.modes.linear import Linear
from surefoot.modes.mode import Mode, Range
from surefoot.modes.of import of
from surefoot.modes.optimum import Optimum
from surefoot.modes.painleve import Painleve
from surefoot.modes.planar import planar
from surefoot.modes.region import Region
from surefoot.modes.response import Outcomes, Response
from surefoot.modes.robust import Certain, RobustResponse
from surefoot.modes.solutions import Solution, Solutions
from surefoot.modes.step_solutions import StepRange, StepSolution, StepSolutions
from surefoot.modes.system import ContactSystem
from surefoot.modes.system_file import EXAMPLES, load

__all__ = [
    "EXAMPLES",
    "Body",
    "Certain",
    "ContactSystem",
    "Hinge",
    "Linear",
    "Mode",
    "Optimum",
    "Outcomes",
    "Painleve",
    "Push",
    "Range",
    "Region",
    "Response",
    "RobustResponse",
    "Solution",
    "Solutions",
    "StepRange",
    "StepSolution",
    "StepSolutions",
    "Touch",
    "load",
    "of",
    "planar",
]
