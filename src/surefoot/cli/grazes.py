"""`surefoot falsify --graze`: the value of a parameter at which the behaviour of a policy changes, narrowed down."""

from __future__ import annotations

from typing import Any

MOST_NAMES = 3  # of the direction


def tell_grazes(screen: Any, run: Any) -> None:
    """Say of every policy where its traces split, and keep it in the folder for the report."""
    from rich.text import Text

    from surefoot.errors import InputError
    from surefoot.traces.graze import find_split
    from surefoot.traces.run_folder import RunFolder

    header = run.folder.header
    told = {}
    for finding in run.findings():
        with screen.status(f"{finding.policy}: searching for a graze", spinner="dots"):
            try:
                split = find_split(run.scenario, finding, seed=header["seed"], method=header["method"])
            except InputError as error:
                told[finding.policy] = f"{finding.policy}: no graze: {error}"
                continue
        told[finding.policy] = _sentence(finding.policy, split)
    for line in told.values():
        screen.print(Text(f"  {line}"), soft_wrap=True)
    with RunFolder.open(run.folder.path, write=True) as folder:
        folder.update(grazes=told)
        run.folder.header = folder.header


def _sentence(policy: str, split: Any) -> str:
    """What was found, in a line."""
    if split is None:
        return f"{policy}: no graze: its traces behave alike, or no parameter alone changes them"
    from_, to = (_word(each) for each in (split.graze.before, split.graze.after))
    parts = zip(split.direction.names, split.direction.shares, strict=True)
    shares = [f"{name} {100 * share:.0f} %" for name, share in parts]
    return f"{split}: below {from_}, above {to}; direction: {', '.join(shares[:MOST_NAMES])}"


def _word(behaviour: Any) -> str:
    """A behaviour as text: the outcome and, if it is short, what it was told apart by."""
    outcome, *more = behaviour if isinstance(behaviour, tuple) else (behaviour,)
    names = [name for name in more if isinstance(name, str) and name]
    return f"{outcome} ({names[0]})" if names else str(outcome)
