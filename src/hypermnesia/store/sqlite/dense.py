"""Exact cosine search over a float32 matrix per scope and level, kept in step with the rows.

The truth is in the ``vectors`` table; the matrices are a cache that reads what changed
since it last looked, whichever process changed it. Columns that filters need lie
beside the matrix, so that filtering comes before ranking, and 8-bit codes, so that few
cosines are computed. Levels are apart because a search
ranks turns by themselves, and the others without them: neither then looks through all.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import apsw
import numpy as np
import numpy.typing as npt

from hypermnesia.store.columns import micros, visible, wanted_labels
from hypermnesia.store.protocol import Filter, Ranked
from hypermnesia.store.sqlite.dense_best import Scanned, nearest
from hypermnesia.store.sqlite.dense_block import DEAD, Block, Codes, Integers
from hypermnesia.store.vectors import bounded_rows, unpacked, whole
from hypermnesia.types import LEVELS, MEMORY_TYPES, STATUSES, Level, Matrix

CACHED_VECTORS = 1_000_000
"""Vectors kept in memory over all scopes before the least recently used scope is dropped."""

_NEVER = np.iinfo(np.int64).max

_CHANGED_ROWS = """SELECT m.key, m.changed, m.status, m.level, m.memory_type, m.valid_from,
    m.valid_until, v.dense
    FROM memory m LEFT JOIN vectors v ON v.memory = m.key AND v.encoder = ?
    WHERE m.scope = ? AND m.changed > ? ORDER BY m.key"""


_Blocks: TypeAlias = Mapping[Level, Block]
_NO_BLOCKS: _Blocks = MappingProxyType({})


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
        self._blocks: OrderedDict[int, tuple[int, _Blocks]] = OrderedDict()
        self._lock = threading.Lock()

    def search(
        self,
        connection: apsw.Connection,
        scope: int,
        where: Filter,
        queries: Matrix,
        limits: Sequence[int],
    ) -> list[Ranked]:
        """Rank what passes the filter for each query row; scores are cosines."""
        scanned = [
            Scanned(block, self._mask(connection, scope, where, block))
            for level, block in self._current(connection, scope).items()
            if level in (where.levels or LEVELS)
        ]
        return nearest(scanned, queries, limits)

    def vectors(
        self, connection: apsw.Connection, scope: int, level: Level, keys: Sequence[int]
    ) -> tuple[Matrix, Integers]:
        """Vectors of memories of one level, ``(m, d)``, and the place in ``keys`` of their owners.

        Args:
            connection: in a snapshot.
            scope: whose memories they are.
            level: theirs.
            keys: rising.

        Returns:
            The vectors of one memory side by side, in the order of the keys.
        """
        block = self._current(connection, scope).get(level)
        if block is None:
            return np.zeros((0, self._dimension), np.float32), np.zeros(0, np.int64)
        wanted = np.asarray(keys, np.int64)
        rows = np.flatnonzero(
            np.isin(block.key[: block.size], wanted) & (block.status[: block.size] != DEAD)
        )
        owners = np.searchsorted(wanted, block.key[rows])
        order = np.argsort(owners, kind="stable")
        return block.matrix[rows[order]], owners[order]

    def drop(self) -> None:
        """Forget every cached matrix; the next search reads the table again."""
        with self._lock:
            self._blocks.clear()
            self._encoder = None

    def _current(self, connection: apsw.Connection, scope: int) -> _Blocks:
        """The scope's blocks, brought up to the connection's snapshot."""
        with self._lock:
            seen, blocks = self._blocks.pop(scope, (0, _NO_BLOCKS))
            latest = connection.execute(
                "SELECT coalesce(max(changed), 0) FROM memory WHERE scope = ?", (scope,)
            ).get
            if latest > seen:
                rows = connection.execute(
                    _CHANGED_ROWS, (self._encoder_id(connection), scope, seen)
                ).fetchall()
                blocks, seen = self._refreshed(blocks, rows), latest
            self._blocks[scope] = seen, blocks
            self._evict()
            return blocks

    def _refreshed(self, blocks: _Blocks, rows: list[tuple[Any, ...]]) -> _Blocks:
        changed = {row[0] for row in rows}
        fresh = dict[Level, Block]()
        for level, block in blocks.items():
            fresh[level] = block.without(changed)
        for level in LEVELS:
            if sound := [row for row in rows if row[3] == level and self._is_sound(row)]:
                block = fresh.get(level) or Block.empty(self._dimension)
                fresh[level] = self._extended(block, sound)
        return fresh

    def _extended(self, block: Block, sound: list[tuple[Any, ...]]) -> Block:
        chunks = np.asarray([len(row[7]) // (2 * self._dimension) for row in sound])
        matrix = unpacked(b"".join(row[7] for row in sound), self._dimension)
        kept = bounded_rows(matrix)
        columns: list[npt.NDArray[Any]] = [
            np.asarray([row[0] for row in sound], np.int64),
            np.asarray([STATUSES.index(row[2]) for row in sound], np.uint8),
            np.asarray([MEMORY_TYPES.index(row[4]) for row in sound], np.uint8),
            np.asarray([row[5] for row in sound], np.int64),
            np.asarray([_NEVER if row[6] is None else row[6] for row in sound], np.int64),
        ]
        return block.extended(matrix[kept], [column.repeat(chunks)[kept] for column in columns])

    def _is_sound(self, row: tuple[Any, ...]) -> bool:
        """Whether a row can be ranked; ``check`` tells of those that should and cannot."""
        times = isinstance(row[5], int) and isinstance(row[6], int | None)
        return row[2] != "deleted" and times and whole(row[7], self._dimension)

    def _encoder_id(self, connection: apsw.Connection) -> int | None:
        if self._encoder is None:
            self._encoder = connection.execute(
                "SELECT id FROM encoder WHERE identity = ?", (self._identity,)
            ).get
        return self._encoder

    def _evict(self) -> None:
        total = sum(_size(blocks) for _, blocks in self._blocks.values())
        while total > CACHED_VECTORS and len(self._blocks) > 1:
            _, (_, blocks) = self._blocks.popitem(last=False)
            total -= _size(blocks)

    @staticmethod
    def _mask(
        connection: apsw.Connection, scope: int, where: Filter, block: Block
    ) -> npt.NDArray[np.bool_]:
        """Which rows of its level pass: the twin of :func:`rows.condition`, on columns."""
        n = block.size
        mask = _among(block.status[:n], visible(where), STATUSES)
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


def _size(blocks: _Blocks) -> int:
    return sum(block.size for block in blocks.values())
