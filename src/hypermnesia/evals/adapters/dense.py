"""Exact cosine over the vectors of the bundled encoder: what meaning alone finds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hypermnesia.evals.adapters.passages import first_of_each, rows_of
from hypermnesia.evals.adapters.protocol import Found, Item
from hypermnesia.models.encoder import Embedder
from hypermnesia.types import Matrix


class Dense:
    """One matrix ``(rows, d)`` in memory and in one file; every search looks at all of it."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._folder = folder
        self._embedder = embedder
        self._owners: list[str] = []
        self._vectors: Matrix = np.zeros((0, embedder.dimension), np.float32)

    def add(self, items: Sequence[Item]) -> int:
        """Encode, append, save."""
        rows = rows_of(items, self._embedder)
        self._owners += [row.owner for row in rows]
        self._vectors = np.concatenate([self._vectors, *(row.vector[None] for row in rows)])
        self._save()
        return 0

    def search(self, query: str, k: int) -> list[Found]:
        """By the best row of each item."""
        scores = self._vectors @ self._embedder.encode_queries([query])[0].dense[0]
        order = np.argsort(-scores, kind="stable")
        return first_of_each(((self._owners[i], float(scores[i])) for i in order), k)

    def delete(self, ids: Sequence[str]) -> None:
        """Keep the other rows."""
        gone = set(ids)
        kept = [i for i, owner in enumerate(self._owners) if owner not in gone]
        self._owners = [self._owners[i] for i in kept]
        self._vectors = self._vectors[kept]
        self._save()

    def reset(self) -> None:
        """Keep no row."""
        self.delete(self._owners)

    def close(self) -> None:
        """Nothing is open."""

    def _save(self) -> None:
        np.save(self._folder / "vectors.npy", self._vectors)
        (self._folder / "owners.json").write_text(json.dumps(self._owners), "utf-8")
