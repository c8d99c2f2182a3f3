"""Encoding training texts and laying out feature matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from hypermnesia.judge.protocol import Passage
from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.types import Matrix


@lru_cache(maxsize=1)
def _encoder() -> OnnxEncoder:
    return OnnxEncoder()


_PASSAGES: dict[str, Passage] = {}


def passages(texts: Iterable[str]) -> list[Passage]:
    """Passages of texts, each encoded once per process."""
    texts = list(texts)
    missing = sorted({t for t in texts if t not in _PASSAGES})
    for text, encoding in zip(missing, _encoder().encode(missing), strict=True):
        _PASSAGES[text] = Passage(
            text, encoding.dense, encoding.tokens, np.ones(len(encoding.tokens), np.float32)
        )
    return [_PASSAGES[t] for t in texts]


def stack(rows: Sequence[Matrix]) -> Matrix:
    """Feature rows as one float32 matrix."""
    return np.stack(rows).astype(np.float32)
