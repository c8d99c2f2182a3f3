"""A search text as the channels take it."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

from hypermnesia.engine import Engine
from hypermnesia.errors import ModelError
from hypermnesia.judge.protocol import Passage
from hypermnesia.models.encoder import Encoding
from hypermnesia.models.late import query_tokens
from hypermnesia.store.lexicon import query_terms
from hypermnesia.types import Matrix

log = logging.getLogger("hypermnesia")

LONGEST = 2_000
"""Characters of a query that are heard, half of them from its end: more than any question has, so
that a pasted document costs no more than a long question, which stands before or behind it."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search text as the channels take it.

    Attributes:
        passage: with the vectors a judge reads; none when the encoder failed.
        terms: for the lexical channel.
        degraded: the encoder failed, so only the lexical channel can answer.
    """

    passage: Passage
    terms: tuple[str, ...]
    degraded: bool

    @property
    def vector(self) -> Matrix:
        """The query's direction as one row, ``(1, d)``, or no row."""
        dense = self.passage.dense
        mean = dense.mean(axis=0, keepdims=True) if len(dense) else dense
        return mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)


def understand(engine: Engine, text: str) -> Query:
    """Encode what is heard of a query; when the encoder cannot, the terms alone are left."""
    text = heard(text)
    try:
        encoding, degraded = engine.embedder.encode_query(text), False
    except ModelError as error:
        log.warning("searching by words alone: %s", error)
        empty = np.zeros((0, engine.embedder.dimension), np.float32)
        encoding, degraded = Encoding(empty, np.zeros(0, np.int32), empty), True
    tokens, weights = query_tokens(encoding)
    return Query(Passage(text, encoding.dense, tokens, weights), query_terms(text), degraded)


def heard(text: str) -> str:
    """A text of at most :data:`LONGEST` characters whole, of a longer one the beginning and end."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2 - 1
    return f"{text[:half]}\n{text[-half:]}"
