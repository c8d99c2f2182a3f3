"""An embedder without a model: words hash to directions, so shared words mean nearness."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from hypermnesia.models.encoder import Encoding
from hypermnesia.types import Matrix, Vector

_WORD = re.compile(r"\w+")


class HashEmbedder:
    """Bag-of-words vectors, the same in every process. It has no token vectors.

    Args:
        dimension: length of a vector.
        name: tells two encoders apart.
        window: words per dense vector; longer texts get several.
    """

    def __init__(self, dimension: int = 32, name: str = "hash", window: int = 200) -> None:
        self.dimension = dimension
        self.identity = f"{name}@{dimension}"
        self._window = window

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """One vector per window of words."""
        return [self._encode(text) for text in texts]

    def encode_queries(self, texts: Sequence[str]) -> list[Encoding]:
        """The same for queries."""
        return [self._encode(text) for text in texts]

    def _encode(self, text: str) -> Encoding:
        words = _WORD.findall(text.casefold()) or [text]
        starts = range(0, len(words), self._window)
        return Encoding(
            dense=np.stack([self._vector(words[i : i + self._window]) for i in starts]),
            pieces=np.zeros(0, np.int32),
            tokens=np.zeros((0, self.dimension), np.float32),
        )

    def _vector(self, words: Sequence[str]) -> Vector:
        total: Matrix = np.sum([_direction(word, self.dimension) for word in words], axis=0)
        return total / max(float(np.linalg.norm(total)), 1e-12)


@cache
def _direction(word: str, dimension: int) -> Vector:
    digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
    seed = np.frombuffer(digest, np.uint32)
    return np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
