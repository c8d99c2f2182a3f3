"""Texts as the rows of a vector store: one a passage that the encoder sees whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hypermnesia.evals.adapters.protocol import Found, Item
from hypermnesia.models.encoder import Embedder
from hypermnesia.types import Vector

PASSAGE = 1_000
"""Characters of a passage at most: about 230 word pieces of English, inside the window of 256."""

BATCH = 128
"""Passages encoded at once, as in this package's own writes: token vectors come with each."""

_PASSAGE = re.compile(rf"\S.{{0,{PASSAGE - 1}}}(?!\S)|\S{{{PASSAGE}}}", re.DOTALL)


class Row(NamedTuple):
    """A passage with its normalised vector, ``(d,)`` float32, and the item that it is of."""

    owner: str
    text: str
    vector: Vector


def rows_of(items: Sequence[Item], embedder: Embedder) -> list[Row]:
    """The rows of items, in order; a passage of unusually many word pieces gives several.

    Raises:
        ModelError: the encoder cannot be used.
    """
    cut = [(item.id, passage) for item in items for passage in passages(item.text)]
    rows: list[Row] = []
    for start in range(0, len(cut), BATCH):
        batch = cut[start : start + BATCH]
        encodings = embedder.encode([passage for _, passage in batch])
        for (owner, passage), encoding in zip(batch, encodings, strict=True):
            rows += [Row(owner, passage, vector) for vector in encoding.dense]
    return rows


def passages(text: str) -> Iterator[str]:
    """Pieces of at most :data:`PASSAGE` characters that end where a word does."""
    for match in _PASSAGE.finditer(text):
        yield match[0]


def first_of_each(found: Iterable[tuple[str, float]], k: int) -> list[Found]:
    """Items by their best row, from rows that come best first."""
    best: dict[str, float] = {}
    for owner, score in found:
        best.setdefault(owner, score)
    return [Found(*pair) for pair in list(best.items())[:k]]


def most_rows(rows: Iterable[Row]) -> int:
    """Rows of the item that has the most: so many times ``k`` rows hold ``k`` items."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.owner] = counts.get(row.owner, 0) + 1
    return max(counts.values(), default=1)
