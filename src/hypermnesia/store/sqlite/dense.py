"""Exact cosine search over a float32 matrix per scope, kept in step with the rows.

The truth is in the ``vectors`` table; the matrix is a cache that reads what changed
since it last looked, whichever process changed it. Columns that filters need lie
beside the matrix, so that filtering comes before ranking.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from hypermnesia.models.product import product, products
from hypermnesia.store.columns import micros, visible, wanted_labels
from hypermnesia.store.protocol import Filter, Ranked
from hypermnesia.store.vectors import bounded_rows, unpacked, whole
from hypermnesia.types import LEVELS, MEMORY_TYPES, STATUSES, Matrix

CACHED_VECTORS = 1_000_000
"""Vectors kept in memory over all scopes before the least recently used scope is dropped."""

GROUP = 32
"""Scores of which only the best is looked at when a bound for the best of all is sought."""

_NEVER = np.iinfo(np.int64).max
_DEAD = 255
_DEAD_SHARE = 0.25  # compact when more than this part of the rows has been replaced

_CHANGED_ROWS = """SELECT m.key, m.changed, m.status, m.level, m.memory_type, m.valid_from,
    m.valid_until, v.dense
    FROM memory m LEFT JOIN vectors v ON v.memory = m.key AND v.encoder = ?
    WHERE m.scope = ? AND m.changed > ? ORDER BY m.key"""

Codes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Block:
    """Rows of one scope as columns; only the first ``size`` are in use.

    A block is never changed in a way that a search already running on it could see,
    except for rows beyond its ``size``.
    """

    size: int
    matrix: Matrix  # (capacity, d)
    key: Integers
    status: Codes
    level: Codes
    kind: Codes
    valid_from: Integers
    valid_until: Integers

    @classmethod
    def empty(cls, dimension: int, capacity: int = 64) -> _Block:
        codes, integers = np.zeros(capacity, np.uint8), np.zeros(capacity, np.int64)
        return cls(
            0, np.zeros((capacity, dimension), np.float32), integers,
            codes, codes.copy(), codes.copy(), integers.copy(), integers.copy(),
        )  # fmt: skip

    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        return (
            self.matrix, self.key, self.status, self.level, self.kind,
            self.valid_from, self.valid_until,
        )  # fmt: skip

    def take(self, rows: npt.NDArray[np.intp], capacity: int) -> _Block:
        """A copy of these rows with room for ``capacity``."""
        fresh = _Block.empty(self.matrix.shape[1], capacity)
        for target, source in zip(fresh.columns(), self.columns(), strict=True):
            target[: len(rows)] = source[rows]
        return replace(fresh, size=len(rows))

    def without(self, keys: set[int]) -> _Block:
        """The block with these memories' rows dead, compacted when many are."""
        if not keys or not self.size:
            return self
        dead = np.isin(self.key[: self.size], list(keys))
        if not dead.any():
            return self
        status = self.status.copy()
        status[: self.size][dead] = _DEAD
        block = replace(self, status=status)
        alive = np.flatnonzero(status[: self.size] != _DEAD)
        if len(alive) < (1 - _DEAD_SHARE) * self.size:
            return block.take(alive, max(64, len(alive) * 2))
        return block

    def extended(self, matrix: Matrix, columns: Sequence[npt.NDArray[Any]]) -> _Block:
        """The block with rows appended."""
        end = self.size + len(matrix)
        block = self
        if end > len(self.key):
            block = self.take(np.arange(self.size), max(end, 2 * len(self.key)))
        for target, source in zip(block.columns(), (matrix, *columns), strict=True):
            target[self.size : end] = source
        return replace(block, size=end)


