"""`surefoot drop`: let a robot fall on its feet and say what the ground did to it."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(drop)


def drop() -> None:
    """Drop."""
    raise NotImplementedError
