"""The designer at the keyboard: what is wrong, what is suggested, and what shall be done about it."""

from __future__ import annotations

from typing import Any

from surefoot.errors import InputError

ASK = "accept, scale F, zero NAME, symmetrise NAME, motor JOINTS NAME, undo, quit"


class Designer:
    """Shows every suggestion and reads answers until one can be understood."""

    def __init__(self, screen: Any, names: tuple[str, ...]) -> None:
        """Remember where to write and what the parameters are called."""
        self._screen, self._names = screen, names
        self._made = 0  # updates that undo could take back

    def __call__(self, step: Any) -> str:
        """One answer."""
        from rich.prompt import Prompt

        from surefoot.design.answers import understood

        self._screen.print(suggestion(step))
        while True:
            try:
                text = Prompt.ask(ASK, default="accept", console=self._screen)
            except EOFError:
                return "quit"
            try:
                said = understood(text, self._names)
                if said.verb == "undo" and not self._made:
                    raise InputError("answer 'undo': there is no update to take back")
            except InputError as error:
                self._screen.print(str(error), style="red", markup=False, soft_wrap=True)
                continue
            self._made += {"accept": 1, "motor": 1, "undo": -1}.get(said.verb, 0)
            return text


def suggestion(step: Any) -> Any:
    """What is violated, where in the gait, and the change by parameter."""
    from rich.table import Table
    from rich.text import Text

    title = f"update {step.number} at {step.difficulty:g} m/s: {100 * step.progress:.0f} % of the gait"
    table = Table(title=Text(title), title_justify="left", title_style="bold")
    for column in ("violated", "by", "at", "parameter", "now", "change"):
        table.add_column(column, justify="left" if column in ("violated", "parameter") else "right")
    changes = [(name, step.before[name], change) for name, change in step.suggested.items() if change]
    for k in range(max(len(changes), min(len(step.violations), 8))):
        one = step.violations[k] if k < min(len(step.violations), 8) else None
        left = ("", "", "") if one is None else (one.witness, f"{one.value:+.3f}", f"{100 * one.phase:.0f} %")
        right = ("", "", "")
        if k < len(changes):
            name, now, change = changes[k]
            right = (name, f"{now:.4g}", f"{change:+.3g}")
        table.add_row(*map(Text, (*left, *right)))
    return table


def story(step: Any) -> Any:
    """One line of what happened."""
    from rich.text import Text

    if step.number == 0:
        return Text(f"{step.difficulty:g} m/s: all limits hold, {step.worst:.3f} to spare", "green")
    if step.motors:
        return Text(", ".join(f"{joints}: {motor} fitted" for joints, motor in step.motors.items()), "cyan")
    worst = str(step.violations[0]) if step.violations else f"{step.worst:+.3f} to spare"
    done = f"update {step.number} at {step.difficulty:g} m/s, {100 * step.progress:3.0f} % of the gait: {worst}"
    return Text(done if step.accepted else f"{done}; taken back")
