"""How a solve ended, in a sentence with the remedy."""

from __future__ import annotations

from enum import Enum

from surefoot.kernels import status as codes


class Status(Enum):
    """How a solve ended: the value is a sentence for people, `code` the integer that kernels return."""

    code: int

    SOLVED = (codes.SOLVED, "solved: every condition of the law holds")
    REGULARISED = (
        codes.REGULARISED,
        "regularised: only a slightly softened problem could be solved, and its answer misses the tolerance of the "
        "given one; look at the residual, and remove contacts that repeat others or differ wildly in scale",
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
        "inconsistent: the prescribed motion contradicts the contacts; ask for the nearest consistent motion, or "
        "prescribe fewer joints",
    )
    INDETERMINATE = (
        codes.INDETERMINATE,
        "indeterminate: the motion is determined but the contact forces are not, every contact velocity being "
        "prescribed; zero forces are one answer, free a joint to get the forces of another",
    )
    NOT_FINITE = (
        codes.NOT_FINITE,
        "not finite: the problem holds a NaN or an infinity; check the state and the demand for the step before",
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
        return _BY_CODE[int(code)]

    @property
    def is_solved(self) -> bool:
        """Whether every condition of the problem holds."""
        return self is Status.SOLVED

    def __str__(self) -> str:
        return self.value


_BY_CODE = {status.code: status for status in Status}
