"""How a solve ended, in a sentence with the remedy."""

from __future__ import annotations

from enum import Enum

from surefoot.errors import InputError
from surefoot.kernels import status as codes


class Status(Enum):
    """How a solve ended: the value is a sentence for people, `code` the integer that kernels return."""

    code: int

    SOLVED = (codes.SOLVED, "solved: every condition of the law holds")
    REGULARISED = (
        codes.REGULARISED,
        "regularised: the problem as given could not be solved, a slightly softened one was (a little slip or friction "
        "of 1e3 for infinite friction, or a little compliance); look at the residual before you trust it",
    )
    UNSOLVED = (
        codes.UNSOLVED,
        "unsolved: no method found an answer and none proved that there is none; change the demand a little, use fewer "
        "contacts, or a law that always has an answer",
    )
    INFEASIBLE = (
        codes.INFEASIBLE,
        "infeasible: no impulses satisfy the conditions, as the certificate shows; change the prescribed motion, or "
        "free a joint that squeezes the contacts it names",
    )
    PIVOT_LIMIT = (codes.PIVOT_LIMIT, "pivot limit: stopped before an answer was found; raise max_pivots")
    INCONSISTENT = (
        codes.INCONSISTENT,
        "inconsistent: the prescribed motion would drag contacts that may not slip, or break a loop of joints; let "
        "them keep their distances, prescribe fewer joints, or use a law with finite friction",
    )
    INDETERMINATE = (
        codes.INDETERMINATE,
        "indeterminate: internal force free; prescribed bodies may squeeze what is between them by any amount, so the "
        "forces (and, with friction, what they hold) are one answer of many; give some joints a torque, not a motion",
    )
    NOT_FINITE = (
        codes.NOT_FINITE,
        "not finite: a NaN, an infinity or a number over 1e12 has come in; look at the steps before it (a gain too "
        "high for this dt is the usual cause)",
    )
    CONTACTS_DROPPED = (
        codes.CONTACTS_DROPPED,
        "contacts dropped: MuJoCo's memory was full and it left contacts out; give the model more (<size memory=...>)",
    )
    INERTIA = (
        codes.INERTIA,
        "bad inertia: the inertia matrix is not positive definite; look for massless moving links with sf.check(robot)",
    )
    CAPACITY = (
        codes.CAPACITY,
        "capacity: more contacts than the work arrays hold; calls from Python enlarge them, compiled code cannot",
    )
    LOG_FULL = (codes.LOG_FULL, "log full: the roll-out's log is too small; call again, it has grown")
    POLICY = (codes.POLICY, "policy: the policy stopped the roll-out by returning a code other than 0")
    MOTION = (
        codes.MOTION,
        "motion: the prescribed motion stopped the roll-out by returning a code other than 0 or a position that is not "
        "finite",
    )
    RELAXED = (
        codes.RELAXED,
        "relaxed: the limits of the program contradict each other, and each gave way by as little as could be; "
        "violations() names them",
    )
    GONE = (
        codes.GONE,
        "gone: the controller that a compiled policy calls was deleted; keep it as long as the policy",
    )

    def __new__(cls, code: int, sentence: str) -> Status:
        """Make a member whose value is its sentence."""
        member = object.__new__(cls)
        member._value_ = sentence
        member.code = code
        return member

    @classmethod
    def from_code(cls, code: int) -> Status:
        """Return the status of a kernel's integer."""
        try:
            return _BY_CODE[code]
        except (KeyError, TypeError):
            raise InputError(f"code: expected a whole number from 0 to {max(_BY_CODE)}, got {code!r}") from None

    @property
    def is_solved(self) -> bool:
        """Whether every condition of the problem holds."""
        return self is Status.SOLVED

    @property
    def is_answer(self) -> bool:
        """Whether the answer can be used: solved, softened, relaxed, or with forces that nothing determines."""
        return self in (Status.SOLVED, Status.INDETERMINATE, Status.REGULARISED, Status.RELAXED)

    def __str__(self) -> str:
        return self.value


_BY_CODE = {status.code: status for status in Status}
