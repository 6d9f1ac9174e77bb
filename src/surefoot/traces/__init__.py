"""Particle traces: how often a policy fails when the robot is not quite as modelled, and which parameter decides."""

from surefoot.traces.contact_requirements import Held, NoBodyContact, NoSelfCollision, NoStrike
from surefoot.traces.distributions import Choice, Constant, Jitter, Normal, Uniform, measured
from surefoot.traces.disturbances import Fault, Push
from surefoot.traces.falsify import falsify
from surefoot.traces.findings import Finding, comparisons, findings
from surefoot.traces.graze import Split, find_split, locate_graze
from surefoot.traces.online import Decision, safe_to_switch
from surefoot.traces.rare_search import RareFailures, rare_failures
from surefoot.traces.requirements import FeetBeyond, JointRange, Tilt, TorqueSpeed, Upright, Workspace
from surefoot.traces.result import Result
from surefoot.traces.run import Run
from surefoot.traces.run_folder import RunFolder
from surefoot.traces.scenario import Scenario
from surefoot.traces.scenario_file import SCENARIOS, load_scenario
from surefoot.traces.span import Span
from surefoot.traces.stop import Stop
from surefoot.traces.witness import Witness, witness

__all__ = [
    "SCENARIOS",
    "Choice",
    "Constant",
    "Decision",
    "Fault",
    "FeetBeyond",
    "Finding",
    "Held",
    "Jitter",
    "JointRange",
    "NoBodyContact",
    "NoSelfCollision",
    "NoStrike",
    "Normal",
    "Push",
    "RareFailures",
    "Result",
    "Run",
    "RunFolder",
    "Scenario",
    "Span",
    "Split",
    "Stop",
    "Tilt",
    "TorqueSpeed",
    "Uniform",
    "Upright",
    "Witness",
    "Workspace",
    "comparisons",
    "falsify",
    "find_split",
    "findings",
    "load_scenario",
    "locate_graze",
    "measured",
    "rare_failures",
    "safe_to_switch",
    "witness",
]
