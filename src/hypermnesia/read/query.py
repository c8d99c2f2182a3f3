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


def understand(engine: Engine, *texts: str) -> list[Query]:
    """Encode what is heard of queries, at once; when the encoder cannot, terms alone are left."""
    said = [heard(text) for text in texts]
    different = list(dict.fromkeys(said))
    try:
        encodings, degraded = engine.embedder.encode_queries(different), False
    except ModelError as error:
        log.warning("searching by words alone: %s", error)
        empty = np.zeros((0, engine.embedder.dimension), np.float32)
        encodings = [Encoding(empty, np.zeros(0, np.int32), empty)] * len(different)
        degraded = True
    found = {
        text: Query(passage_of(text, encoding), query_terms(text), degraded)
        for text, encoding in zip(different, encodings, strict=True)
    }
    return [found[text] for text in said]


def passage_of(text: str, encoding: Encoding) -> Passage:
    """A query as a judge reads it."""
    return Passage(text, encoding.dense, *query_tokens(encoding))


def heard(text: str) -> str:
    """A text of at most :data:`LONGEST` characters whole, of a longer one the beginning and end."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2 - 1
    return f"{text[:half]}\n{text[-half:]}"
