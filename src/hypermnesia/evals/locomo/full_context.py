"""The baseline that has no memory: a language model reads the whole talk for every question."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from time import perf_counter

from hypermnesia.answer.prompt import ask
from hypermnesia.answer.result import NOT_KNOWN, Asked
from hypermnesia.errors import ModelError
from hypermnesia.evals.asking import Outcome, assessed
from hypermnesia.evals.locomo.data import Turn
from hypermnesia.evals.questions import Question
from hypermnesia.models.chat import LanguageModel
from hypermnesia.models.tokens import count_tokens
from hypermnesia.read.context import Context

log = logging.getLogger("hypermnesia")


def whole(turns: Sequence[Turn]) -> Context:
    """The talk as a context: a numbered line a turn, with the time at which it was said."""
    lines = [f"[{number}] {turn.said}, {turn.text}" for number, turn in enumerate(turns, 1)]
    text = "\n".join(" ".join(line.split()) for line in lines)
    return Context(text, (), count_tokens(text))


def read_whole(context: Context) -> Outcome:
    """What retrieval comes to without retrieving: its cost."""
    return Outcome({"context_tokens": float(context.tokens)}, {"context": "the whole talk"})


def answer_from(context: Context, model: LanguageModel, question: Question) -> Outcome:
    """What a model answers with the prompt that the memory uses, too.

    Without a usable answer the question stays unanswered, and the outcome is marked as degraded.
    """
    started = perf_counter()
    try:
        found = ask(model, Asked(question.text), context, ())
    except ModelError as error:
        log.warning("no answer from the whole talk: %s", error)
        found = None
    detail = {
        "answer": NOT_KNOWN if found is None else found.text,
        "known": found is not None and found.known,
        "kind": "model",
        "degraded": found is None,
        "sources": [],
        "read_tokens": context.tokens,
    }
    took = 1000 * (perf_counter() - started)
    return Outcome(assessed(question, detail), detail, {"answer_ms": took})
