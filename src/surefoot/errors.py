"""What can go wrong, as exceptions that say so in a sentence with the remedy."""

from __future__ import annotations

from typing import Any


class SurefootError(Exception):
    """Base of every error that Surefoot raises on purpose."""


class InputError(SurefootError, ValueError):
    """An argument is not what it should be; the text names it, what was expected and what came."""


class ModelError(SurefootError):
    """A robot file cannot be used; the text names the link or joint and what to do."""


class EngineError(SurefootError):
    """MuJoCo's library, its struct layout or its renderer is not as needed."""


class SolveError(SurefootError):
    """A solve ended without an answer that satisfies its law.

    Attributes:
        result: the full answer or solution, for a look at what went wrong.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result
