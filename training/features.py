"""Encoding training texts as the judge meets them: memories packed, queries weighted."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from hypermnesia.judge.protocol import Passage
from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.models.late import compress, expand, query_tokens


@lru_cache(maxsize=1)
def _encoder() -> OnnxEncoder:
    return OnnxEncoder()


_PASSAGES: dict[str, Passage] = {}


def passages(texts: Iterable[str]) -> list[Passage]:
    """Passages of memories, each encoded once per process."""
    texts = list(texts)
    missing = sorted({t for t in texts if t not in _PASSAGES})
    for text, encoding in zip(missing, _encoder().encode(missing), strict=True):
        tokens = expand(compress(encoding.pieces, encoding.tokens))
        _PASSAGES[text] = Passage(
            text, encoding.dense, tokens.copy(), np.ones(len(tokens), np.float32)
        )
    return [_PASSAGES[t] for t in texts]


@lru_cache(maxsize=8192)
def query(text: str) -> Passage:
    """Passage of one query."""
    encoding = _encoder().encode_queries([text])[0]
    tokens, weights = query_tokens(encoding)
    return Passage(text, encoding.dense, tokens, weights)
