"""What was tried, how often, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

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
        violations: what was wrong.
        notes: what a reader should know, such as what this machine did not permit.
    """

    fault: str
    rounds: dict[str, int] = field(default_factory=dict[str, int])
    hit: int = 0
    acknowledged: int = 0
    violations: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])

    def add(self, verb: str, acknowledged: int, wrong: Sequence[str], hit: bool = True) -> None:
        """Count a round."""
        self.rounds[verb] = self.rounds.get(verb, 0) + 1
        self.hit += hit
        self.acknowledged += acknowledged
        room = max(0, SHOWN - len(self.violations))
        self.violations += [f"{verb}: {what}" for what in wrong][:room]

    @property
    def total(self) -> int:
        """All rounds."""
        return sum(self.rounds.values())
