"""Controllers: pipelines of stages, and what others are measured against [Zapolsky2015, section 7.3]."""

from surefoot.control.baselines import PID, ContactFree, SensedForce
from surefoot.control.blackboard import KNOWN, Board, Value
from surefoot.control.foot_walker import foot_walker
from surefoot.control.gait_policy import GaitPolicy
from surefoot.control.picking import PICKS, Pick, picker
from surefoot.control.pipeline import Pipeline
from surefoot.control.reaching import reach
from surefoot.control.stage import Stage, stage
from surefoot.control.stages import (
    ActuatorLimits,
    Balance,
    Changeover,
    Command,
    Delay,
    FeedForward,
    Follow,
    FootPD,
    ForwardKinematics,
    GaitPlanner,
    Hold,
    InverseKinematics,
    JointPID,
    Timetable,
    TorqueTable,
    Touch,
    Waypoints,
)
from surefoot.control.walk import Walk
from surefoot.control.walker import walker

__all__ = [
    "KNOWN",
    "PICKS",
    "PID",
    "ActuatorLimits",
    "Balance",
    "Board",
    "Changeover",
    "Command",
    "ContactFree",
    "Delay",
    "FeedForward",
    "Follow",
    "FootPD",
    "ForwardKinematics",
    "GaitPlanner",
    "GaitPolicy",
    "Hold",
    "InverseKinematics",
    "JointPID",
    "Pick",
    "Pipeline",
    "SensedForce",
    "Stage",
    "Timetable",
    "TorqueTable",
    "Touch",
    "Value",
    "Walk",
    "Waypoints",
    "foot_walker",
    "picker",
    "reach",
    "stage",
    "walker",
]
