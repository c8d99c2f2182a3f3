"""BM25 computed from FTS5's own postings, column-wise instead of row by row.

FTS5 calls its ranking function once for every matching row. Reading the same postings as
arrays and scoring them together takes about a fifth of that when most of them belong to the
scope that is searched. The postings are read anew by every search, inside its snapshot; only
the lengths of the memories are kept, in step with the rows.

The formula is FTS5's (sqlite.org/fts5.html, "The bm25() function"): k1 = 1.2, b = 0.75. So are
the statistics when all levels are searched: over the whole store, so that the scores are those of
:mod:`.lexical` to the last bit. When levels are named, the statistics are those of the scope's
memories of these levels, as if they had an index of their own (HyperMem has one a level).
"""

from __future__ import annotations

import math
import shlex
import threading
from collections.abc import Sequence
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from hypermnesia.store.lexicon import TOKENIZER
from hypermnesia.store.sqlite.rows import fetch_all
from hypermnesia.types import LEVELS, Level

K1 = 1.2
B = 0.75
"""FTS5's constants; it does not let them be set."""

LEAST_SHARE = 1 / 8
"""Part of the store's memories that a scope must hold: postings are read for all scopes."""

_NAME, *_ARGUMENTS = shlex.split(TOKENIZER)
_COLUMNS = 3  # scope, terms, labels

_OPEN = """CREATE VIRTUAL TABLE IF NOT EXISTS temp.lexical_instance
    USING fts5vocab('main', 'lexical', 'instance')"""
# One long text is read ten times faster than as many rows.
_POSTINGS = "SELECT group_concat(doc) FROM temp.lexical_instance WHERE term = ? AND col <> 'scope'"
_CHANGED_LENGTHS = """SELECT m.key, m.level, d.sz
    FROM memory m LEFT JOIN lexical_docsize d ON d.id = m.key
    WHERE m.scope = ? AND m.changed > ?"""

Lengths = npt.NDArray[np.int32]
"""Tokens of the scope's memories by level and key, 0 elsewhere, shape ``(levels, keys)``."""
Keys = npt.NDArray[np.int64]


class Postings:
    """Scores every match of a scope at once; safe to share between threads."""

    def __init__(self) -> None:
        self._lengths: dict[int, tuple[int, Lengths]] = {}
        self._lock = threading.Lock()

    def best(
        self,
        connection: apsw.Connection,
        scope: int,
        terms: Sequence[str],
        limit: int,
        levels: Sequence[Level] = (),
    ) -> list[tuple[int, float]] | None:
        """Keys and BM25 scores, best first, equal ones by key.

        Args:
            connection: in a snapshot.
            scope: whose memories are ranked.
            terms: any of which matches.
            limit: most that are returned.
            levels: only memories of these levels, as if there were no other.

        Returns:
            ``None`` when FTS5 has to be asked: the scope is a small part of the store, or a
            term is none, or several, in the eyes of FTS5.
        """
        stems = _stems(connection, terms)
        rows, tokens = _totals(connection)
        lengths = self._current(connection, scope, rows) if stems and rows else None
        if stems is None or lengths is None:
            return None
        lengths = lengths[[LEVELS.index(level) for level in levels or LEVELS]].sum(axis=0)
        if levels:
            rows, tokens = int(np.count_nonzero(lengths)), int(lengths.sum())
            if not rows:
                return []
        connection.execute(_OPEN)
        norms = K1 * (1 - B + B * lengths / (tokens / rows))
        scores = np.zeros(len(lengths))
        for stem in stems:
            keys, counts = _postings(connection, stem)
            holders = len(keys)
            known = keys < len(lengths)  # the newest keys may be another scope's
            keys, counts = keys[known], counts[known]
            if levels:
                own = lengths[keys] > 0
                keys, counts = keys[own], counts[own]
                holders = len(keys)
            scores[keys] += _weight(rows, holders) * (counts * (K1 + 1) / (counts + norms[keys]))
        scores[lengths == 0] = 0  # another scope's
        return _first(scores, limit)

    def drop(self) -> None:
        """Forget every length; the next search reads them again."""
        with self._lock:
            self._lengths.clear()

    def _current(self, connection: apsw.Connection, scope: int, rows: int) -> Lengths | None:
        """The scope's lengths, in step with the rows; ``None`` for a scope too small."""
        with self._lock:
            seen, lengths = self._lengths.pop(scope, (0, np.zeros((len(LEVELS), 0), np.int32)))
            if not seen and _count(connection, scope) < rows * LEAST_SHARE:
                return None
            latest = connection.execute(
                "SELECT coalesce(max(changed), 0) FROM memory WHERE scope = ?", (scope,)
            ).get
            if latest > seen:
                changed = fetch_all(connection, _CHANGED_LENGTHS, (scope, seen))
                lengths, seen = _updated(lengths, changed), latest
            if np.count_nonzero(lengths) < rows * LEAST_SHARE:
                return None
            self._lengths[scope] = seen, lengths
            return lengths


