"""Which form construction takes."""

from __future__ import annotations

from hypermnesia.engine import Engine
from hypermnesia.graph.constructor import Constructor
from hypermnesia.graph.llm import LlmConstructor
from hypermnesia.graph.local import LocalConstructor


def constructor_for(engine: Engine) -> Constructor:
    """The language model's form where one is configured, else the local one; for one run."""
    local = LocalConstructor()
    if engine.language_model is None:
        return local
    return LlmConstructor(
        engine.language_model, local, engine.answers, parallel=engine.llm_concurrency
    )
