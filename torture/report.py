"""What was tried, how often, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypermnesia.evals.stored import storable
from torture.soak import WATCHED, Growth

COLUMNS = ("", "rounds", "in the middle of a verb", "verbs acknowledged", "violations")
SHOWN = 20
"""Violations that are kept of each kind of round; one is too many."""


@dataclass(slots=True)
class Tally:
    """Rounds of one fault.

    Attributes:
        fault: what befell the store.
        rounds: by what was under way, how often.
        hit: rounds in which something was under way, and not just before or after.
        acknowledged: verbs that returned before, all of which had to be found.
        found: violations, all of them.
        violations: the first of them in words.
        notes: what a reader should know, such as what this machine did not permit.
    """

    fault: str
    rounds: dict[str, int] = field(default_factory=dict[str, int])
    hit: int = 0
    acknowledged: int = 0
    found: int = 0
    violations: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])

    def add(self, verb: str, acknowledged: int, wrong: Sequence[str], hit: bool = True) -> None:
        """Count a round."""
        self.rounds[verb] = self.rounds.get(verb, 0) + 1
        self.hit += hit
        self.acknowledged += acknowledged
        self.found += len(wrong)
        room = max(0, SHOWN - len(self.violations))
        self.violations += [f"{verb}: {what}" for what in wrong][:room]

    @property
    def total(self) -> int:
        """All rounds."""
        return sum(self.rounds.values())


def table(tallies: Sequence[Tally]) -> dict[str, Any]:
    """What a page shows of many faults."""
    rows = [(t.fault, t.total, t.hit, t.acknowledged, t.found) for t in tallies]
    whole = ("together", *(sum(column) for column in list(zip(*rows, strict=True))[1:]))
    return storable("", COLUMNS, [*rows, whole], ",.0f")


def soaked(growths: Sequence[Growth]) -> dict[str, Any]:
    """What a page shows of a long run."""
    columns = ("", "first half, median", "second half, median", "slope an hour")
    rows = [(_named(g), g.first, g.second, g.slope) for g in growths]
    return storable("", columns, rows, ".1f")


def _named(growth: Growth) -> str:
    unit = WATCHED[growth.name].unit
    return f"{growth.name}, {unit}" if unit else growth.name
