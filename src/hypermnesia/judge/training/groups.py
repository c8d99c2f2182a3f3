"""What belongs together: rows that share a memory, or nearly a text.

A row held out tests nothing if its twin was learnt from. Rows are held out by whole groups.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hypermnesia.types import Matrix

ALIKE = 0.80
"""Cosine from which two texts count as nearly the same, whatever their subject is called."""
FOLDS = 5
_BLOCK = 1024
"""Texts compared with all others at once."""

Labels = npt.NDArray[np.int64]


def groups(
    texts: Sequence[Sequence[str]], keys: Sequence[Hashable | None], vectors: Mapping[str, Matrix]
) -> Labels:
    """A group number for each row, shape ``(n,)``: 0, 1, ...

    Args:
        texts: those of each row.
        keys: what else ties rows together, such as the id of a memory; ``None`` = nothing.
        vectors: L2-normalised vector of each text, shape ``(d,)``.
    """
    names = sorted({text for each in texts for text in each})
    place = {text: index for index, text in enumerate(names)}
    leader = _Leaders(len(names) + len(texts))
    matrix = np.stack([vectors[text] for text in names])
    for first in range(0, len(names), _BLOCK):
        near = matrix[first : first + _BLOCK] @ matrix.T >= ALIKE
        for one, other in np.argwhere(near):
            leader.join(first + int(one), int(other))
    tied: dict[Hashable, int] = {}
    for row, (each, key) in enumerate(zip(texts, keys, strict=True)):
        here = len(names) + row
        for text in each:
            leader.join(here, place[text])
        if key is not None:
            leader.join(here, tied.setdefault(key, here))
    found = [leader.of(len(names) + row) for row in range(len(texts))]
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def folds(labels: Labels, seed: int) -> Labels:
    """One of :data:`FOLDS` numbers for each row, the same within a group, of like sizes."""
    sizes = np.bincount(labels)
    order = np.random.default_rng(seed).permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    full, fold_of = np.zeros(FOLDS, np.int64), np.zeros(len(sizes), np.int64)
    for group in order:
        fold_of[group] = full.argmin()
        full[fold_of[group]] += sizes[group]
    return fold_of[labels]


class _Leaders:
    """Disjoint sets (Tarjan 1975): each element leads to the one that stands for its set."""

    def __init__(self, count: int) -> None:
        self._next = list(range(count))

    def of(self, element: int) -> int:
        """The one that stands for an element's set."""
        while self._next[element] != element:
            self._next[element] = self._next[self._next[element]]
            element = self._next[element]
        return element

    def join(self, one: int, other: int) -> None:
        """Make one set of two."""
        self._next[self.of(one)] = self.of(other)
