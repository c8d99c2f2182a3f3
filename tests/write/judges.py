"""A judge whose every answer is written down in the test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hypermnesia.errors import JudgeError
from hypermnesia.judge.protocol import Passage
from hypermnesia.types import MEMORY_TYPES, Analysis, MemoryType


@dataclass
class ScriptedJudge:
    """Answers from tables; what they do not hold is salient, irrelevant and compatible.

    Attributes:
        replaces: probability that the second text replaces the first.
        saliences: salience by text.
        types: memory type by text.
        broken: refuse to answer.
        asked: every pair that supersession was asked about, (existing, incoming).
    """

    name: str = "scripted"
    gate: float = 2.0
    replaces: Mapping[tuple[str, str], float] = field(default_factory=dict[tuple[str, str], float])
    saliences: Mapping[str, float] = field(default_factory=dict[str, float])
    types: Mapping[str, MemoryType] = field(default_factory=dict[str, MemoryType])
    broken: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def analyze(self, memories: Sequence[Passage]) -> list[Analysis]:
        """Type and salience from the tables."""
        self._answer()
        return [
            Analysis(
                memory_type=self.types.get(m.text, "fact"),
                type_probabilities={kind: 1 / len(MEMORY_TYPES) for kind in MEMORY_TYPES},
                durable=0.5,
                salience=self.saliences.get(m.text, 3.0),
            )
            for m in memories
        ]

    def relevance(self, query: Passage, candidates: Sequence[Passage]) -> list[float]:
        """Always one half."""
        self._answer()
        return [0.5 for _ in candidates]

    def supersede(self, existing: Sequence[Passage], incoming: Passage) -> list[float]:
        """Probabilities from the table."""
        self._answer()
        pairs = [(old.text, incoming.text) for old in existing]
        self.asked += pairs
        return [self.replaces.get(pair, 0.0) for pair in pairs]

    def _answer(self) -> None:
        if self.broken:
            raise JudgeError("this judge was told to fail")
