"""BM25 computed from FTS5's own postings, column-wise instead of row by row.

FTS5 calls its ranking function once for every matching row. Reading the same postings as
arrays and scoring them together takes about a fifth of that when most of them belong to the
scope that is searched. The lengths and statuses of the memories are kept in step with the rows;
postings are read inside the snapshot of the search, and kept until anything in the store changes.

The formula is FTS5's (sqlite.org/fts5.html, "The bm25() function"): k1 = 1.2, b = 0.75. So are
the statistics when all levels are searched: over the whole store, so that the scores are those of
:mod:`.lexical` to the last bit. When levels are named, the statistics are those of the scope's
memories of these levels, as if they had an index of their own (HyperMem has one a level).
"""

from __future__ import annotations

import math
import re
import shlex
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import apsw
import numpy as np
import numpy.typing as npt

from hypermnesia.store.lexicon import TOKENIZER
from hypermnesia.store.sqlite.rows import fetch_all
from hypermnesia.types import LEVELS, STATUSES, Level

K1 = 1.2
B = 0.75
"""FTS5's constants; it does not let them be set."""

KEPT = 500_000
"""Postings kept at most, of the stems asked for last; 16 bytes each."""
LEAST_SHARE = 1 / 8
"""Part of the store's memories that a scope must hold: postings are read for all scopes."""

_NAME, *_ARGUMENTS = shlex.split(TOKENIZER)
_COLUMNS = 3  # scope, terms, labels

_OPEN = """CREATE VIRTUAL TABLE IF NOT EXISTS temp.lexical_instance
    USING fts5vocab('main', 'lexical', 'instance')"""
# One long text is read ten times faster than as many rows.
_POSTINGS = "SELECT group_concat(doc) FROM temp.lexical_instance WHERE term = ?"
_SCOPE_TERM = re.compile(r"s\d+")
"""What may stand in the column of scope terms, too; to look at the column of each takes a third
longer."""
_CHANGED = """SELECT m.key, m.level, m.status, d.sz
    FROM memory m LEFT JOIN lexical_docsize d ON d.id = m.key
    WHERE m.scope = ? AND m.changed > ?"""

