"""What to change in a robot so that it can do its task: witness functions and improved morphology [Zapolsky2017]."""

from surefoot.design.answers import read_script, script
from surefoot.design.as_built import AsBuilt
from surefoot.design.course import Course, GaitTask, HandTask
from surefoot.design.crowd import Crowd
from surefoot.design.history import Step, Violation
from surefoot.design.improve import improve
from surefoot.design.improvement import Improvement
from surefoot.design.jacobian import Jacobian, Row, jacobian
from surefoot.design.morphology import Morphology, Parameter
from surefoot.design.motors import CATALOGUE, Motor
from surefoot.design.problem import Look, Problem
from surefoot.design.proving import Proof, prove, prove_both
from surefoot.design.rehearsal import Rehearsal, rehearse
from surefoot.design.robot_files import write_robots
from surefoot.design.studies import Study, study
from surefoot.design.study_file import read_study
from surefoot.design.update import Update, least_update
from surefoot.design.witnesses import Answered, Footing, LinkClearance, Reach, limits

__all__ = [
    "CATALOGUE",
    "Answered",
    "AsBuilt",
    "Course",
    "Crowd",
    "Footing",
    "GaitTask",
    "HandTask",
    "Improvement",
    "Jacobian",
    "LinkClearance",
    "Look",
    "Morphology",
    "Motor",
    "Parameter",
    "Problem",
    "Proof",
    "Reach",
    "Rehearsal",
    "Row",
    "Step",
    "Study",
    "Update",
    "Violation",
    "improve",
    "jacobian",
    "least_update",
    "limits",
    "prove",
    "prove_both",
    "read_script",
    "read_study",
    "rehearse",
    "script",
    "study",
    "write_robots",
]
