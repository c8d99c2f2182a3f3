"""bm25s: BM25 scores computed in advance, kept in a sparse matrix (extra ``eval``)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypermnesia.evals.adapters.extras import needed
from hypermnesia.evals.adapters.protocol import Found, Item


class Bm25s:
    """As its documentation recommends it: English stop-words, Snowball stems, Lucene's BM25.

    The matrix is built from all texts at once, so that every change builds it anew.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "bm25s"
        os.environ.setdefault("DISABLE_TQDM", "1")  # saving draws a bar on stderr otherwise
        self._package = needed("bm25s", "eval")
        self._stemmer = needed("Stemmer", "eval").Stemmer("english")
        self._texts: dict[str, str] = {}
        self._ids: list[str] = []
        self._index: Any = None

    def add(self, items: Sequence[Item]) -> int:
        """Build the index of old and new texts and save it."""
        self._texts |= {item.id: item.text for item in items}
        self._build()
        return 0

    def search(self, query: str, k: int) -> list[Found]:
        """What shares no word with the query is not found."""
        words = self._tokens([query])
        if self._index is None or not words[0]:
            return []
        places, scores = self._index.retrieve(words, k=min(k, len(self._ids)), show_progress=False)
        ranked = zip(places[0].tolist(), scores[0].tolist(), strict=True)
        return [Found(self._ids[place], score) for place, score in ranked if score > 0]

    def delete(self, ids: Sequence[str]) -> None:
        """Build the index of what is left."""
        for name in ids:
            self._texts.pop(name, None)
        self._build()

    def reset(self) -> None:
        """Drop the texts and the saved index."""
        self._texts.clear()
        self._build()

    def close(self) -> None:
        """Nothing is open."""

    def _build(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._index, self._ids = None, list(self._texts)
        words = self._tokens(list(self._texts.values()))
        if any(words):
            self._index = self._package.BM25()
            self._index.index(words, show_progress=False)
            self._index.save(self._folder, corpus=list(self._texts.values()))

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        return self._package.tokenize(
            texts, stopwords="en", stemmer=self._stemmer, return_ids=False, show_progress=False
        )