def _weight(rows: int, holders: int) -> float:
    """Inverse document frequency of a stem that so many of the rows hold."""
    weight = math.log((rows - holders + 0.5) / (holders + 0.5))
    # A term that half of all memories hold says nothing; FTS5 gives it this much.
    return weight if weight > 0 else 1e-6


def _stems(connection: apsw.Connection, terms: Sequence[str]) -> list[str] | None:
    """What the index holds for each term; ``None`` if one of them is not exactly one token."""
    tokenizer = connection.fts5_tokenizer(_NAME, _ARGUMENTS)
    stems: list[Any] = [
        tokenizer(
            term.encode(),
            apsw.FTS5_TOKENIZE_QUERY,
            None,
            include_offsets=False,
            include_colocated=False,
        )
        for term in terms
    ]
    return [stem[0] for stem in stems] if all(len(stem) == 1 for stem in stems) else None


def _totals(connection: apsw.Connection) -> tuple[int, int]:
    """Rows and tokens of the index: its averages record (sqlite.org/fts5.html, section 9)."""
    record = connection.execute("SELECT block FROM lexical_data WHERE id = 1").get
    values = varints(record or b"").tolist()
    return (int(values[0]), int(sum(values[1:]))) if values else (0, 0)


def _count(connection: apsw.Connection, scope: int) -> int:
    return connection.execute("SELECT count(*) FROM memory WHERE scope = ?", (scope,)).get


def _postings(connection: apsw.Connection, stem: str) -> tuple[Keys, Keys]:
    """Keys of the memories that hold a stem, rising, and how often each does."""
    text = connection.execute(_POSTINGS, (stem,)).get
    return np.unique(np.fromstring(text or "", np.int64, sep=","), return_counts=True)


def _updated(lengths: Lengths, changed: Sequence[tuple[Any, ...]]) -> Lengths:
    """A copy with the changed memories' lengths; those without an entry in the index have 0."""
    keys = np.fromiter((key for key, _, _ in changed), np.int64, len(changed))
    size = max(lengths.shape[1], int(keys.max(initial=-1)) + 1)
    fresh = np.zeros((len(LEVELS), size), np.int32)
    fresh[:, : lengths.shape[1]] = lengths
    fresh[:, keys] = 0
    indexed = [
        (key, LEVELS.index(level), blob) for key, level, blob in changed if blob and level in LEVELS
    ]
    tokens = varints(b"".join(blob for _, _, blob in indexed)).reshape(len(indexed), _COLUMNS)
    rows = [level for _, level, _ in indexed]
    fresh[rows, [key for key, _, _ in indexed]] = tokens.sum(axis=1)
    return fresh


def varints(blob: bytes) -> Keys:
    """SQLite's variable-length integers of at most eight bytes, seven bits each, high ones first.

    Args:
        blob: any number of them side by side.
    """
    data = np.frombuffer(blob, np.uint8).astype(np.int64)
    ends = np.flatnonzero(data < 0x80)  # noqa: PLR2004 - the high bit says that more follows
    if not len(ends):
        return np.zeros(0, np.int64)
    starts = np.concatenate([[0], ends[:-1] + 1])
    last = np.repeat(ends, ends - starts + 1)
    used = data[: len(last)] & 0x7F
    return np.add.reduceat(used << (7 * (last - np.arange(len(last)))), starts)


def _first(scores: npt.NDArray[np.float64], limit: int) -> list[tuple[int, float]]:
    """The best of the positive scores with their places, equal ones by place."""
    places = np.flatnonzero(scores > 0)
    if len(places) > limit:
        floor = np.partition(scores[places], -limit)[-limit]
        places = places[scores[places] >= floor]
    places = places[np.argsort(-scores[places], kind="stable")][:limit]
    return list(zip(places.tolist(), scores[places].tolist(), strict=True))
