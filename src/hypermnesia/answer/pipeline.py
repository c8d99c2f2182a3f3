"""The answering pipeline: search -> pack -> ask the language model, or else extract."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from hypermnesia.answer.extract import extract
from hypermnesia.answer.prompt import ask
from hypermnesia.answer.result import Answer, Asked
from hypermnesia.engine import Engine
from hypermnesia.errors import ModelError
from hypermnesia.read.context import Context
from hypermnesia.types import Hit

log = logging.getLogger("hypermnesia")


def answer(engine: Engine, asked: Asked, hits: Sequence[Hit], context: Context) -> Answer:
    """Answer a question.

    Args:
        engine: its language model answers; without one, and when it fails, a sentence is
            extracted.
        asked: the question.
        hits: what a search for it found, the most useful first.
        context: the same, packed.
    """
    degraded = any(hit.explain.degraded for hit in hits)
    if engine.language_model is not None and context:
        try:
            found = ask(engine.language_model, asked, context, hits)
            return replace(found, degraded=degraded)
        except ModelError as error:
            log.warning("extracting an answer without the language model: %s", error)
            degraded = True
    found = extract(engine.embedder, asked, hits)
    return replace(found, degraded=degraded or found.degraded)
