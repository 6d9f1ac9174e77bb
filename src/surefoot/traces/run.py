"""A finished run: rates, verdicts, and each of its traces once more."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from surefoot import checks
from surefoot.errors import InputError
from surefoot.simulate.trace import Trace
from surefoot.traces.findings import Finding, findings
from surefoot.traces.rates import Rate
from surefoot.traces.result import OUTCOMES, SUCCESS
from surefoot.traces.run_folder import RunFolder
from surefoot.traces.verdict import Verdict


class Run:
    """A finished run: its folder and its scenario.

    Attributes:
        folder: `RunFolder`, to read.
        scenario: as it was given; None if only the folder is at hand.
    """

    def __init__(self, folder: RunFolder, scenario: Any = None) -> None:
        self.folder = folder
        self.scenario = scenario

    @property
    def particles(self) -> pa.Table:
        """One row a trace, by policy and particle."""
        return self.folder.particles()

    def counts(self) -> dict[str, dict[str, int]]:
        """Number of traces of every outcome, by policy."""
        counts: dict[str, dict[str, int]] = {policy: dict.fromkeys(OUTCOMES, 0) for policy in self.folder.policies}
        found = self.folder.particles(["outcome"])
        for policy, outcome in zip(found["policy"].to_pylist(), found["outcome"].to_pylist(), strict=True):
            counts[policy][outcome] += 1
        return counts

    def rates(self) -> dict[str, Rate]:
        """Rate of success of every policy, with its interval; all that is no success counts as failure."""
        looked = self.folder.header.get("stop") is not None
        counts = self.counts()
        return {policy: Rate(each[SUCCESS], sum(each.values()), looked=looked) for policy, each in counts.items()}

    def table(self) -> str:
        """Policies with their rates of success and the numbers of each outcome, as text."""
        rates, counts = self.rates(), self.counts()
        seen = [o for o in OUTCOMES if o != SUCCESS and any(count[o] for count in counts.values())]
        rows = [["policy", "success", *seen]]
        rows += [[p, str(rates[p]), *(str(counts[p][o]) for o in seen)] for p in self.folder.policies]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        return "\n".join(line.rstrip() for line in lines)

    def findings(self) -> list[Finding]:
        """All that the run says, one Finding a policy: verdict, what fails, which parameters decide."""
        return findings(self.folder)

    def verdicts(self) -> dict[str, Verdict]:
        """Every policy in a word, from its rate of success and the behaviours of the traces that succeeded."""
        return {one.policy: one.verdict for one in self.findings()}

    def replay(self, policy: str, particle: int) -> Trace:
        """Run one trace again, with every step: the same bits as in the run."""
        if self.scenario is None:
            raise InputError("replay: expected a run with its scenario, got the folder alone")
        checks.choice("policy", policy, self.folder.policies)
        header = self.folder.header
        return self.scenario.replay(policy, particle, header["seed"], header["method"])
