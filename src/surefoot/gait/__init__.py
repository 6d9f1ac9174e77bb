"""How a robot steps: phases, footholds and swings from a commanded velocity of its base [Zapolsky2017, chapter 9]."""

from surefoot.gait.gait import GAITS, Gait
from surefoot.gait.legs import Legs
from surefoot.gait.planner import Plan, Planner
from surefoot.gait.stance import stance

__all__ = ["GAITS", "Gait", "Legs", "Plan", "Planner", "stance"]
