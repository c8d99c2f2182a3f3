"""Listening to the judges of one write or search, for scopes that agreed to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hypermnesia.corpus.judgement import Judgement, analysis_answers
from hypermnesia.corpus.row import row_of
from hypermnesia.engine import Engine
from hypermnesia.judge.protocol import Judged, Passage
from hypermnesia.judge.questions import UseCase
from hypermnesia.store.outbox import Queued
from hypermnesia.types import Analysis, Node

FEWEST_CANDIDATES = 3
"""Candidates from which a ranking is worth a row (DGUI-HyperMem, corpus)."""


class Recording:
    """Judgements made for one scope, to be queued together with what they led to.

    Args:
        engine: whose judges are asked.
        scope: whose memories are judged.

    Attributes:
        engine: the same, with judges that are listened to; the one given, without consent.
    """

    def __init__(self, engine: Engine, scope: str) -> None:
        self._scope = scope
        self._chain = engine.judge
        self._store = engine.store
        self._heard: dict[tuple[str, ...], Judgement] = {}
        agreed = engine.store.consents(scope)
        self.engine = replace(engine, judge=engine.judge.heard_by(self)) if agreed else engine

    def rows(self, nodes: Iterable[Node] = ()) -> list[Queued]:
        """Everything heard, redacted; of what was asked again, the last answer.

        Args:
            nodes: the memories that were judged, where they are at hand.
        """
        if not self._heard:
            return []
        salt, known = self._store.corpus_salt(), {node.id: node for node in nodes}
        return [
            row_of(
                judgement,
                self._scope,
                model=self._chain.model(judgement.backend),
                salt=salt,
                about=known.get(judgement.subject or ""),
            )
            for judgement in self._heard.values()
        ]

    def analyzed(self, memories: Sequence[Passage], answer: Judged[list[Analysis]]) -> None:
        """Keep what was said of memories."""
        if answer.value is None:
            return
        for memory, analysis in zip(memories, answer.value, strict=True):
            self._keep("analyze", (memory,), analysis_answers(analysis), answer.backend)

    def ranked(
        self, query: Passage, candidates: Sequence[Passage], answer: Judged[list[float]]
    ) -> None:
        """Keep a ranking."""
        if answer.value is None or len(candidates) < FEWEST_CANDIDATES:
            return
        answers = {f"c{i}": {"noul": value} for i, value in enumerate(answer.value)}
        self._keep("rerank", (query, *candidates), answers, answer.backend)

    def compared(
        self, existing: Sequence[Passage], incoming: Passage, answer: Judged[list[float]]
    ) -> None:
        """Keep comparisons."""
        if answer.value is None:
            return
        for memory, value in zip(existing, answer.value, strict=True):
            answers = {"supersede": {"noul": value}}
            self._keep("supersede", (memory, incoming), answers, answer.backend)

    def _keep(
        self,
        use_case: UseCase,
        passages: Sequence[Passage],
        answers: Mapping[str, Any],
        backend: str,
    ) -> None:
        stored = passages[1:] if use_case == "rerank" else passages
        memories = tuple(passage.memory for passage in stored if passage.memory is not None)
        if len(memories) < len(stored):
            return  # what cannot be traced to its memories could not be forgotten with them
        self._heard[use_case, *memories] = Judgement(
            use_case=use_case,
            texts=tuple(passage.text for passage in passages),
            answers=answers,
            memories=memories,
            subject=None if use_case == "rerank" else memories[-1],
            backend=backend,
        )
