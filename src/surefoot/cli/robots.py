"""`surefoot robots`: what can be loaded by name."""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(robots)


def robots() -> None:
    """List the bundled robots."""
    raise NotImplementedError
