"""One answer of a judge, in the words in which a judge behind an API is asked and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypermnesia.judge.questions import (
    Block,
    UseCase,
    analyze_block,
    rerank_block,
    supersede_block,
)
from hypermnesia.types import Analysis


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge was asked, and what it answered.

    Attributes:
        texts: whole, as they were judged: a memory; a query and candidates; an existing and an
            incoming memory.
        answers: under the keys of the questions, in the shape of the System One API.
        memories: ids of the memories among the texts, in their order.
        subject: id of the one that was judged; ``None`` for a ranking.
        backend: which judge answered.
    """

    use_case: UseCase
    texts: tuple[str, ...]
    answers: Mapping[str, Any]
    memories: tuple[str, ...]
    subject: str | None
    backend: str

    def block(self, texts: Sequence[str]) -> Block:
        """The question block about these texts, which stand for those that were judged."""
        match self.use_case:
            case "analyze":
                return analyze_block(texts[0])
            case "rerank":
                return rerank_block(texts[0], texts[1:])
            case "supersede":
                return supersede_block(texts[0], texts[1])


def analysis_answers(analysis: Analysis) -> dict[str, Any]:
    """The answers to the questions about one memory."""
    kind = analysis.memory_type
    return {
        "memory_type": {
            "choice": kind,
            "probabilities": dict(analysis.type_probabilities),
            "confidence": analysis.type_probabilities[kind],
        },
        "durable": {"noul": analysis.durable},
        "salience": {"score": analysis.salience},
    }