Lengths = npt.NDArray[np.int32]
"""Tokens of memories by level and key, 0 where there is none, shape ``(levels, keys)``."""
Codes = npt.NDArray[np.uint8]
Keys = npt.NDArray[np.int64]
Posted: TypeAlias = tuple[Keys, Keys]
"""Keys of the memories that hold a stem, rising, and how often each does."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """The indexed memories of one scope.

    Attributes:
        seen: number of the latest change that is known.
        lengths: theirs; 0 for other scopes' keys.
        status: places in :data:`~hypermnesia.types.STATUSES`, by key, shape ``(keys,)``.
    """

    seen: int
    lengths: Lengths
    status: Codes


_UNSEEN = _Scope(0, np.zeros((len(LEVELS), 0), np.int32), np.zeros(0, np.uint8))


class Postings:
    """Scores every match of a scope at once; safe to share between threads."""

    def __init__(self) -> None:
        self._scopes: dict[int, _Scope] = {}
        self._change = 0
        self._kept: OrderedDict[str, Posted] = OrderedDict()
        self._lock = threading.Lock()

    def best(
        self,
        connection: apsw.Connection,
        scope: int,
        terms: Sequence[str],
        limit: int,
        levels: Sequence[Level] = (),
        statuses: Sequence[str] = STATUSES,
    ) -> list[tuple[int, float]] | None:
        """Keys and BM25 scores, best first, equal ones by key.

        Args:
            connection: in a snapshot.
            scope: whose memories are ranked.
            terms: any of which matches.
            limit: most that are returned.
            levels: only memories of these levels, as if there were no other.
            statuses: only memories of these are returned; the others count in the statistics.

        Returns:
            ``None`` when FTS5 has to be asked: the scope is a small part of the store, or a
            term is none, or several, in the eyes of FTS5.
        """
        stems = _stems(connection, terms)
        rows, tokens = _totals(connection)
        known = self._current(connection, scope, rows) if stems and rows else None
        if stems is None or known is None:
            return None
        lengths = known.lengths[[LEVELS.index(level) for level in levels or LEVELS]].sum(axis=0)
        if levels:
            rows, tokens = int(np.count_nonzero(lengths)), int(lengths.sum())
            if not rows:
                return []
        scores = np.zeros(len(lengths))
        for posted in self._posted(connection, stems):
            keys, counts = _held(posted, lengths)
            holders = len(keys) if levels else len(posted[0])
            norms = K1 * (1 - B + B * lengths[keys] / (tokens / rows))
            scores[keys] += _weight(rows, holders) * (counts * (K1 + 1) / (counts + norms))
        hidden = np.ones(len(STATUSES), np.bool_)
        hidden[[STATUSES.index(status) for status in statuses]] = False
        scores[hidden[known.status]] = 0
        return _first(scores, limit)

    def drop(self) -> None:
        """Forget everything; the next search reads it again."""
        with self._lock:
            self._scopes.clear()
            self._kept.clear()

    def _current(self, connection: apsw.Connection, scope: int, rows: int) -> _Scope | None:
        """The scope's memories, in step with the rows; ``None`` for a scope too small."""
        with self._lock:
            known = self._scopes.pop(scope, _UNSEEN)
            if not known.seen and _count(connection, scope) < rows * LEAST_SHARE:
                return None
            latest = connection.execute(
                "SELECT coalesce(max(changed), 0) FROM memory WHERE scope = ?", (scope,)
            ).get
            if latest > known.seen:
                changed = fetch_all(connection, _CHANGED, (scope, known.seen))
                known = _updated(known, changed, latest)
            if np.count_nonzero(known.lengths) < rows * LEAST_SHARE:
                return None
            self._scopes[scope] = known
            return known

    def _posted(self, connection: apsw.Connection, stems: Sequence[str]) -> list[Posted]:
        """The postings of each stem.

        They are kept until anything in the store changes: a search that ranks turns by themselves
        and the rest without them asks twice, and names come back in question after question.
        """
        change: int = connection.execute("SELECT value FROM change_sequence").get
        with self._lock:
            if change > self._change:
                self._change = change
                self._kept.clear()
            current = change == self._change
            known = {s: self._kept[s] for s in stems if current and s in self._kept}
        connection.execute(_OPEN)
        posted = {stem: known.get(stem) or _postings(connection, stem) for stem in stems}
        with self._lock:
            if change == self._change:  # no other thread has seen a later one meanwhile
                self._keep(posted)
        return [posted[stem] for stem in stems]

    def _keep(self, posted: Mapping[str, Posted]) -> None:
        for stem, each in posted.items():
            self._kept[stem] = each
            self._kept.move_to_end(stem)
        total = sum(len(keys) for keys, _ in self._kept.values())
        while total > KEPT:
            _, (keys, _) = self._kept.popitem(last=False)
            total -= len(keys)


def _held(posted: Posted, lengths: Lengths) -> Posted:
    """The part of a stem's postings that belongs to memories with a length."""
    keys, counts = posted
    within = keys < len(lengths)  # the newest keys may be another scope's
    within[within] = lengths[keys[within]] > 0
    return keys[within], counts[within]


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


def _postings(connection: apsw.Connection, stem: str) -> Posted:
    spoken = " AND col <> 'scope'" if _SCOPE_TERM.fullmatch(stem) else ""
    text = connection.execute(_POSTINGS + spoken, (stem,)).get
    holders = np.fromstring(text or "", np.int64, sep=",")
    if len(holders) and (np.diff(holders) < 0).any():  # FTS5 gives them in order
        holders.sort()
    first = np.flatnonzero(np.diff(holders, prepend=-1))
    return holders[first], np.diff(first, append=len(holders))


def _updated(known: _Scope, changed: Sequence[tuple[Any, ...]], latest: int) -> _Scope:
    """A copy with the changed memories; those without an entry in the index have no length."""
    keys = np.fromiter((row[0] for row in changed), np.int64, len(changed))
    former = known.lengths.shape[1]
    size = max(former, int(keys.max(initial=-1)) + 1)
    lengths, status = np.zeros((len(LEVELS), size), np.int32), np.zeros(size, np.uint8)
    lengths[:, :former], status[:former] = known.lengths, known.status
    lengths[:, keys] = 0
    indexed = [row for row in changed if row[3] and row[1] in LEVELS and row[2] in STATUSES]
    tokens = varints(b"".join(row[3] for row in indexed)).reshape(len(indexed), _COLUMNS)
    owners = [row[0] for row in indexed]
    lengths[[LEVELS.index(row[1]) for row in indexed], owners] = tokens.sum(axis=1)
    status[owners] = [STATUSES.index(row[2]) for row in indexed]
    return _Scope(latest, lengths, status)


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