class DenseIndex:
    """The cached matrices of one store under one encoder.

    Args:
        identity: the encoder whose vectors are searched.
        dimension: length of its vectors.
    """

    def __init__(self, identity: str, dimension: int) -> None:
        self._identity = identity
        self._dimension = dimension
        self._encoder: int | None = None
        self._blocks: OrderedDict[int, tuple[int, _Block]] = OrderedDict()
        self._lock = threading.Lock()

    def search(
        self, connection: apsw.Connection, scope: int, where: Filter, queries: Matrix, limit: int
    ) -> list[Ranked]:
        """Rank what passes the filter for each query row; scores are cosines."""
        block = self._current(connection, scope)
        rows = np.flatnonzero(self._mask(connection, scope, where, block))
        if not len(rows):
            return [Ranked((), ()) for _ in queries]
        matrix = block.matrix[: block.size]
        if len(rows) * 2 < block.size:  # gathering a minority is cheaper than scoring all
            scores = np.ascontiguousarray(_cosines(matrix[rows], queries).T)
        else:
            scores = np.take(_cosines(matrix, queries).T, rows, axis=1)
        keys = block.key[: block.size][rows]
        return [_best(keys, each, limit) for each in scores]

    def drop(self) -> None:
        """Forget every cached matrix; the next search reads the table again."""
        with self._lock:
            self._blocks.clear()
            self._encoder = None

    def _current(self, connection: apsw.Connection, scope: int) -> _Block:
        """The scope's block, brought up to the connection's snapshot."""
        with self._lock:
            seen, block = self._blocks.pop(scope, (0, _Block.empty(self._dimension)))
            latest = connection.execute(
                "SELECT coalesce(max(changed), 0) FROM memory WHERE scope = ?", (scope,)
            ).get
            if latest > seen:
                rows = connection.execute(
                    _CHANGED_ROWS, (self._encoder_id(connection), scope, seen)
                ).fetchall()
                block, seen = self._refreshed(block, rows), latest
            self._blocks[scope] = seen, block
            self._evict()
            return block

    def _refreshed(self, block: _Block, rows: list[tuple[Any, ...]]) -> _Block:
        block = block.without({row[0] for row in rows}) if block.size else block
        sound = [row for row in rows if row[2] != "deleted" and self._is_sound(row)]
        if not sound:
            return block
        chunks = np.asarray([len(row[7]) // (2 * self._dimension) for row in sound])
        matrix = unpacked(b"".join(row[7] for row in sound), self._dimension)
        kept = bounded_rows(matrix)
        columns: list[npt.NDArray[Any]] = [
            np.asarray([row[0] for row in sound], np.int64),
            np.asarray([STATUSES.index(row[2]) for row in sound], np.uint8),
            np.asarray([LEVELS.index(row[3]) for row in sound], np.uint8),
            np.asarray([MEMORY_TYPES.index(row[4]) for row in sound], np.uint8),
            np.asarray([row[5] for row in sound], np.int64),
            np.asarray([_NEVER if row[6] is None else row[6] for row in sound], np.int64),
        ]
        return block.extended(matrix[kept], [column.repeat(chunks)[kept] for column in columns])

    def _is_sound(self, row: tuple[Any, ...]) -> bool:
        """Whether times and vectors can be used; ``check`` tells of those that cannot."""
        times = isinstance(row[5], int) and isinstance(row[6], int | None)
        return times and whole(row[7], self._dimension)

    def _encoder_id(self, connection: apsw.Connection) -> int | None:
        if self._encoder is None:
            self._encoder = connection.execute(
                "SELECT id FROM encoder WHERE identity = ?", (self._identity,)
            ).get
        return self._encoder

    def _evict(self) -> None:
        total = sum(block.size for _, block in self._blocks.values())
        while total > CACHED_VECTORS and len(self._blocks) > 1:
            _, (_, block) = self._blocks.popitem(last=False)
            total -= block.size

    @staticmethod
    def _mask(
        connection: apsw.Connection, scope: int, where: Filter, block: _Block
    ) -> npt.NDArray[np.bool_]:
        """Which rows pass: the twin of :func:`rows.condition`, on columns."""
        n = block.size
        mask = _among(block.status[:n], visible(where), STATUSES)
        if where.levels:
            mask &= _among(block.level[:n], where.levels, LEVELS)
        if where.types:
            mask &= _among(block.kind[:n], where.types, MEMORY_TYPES)
        if where.since is not None:
            mask &= block.valid_from[:n] >= micros(where.since)
        if where.until is not None:
            mask &= block.valid_from[:n] <= micros(where.until)
        if where.as_of is not None:
            instant = micros(where.as_of)
            mask &= (block.valid_from[:n] <= instant) & (block.valid_until[:n] > instant)
        if where.keys is not None:
            mask &= np.isin(block.key[:n], np.asarray(where.keys, np.int64))
        for field, value in wanted_labels(where):
            holders = connection.execute(
                "SELECT memory FROM label WHERE scope = ? AND field = ? AND value = ?",
                (scope, field, value),
            )
            mask &= np.isin(block.key[:n], [row[0] for row in holders])
        return mask


def _among(codes: Codes, allowed: Sequence[str], order: Sequence[str]) -> npt.NDArray[np.bool_]:
    table = np.zeros(256, np.bool_)
    table[[order.index(name) for name in allowed]] = True
    return table[codes]


def _cosines(matrix: Matrix, queries: Matrix) -> Matrix:
    """A search asks with one vector, an ingest with many."""
    return product(matrix, queries) if len(queries) == 1 else products(matrix, queries)


def _reached(scores: npt.NDArray[np.float32], count: int) -> np.float32:
    """A score that ``count`` of them or more reach: those that tie with the last one, too.

    As many groups have a best one that reaches it, so that only these need be put in order.
    """
    groups = len(scores) // GROUP
    if groups >= 2 * count:
        scores = scores[: groups * GROUP].reshape(groups, GROUP).max(axis=1)
    return np.partition(scores, len(scores) - count)[len(scores) - count]


def _best(keys: Integers, scores: npt.NDArray[np.float32], limit: int) -> Ranked:
    """The best ``limit`` memories; a memory of several windows counts by its best one."""
    wide = limit * 4
    while True:
        if wide < len(scores):
            rows = np.flatnonzero(scores >= _reached(scores, wide))
        else:
            rows = np.arange(len(scores))
        rows = rows[np.lexsort((-keys[rows], -scores[rows]))]  # ties: the newest row first
        best = dict[int, float]()
        for key, score in zip(keys[rows].tolist(), scores[rows].tolist(), strict=True):
            best.setdefault(key, score)
        if len(best) >= limit or wide >= len(scores):
            ranked = list(best.items())[:limit]
            return Ranked(tuple(k for k, _ in ranked), tuple(s for _, s in ranked))
        wide *= 4
