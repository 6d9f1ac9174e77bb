"""`surefoot falsify --replay`: one particle again, told, drawn and, if wanted, written for a log viewer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from surefoot.cli.console import progress_bar, summary, wrote

MCAP_ENDINGS = (".mcap",)


def replay_one(
    screen: Any,
    made: Any,
    policy: list[str] | None,
    particle: int,
    seed: int,
    method: str,
    out: Any,
    mcap: Any,
    pictures: bool,
) -> None:
    """One particle again: what became of it, an animation, and its trace as MCAP if a file is named."""
    from surefoot.errors import InputError, SurefootError
    from surefoot.report.animation import animate
    from surefoot.traces.events import STRIKE
    from surefoot.traces.mcap_export import export_trace
    from surefoot.traces.worker import told

    wanted = policy or list(made.policies)
    if len(wanted) > 1:
        names, got = ", ".join(made.policies), len(wanted) if policy else "none"
        raise InputError(f"--policy: expected the one policy to replay, got {got}. The choices are: {names}")
    name = wanted[0]
    if mcap is not None:
        _check_mcap(mcap)
    with screen.status("tracing"):
        result = made.trace(name, particle, seed, method)
    folder = Path() if out is None else out
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out: {folder} cannot be made: {error.strerror}") from None
    values = made.values(particle, seed, method)
    far = sorted(_scores(made, values).items(), key=lambda item: -abs(item[1]))[:5]
    strikes = [
        f"{t:.3f} s {feature}" for t, kind, feature in zip(*result.events.values(), strict=True) if kind == STRIKE
    ]
    rows = [
        ("outcome", f"{result.outcome} {result.requirement} {result.message}".strip()),
        ("ends at", f"{result.time:.4f} s"),
        ("margins", "\n".join(f"{key}: {value:.4g}" for key, value in result.margins.items()) or "none"),
        ("farthest out", "\n".join(f"{key}: {values[key]:.5g}, {z:+.2f} sd" for key, z in far) or "as modelled"),
        ("strikes", "\n".join(strikes) or "none"),
    ]
    screen.print(summary(f"{made.name}, {name}, particle {particle}", rows))
    if mcap is not None:
        with screen.status("writing the trace"):
            wrote(screen, export_trace(made, name, particle, mcap, seed, method))
    if not pictures:
        return
    file = re.sub(r"[^\w.,+-]+", "-", f"{made.name}-{name}")[:100]
    video = folder / f"{file}-{particle}.webp"
    try:
        with progress_bar(screen, "drawing") as tell:
            animate(made.replay(name, particle, seed, method), video, progress=tell)
    except Exception as error:  # there is no renderer, nothing to draw, or the policy raises again
        message = str(error) if isinstance(error, SurefootError) else told(error)
        screen.print(f"no animation: {message}", soft_wrap=True, markup=False)
        return
    wrote(screen, video)


def _scores(made: Any, values: dict[str, Any]) -> dict[str, float]:
    """How far out each drawn number lies, in standard deviations."""
    found = {}
    for parameter in made.parameters():
        value = values.get(parameter.name)
        if isinstance(value, int | float) and value != parameter.nominal:
            found[parameter.name] = float(parameter.distribution.standard(value, parameter.nominal))
    return found


def _check_mcap(file: Path) -> None:
    """Refuse a file that cannot be written, before any work."""
    from importlib.util import find_spec

    from surefoot.errors import InputError
    from surefoot.report.picture import writable

    writable("--mcap", file, MCAP_ENDINGS)
    if find_spec("mcap") is None:
        raise InputError("--mcap: needs the MCAP library; pip install 'surefoot[mcap]'")
