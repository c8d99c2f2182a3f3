"""Asking one question: what is found, what is answered, and how good both are."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from hypermnesia.config import Settings
from hypermnesia.evals.f1 import token_f1
from hypermnesia.evals.metrics import measured
from hypermnesia.evals.questions import Question
from hypermnesia.evals.systems import System
from hypermnesia.memory import Memory
from hypermnesia.models.chat import LanguageModel, Message
from hypermnesia.types import Hit

DEPTHS = (5, 10, 20, 50)
METRICS = tuple(
    f"{name}@{depth}"
    for name in ("recall", "recall_all", "any_hit", "mrr", "ndcg")
    for depth in DEPTHS
)
"""What is measured of a ranking of turns."""
FACTS = 10
"""Facts that are kept beside the turns, to look at."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one step found out about one question.

    Attributes:
        metrics: values by name.
        detail: what was found or written, as plain JSON. Ids of memories are not in it: they
            differ from one ingest to the next.
        timing: durations in milliseconds by name.
        ranked: ids of turns, best first.
        scores: those of ``ranked``.
    """

    metrics: Mapping[str, float]
    detail: Mapping[str, Any]
    timing: Mapping[str, float] = field(default_factory=dict[str, float])
    ranked: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()


@contextmanager
def opened(store: Path, settings: Settings, system: System) -> Generator[Memory]:
    """The store as a system reads it, while the block runs."""
    with Memory.open(store, settings=settings, **system.settings) as memory:
        yield memory


def retrieve(
    memory: Memory, system: System, question: Question, scope: str, max_tokens: int
) -> Outcome:
    """Rank the turns and pack a context.

    Turns are measured for a question that has evidence and an answer.

    Args:
        memory: opened as the system reads it.
        system: whose it is.
        question: what is asked.
        scope: where the talk is.
        max_tokens: budget of the context.
    """
    where = _where(question, scope)
    started = perf_counter()
    hits = memory.search(question.text, levels=system.levels, k=max(DEPTHS), **where)
    searched = perf_counter()
    context = memory.context(question.text, max_tokens=max_tokens, **where)
    packed = perf_counter()
    facts = memory.search(question.text, levels=("fact",), k=FACTS, **where)
    ranked = turns_behind(hits)
    scored = question.answerable and question.gold
    return Outcome(
        metrics={
            **(measured(tuple(ranked), question.gold, METRICS) if scored else {}),
            "context_tokens": float(context.tokens),
        },
        detail={
            "facts": [{"text": hit.content, "sources": list(hit.sources)} for hit in facts],
            "context": str(context),
        },
        timing={
            "search_ms": 1000 * (searched - started),
            "context_ms": 1000 * (packed - searched),
        },
        ranked=tuple(ranked),
        scores=tuple(ranked.values()),
    )


def _where(question: Question, scope: str) -> dict[str, Any]:
    return {"scope": scope} if question.asked is None else {"scope": scope, "as_of": question.asked}


def turns_behind(hits: Sequence[Hit]) -> dict[str, float]:
    """Ids of the turns behind hits, best first, each with the score of the best hit."""
    found: dict[str, float] = {}
    for hit in hits:
        for source in hit.sources:
            found.setdefault(source, hit.score)
    return dict(list(found.items())[: max(DEPTHS)])


def answer(memory: Memory, question: Question, scope: str, max_tokens: int) -> Outcome:
    """What the memory answers; see :func:`assessed`."""
    started = perf_counter()
    found = memory.answer(question.text, max_tokens=max_tokens, **_where(question, scope))
    took = 1000 * (perf_counter() - started)
    detail = {
        "answer": found.text,
        "known": found.known,
        "kind": found.kind,
        "degraded": found.degraded,
        "sources": list(dict.fromkeys(s for hit in found.hits for s in hit.sources)),
        "read_tokens": found.tokens,
    }
    return Outcome(assessed(question, detail), detail, {"answer_ms": took})


def prove(model: LanguageModel) -> None:
    """Ask a model for a word, so that one which cannot answer is noticed before it is needed.

    Raises:
        ModelError: it does not answer.
    """
    model.complete([Message("user", "Answer with the word yes.")])


def assessed(question: Question, detail: Mapping[str, Any]) -> dict[str, float]:
    """What can be said of an answer without a judge.

    ``extractive_f1`` is the token F1 of what was taken out of the memories, ``f1`` that of a
    language model's answer; both are of questions that have an answer. ``abstained`` says that
    a question without one was left unanswered, ``answered`` that one with an answer was not;
    ``degraded`` that a model which was to answer or to help failed.
    """
    known, degraded = bool(detail["known"]), float(detail["degraded"])
    if not question.answerable:
        return {"abstained": float(not known), "degraded": degraded}
    scores = {"answered": float(known), "degraded": degraded}
    if question.answer:
        name = "f1" if detail["kind"] == "model" else "extractive_f1"
        text = detail["answer"] if known else ""
        scores[name] = token_f1(text, question.answer)
    return scores
