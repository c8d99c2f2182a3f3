"""Vectors of memories as the rows of a matrix, with what filters need of each beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hypermnesia.models.product_codes import CodedRows
from hypermnesia.types import Matrix

CODED = 4_096
"""Rows that are coded together: as many as stay in the cache of a core while they are looked at
(measured; half as many are as good, twice as many take half as long again)."""
DEAD = 255
"""Status of a row that was replaced."""
_DEAD_SHARE = 0.25  # compact when more than this part of the rows has been replaced

Codes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of one level of a scope as columns; only the first ``size`` are in use.

    A block is never changed in a way that a search already running on it could see,
    except for rows beyond its ``size``.

    Attributes:
        coded: every whole run of :data:`CODED` rows in 8-bit codes, replaced rows included.
    """

    size: int
    matrix: Matrix  # (capacity, d)
    key: Integers
    status: Codes
    kind: Codes
    valid_from: Integers
    valid_until: Integers
    coded: tuple[CodedRows, ...] = ()

    @classmethod
    def empty(cls, dimension: int, capacity: int = 64) -> Block:
        """No rows, with room for some."""
        codes, integers = np.zeros(capacity, np.uint8), np.zeros(capacity, np.int64)
        return cls(
            0, np.zeros((capacity, dimension), np.float32), integers,
            codes, codes.copy(), integers.copy(), integers.copy(),
        )  # fmt: skip

    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """What has a row for each vector, in the order of the fields."""
        return (
            self.matrix, self.key, self.status, self.kind, self.valid_from, self.valid_until,
        )  # fmt: skip

    def take(self, rows: npt.NDArray[np.intp], capacity: int) -> Block:
        """A copy of these rows with room for ``capacity``."""
        fresh = Block.empty(self.matrix.shape[1], capacity)
        for target, source in zip(fresh.columns(), self.columns(), strict=True):
            target[: len(rows)] = source[rows]
        return replace(fresh, size=len(rows), coded=_coded((), fresh.matrix, len(rows)))

    def without(self, keys: set[int]) -> Block:
        """The block with these memories' rows dead, compacted when many are."""
        if not keys or not self.size:
            return self
        dead = np.isin(self.key[: self.size], list(keys))
        if not dead.any():
            return self
        status = self.status.copy()
        status[: self.size][dead] = DEAD
        block = replace(self, status=status)
        alive = np.flatnonzero(status[: self.size] != DEAD)
        if len(alive) < (1 - _DEAD_SHARE) * self.size:
            return block.take(alive, max(64, len(alive) * 2))
        return block

    def extended(self, matrix: Matrix, columns: Sequence[npt.NDArray[Any]]) -> Block:
        """The block with rows appended."""
        end = self.size + len(matrix)
        block = self
        if end > len(self.key):
            block = self._grown(max(end, 2 * len(self.key)))
        for target, source in zip(block.columns(), (matrix, *columns), strict=True):
            target[self.size : end] = source
        return replace(block, size=end, coded=_coded(self.coded, block.matrix, end))

    def _grown(self, capacity: int) -> Block:
        """A copy with room for ``capacity``."""
        fresh = Block.empty(self.matrix.shape[1], capacity)
        for target, source in zip(fresh.columns(), self.columns(), strict=True):
            target[: self.size] = source[: self.size]
        return replace(fresh, size=self.size, coded=self.coded)


def _coded(known: tuple[CodedRows, ...], matrix: Matrix, size: int) -> tuple[CodedRows, ...]:
    """Codes of every whole run of the first ``size`` rows; those of one never change."""
    starts = range(len(known) * CODED, size - CODED + 1, CODED)
    return (*known, *(CodedRows.of(matrix[start : start + CODED]) for start in starts))
