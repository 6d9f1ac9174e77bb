"""Stages that come with Surefoot, all of them compiled; one file each."""

from surefoot.control.stages.actuator_limits import ActuatorLimits
from surefoot.control.stages.balance import Balance
from surefoot.control.stages.changeover import Changeover
from surefoot.control.stages.command import Command
from surefoot.control.stages.delay import Delay
from surefoot.control.stages.feed_forward import FeedForward
from surefoot.control.stages.follow import Follow
from surefoot.control.stages.foot_pd import FootPD
from surefoot.control.stages.forward_kinematics import ForwardKinematics
from surefoot.control.stages.gait_planner import GaitPlanner
from surefoot.control.stages.hold import Hold
from surefoot.control.stages.inverse_kinematics import InverseKinematics
from surefoot.control.stages.joint_pid import JointPID
from surefoot.control.stages.timetable import Timetable
from surefoot.control.stages.torque_table import TorqueTable
from surefoot.control.stages.touch import Touch
from surefoot.control.stages.waypoints import Waypoints

__all__ = [
    "ActuatorLimits",
    "Balance",
    "Changeover",
    "Command",
    "Delay",
    "FeedForward",
    "Follow",
    "FootPD",
    "ForwardKinematics",
    "GaitPlanner",
    "Hold",
    "InverseKinematics",
    "JointPID",
    "Timetable",
    "TorqueTable",
    "Touch",
    "Waypoints",
]
