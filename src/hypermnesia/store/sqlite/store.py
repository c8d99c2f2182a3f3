"""The SQLite store: one file, any number of processes.

A little longer than most modules: it states every verb of a store, and hands most of them over.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from hypermnesia.errors import EncoderMismatch, StoreError
from hypermnesia.store.columns import NODE_COLUMNS, TOLD_COLUMNS, Parameters, told_of
from hypermnesia.store.outbox import Queued
from hypermnesia.store.propagation import PropagationCache
from hypermnesia.store.protocol import Event, Filter, Ranked, Signals, Stored, Told
from hypermnesia.store.sqlite import erasure, maintenance, reading, rebuild
from hypermnesia.store.sqlite.accounts import SqliteAccounts
from hypermnesia.store.sqlite.connection import Connections
from hypermnesia.store.sqlite.dense import DenseIndex
from hypermnesia.store.sqlite.incidence_reads import IncidenceReads
from hypermnesia.store.sqlite.lexical import rank
from hypermnesia.store.sqlite.outbox import OutboxReads, enqueue
from hypermnesia.store.sqlite.postings import Postings
from hypermnesia.store.sqlite.rows import NODE_TABLES, condition
from hypermnesia.store.sqlite.service import SqliteService
from hypermnesia.store.sqlite.talk import TalkIndex
from hypermnesia.store.sqlite.writer import SqliteWriter, count_recall, latest_change
from hypermnesia.store.vectors import signals_of, stored_of
from hypermnesia.types import Absence, Health, Matrix, Node, Page

log = logging.getLogger("hypermnesia")

SCRUB_WAIT_MS = 1000
"""How long emptying the write-ahead log waits for readers, in milliseconds; they take a few."""

_SELECT = f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES}"
_SELECT_TEXTS = f"SELECT {TOLD_COLUMNS} FROM {NODE_TABLES}"
_SELECT_VECTORS = (
    f"SELECT {NODE_COLUMNS}, v.dense, v.tokens FROM {NODE_TABLES}"
    " LEFT JOIN vectors v ON v.memory = m.key AND v.encoder ="
    " (SELECT id FROM encoder WHERE identity = ?)"
)


class SqliteStore(IncidenceReads, OutboxReads):
    """A :class:`~hypermnesia.store.protocol.Store` in one SQLite file.

    Args:
        path: the file; created when missing.
        identity: the encoder that embeds memories here.
        dimension: length of its vectors.
        wait: seconds to wait for another writer.

    Raises:
        StoreError: the file cannot be opened; the subclass and the message say why.
    """

    def __init__(self, path: Path, identity: str, dimension: int, *, wait: float = 10.0) -> None:
        self.path = path
        self._identity = identity
        self._dimension = dimension
        self._connections = Connections(path, wait)
        self.service = SqliteService(self._connections)
        self.accounts = SqliteAccounts(self._connections)
        self._dense = DenseIndex(identity, dimension)
        self._propagation = PropagationCache(dimension)
        self._postings = Postings()
        self._talk = TalkIndex(identity)
        self._residue = False

    # --- writing -------------------------------------------------------------------

    @contextmanager
    def write(self) -> Generator[SqliteWriter]:
        """Open the write transaction; see :class:`~..protocol.Store`."""
        with self._connections.transaction() as connection:
            writer = SqliteWriter(connection, self._claim(connection))
            yield writer
        if writer.erased or self._residue:
            self._scrub()

    def claim_encoder(self) -> None:
        """Check, and in a new store record, the encoder; see :class:`~..protocol.Store`."""
        with self._connections.snapshot() as connection:
            known = _setting(connection, "encoder")
        if known is None:
            with self._connections.transaction() as connection:
                self._claim(connection)
        elif known != self._identity:
            raise self._mismatch(known)

    def _claim(self, connection: apsw.Connection) -> int:
        known = _setting(connection, "encoder")
        if known is not None and known != self._identity:
            raise self._mismatch(known)
        return maintenance.adopt_encoder(connection, self._identity, self._dimension)

    def _mismatch(self, known: str) -> EncoderMismatch:
        return EncoderMismatch(
            f"{self.path} was embedded by {known}, the configured encoder is {self._identity};"
            " run `hypermnesia reindex` to re-embed it, or configure the former encoder."
            " Until then search is lexical only and nothing can be added"
        )

    def _scrub(self) -> None:
        """Empty the write-ahead log, so that erased text is not left in it.

        What was erased is committed by now, so nothing that happens here may say otherwise.
        """
        try:
            with self._connections.exclusive() as connection:
                wait: int = connection.execute("PRAGMA busy_timeout").get
                connection.set_busy_timeout(SCRUB_WAIT_MS)
                try:
                    blocked = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
                finally:
                    connection.set_busy_timeout(wait)
        except StoreError as error:  # another thread writes, or the disk is full or fails
            log.info("the write-ahead log could not be emptied: %s", error)
            blocked = True
        self._residue = bool(blocked)
        if blocked:
            log.info("erased text is still in the write-ahead log; the next write tries again")

    def touch(
        self,
        scope: str,
        keys: Sequence[int],
        detail: Mapping[str, Any],
        rows: Sequence[Queued] = (),
    ) -> None:
        """Count a recall and log the search; a store that cannot take it now still answers."""
        if self._connections.read_only:
            return
        try:
            with self._connections.counting() as connection:
                count_recall(connection, scope, keys, detail)
                enqueue(connection, rows)
        except StoreError as error:  # busy, read-only or full: no reason to fail the search
            log.info("recall not counted: %s", error)

    # --- ranking -------------------------------------------------------------------

    def changed(self, scope: str) -> int:
        """Change number of the scope's latest modification, 0 when it has none."""
        with self._connections.snapshot() as connection:
            return latest_change(connection, scope)

    def live(self, scope: str, digests: Sequence[bytes]) -> set[bytes]:
        """Those of the content hashes that an active or low-signal memory has."""
        with self._connections.snapshot() as connection:
            return reading.live(connection, scope, digests)

    def told(self, scope: str, texts: Sequence[tuple[bytes, datetime]]) -> set[bytes]:
        """Those of the content hashes that a superseded memory of the same event time has."""
        with self._connections.snapshot() as connection:
            return reading.told(connection, scope, texts)

    def nearest(self, where: Filter, queries: Matrix, limit: int | Sequence[int]) -> list[Ranked]:
        """Exact cosine ranking; empty while the store waits to be re-embedded."""
        with self._connections.snapshot() as connection:
            scope = reading.scope_of(connection, where)
            if scope is None:
                return [Ranked((), ()) for _ in queries]
            limits = np.broadcast_to(limit, len(queries)).tolist()
            return self._dense.search(connection, scope, where, queries, limits)

    def lexical(self, where: Filter, terms: Sequence[str], limit: int) -> Ranked:
        """BM25 ranking of what passes and holds at least one term."""
        with self._connections.snapshot() as connection:
            scope = reading.scope_of(connection, where)
            if scope is None or not terms:
                return Ranked((), ())
            return rank(connection, self._postings, scope, where, terms, limit)

    def signals(self, where: Filter, keys: Sequence[int]) -> Signals:
        """Those of the keys that pass, ready to be scored."""
        with self._connections.snapshot() as connection:
            scope = reading.scope_of(connection, where)
            if where.scope is not None and scope is None:
                return signals_of([], self._dimension)
            if scope is not None and where == Filter(where.scope, levels=("turn",)):
                held = self._held(connection, scope, sorted(set(keys)))
                if held is not None:
                    return held
            rows = reading.vectors(connection, where, keys, self._identity)
        return signals_of(rows, self._dimension)

    def _held(self, connection: apsw.Connection, scope: int, keys: Sequence[int]) -> Signals | None:
        """Signals of turns from memory; ``None`` when the rows have to be asked."""
        tokens = self._talk.tokens(connection, scope, keys)
        if tokens is None:
            return None
        dense, owners = self._dense.vectors(connection, scope, "turn", keys)
        return Signals(tuple(keys), dense, owners, tuple(tokens))

    def fetch(self, where: Filter, keys: Sequence[int]) -> list[Stored]:
        """Those of the keys that pass; a corrupt row is logged and left out."""
        with self._connections.snapshot() as connection:
            within, values = _among(connection, where, keys)
            rows = reading.sound_nodes(
                connection, _SELECT_VECTORS, within, values, before=(self._identity,)
            )
            return stored_of(rows, self._dimension)

    def recall(self, scope: str, ids: Sequence[str]) -> list[Stored]:
        """The memories with these ids that were not forgotten."""
        with self._connections.snapshot() as connection:
            rows = reading.sound_nodes(
                connection,
                _SELECT_VECTORS,
                f"m.id IN ({reading.marks(ids)}) AND {reading.WITHIN} AND m.status <> 'deleted'",
                (*ids, scope),
                before=(self._identity,),
            )
            return stored_of(rows, self._dimension)

    def nodes(self, where: Filter, keys: Sequence[int]) -> Mapping[int, Node]:
        """Those of the keys that pass, without their vectors; a corrupt row is left out."""
        with self._connections.snapshot() as connection:
            within, values = _among(connection, where, keys)
            rows = reading.sound_nodes(connection, _SELECT, within, values)
            return {row[0]: node for node, row in rows}

    def texts(self, where: Filter, keys: Sequence[int]) -> Mapping[int, Told]:
        """What those of the keys that pass say, and since when; a corrupt row is left out."""
        with self._connections.snapshot() as connection:
            within, values = _among(connection, where, keys)
            rows = reading.readable_rows(connection, _SELECT_TEXTS, within, values)
            return {row[0]: told for row in rows if (told := told_of(row))}

    # --- reading -------------------------------------------------------------------

    def get(self, ids: Sequence[str], scope: str | None = None) -> list[Node]:
        """The memories with these ids, in the order asked; unknown ids are left out."""
        with self._connections.snapshot() as connection:
            return reading.by_id(connection, ids, scope)

    def chain(self, memory_id: str) -> list[Node]:
        """Every version linked to this one by supersession, oldest first."""
        with self._connections.snapshot() as connection:
            return reading.chain(connection, memory_id)

    def superseded(self, scope: str, digests: Sequence[bytes]) -> set[bytes]:
        """Those of the content hashes that a superseded memory has."""
        with self._connections.snapshot() as connection:
            return reading.superseded(connection, scope, digests)

    def superseded_heads(self, scope: str, digest: bytes) -> list[str]:
        """Ids of the live memories that end the chains of superseded rows with this hash."""
        with self._connections.snapshot() as connection:
            return reading.superseded_heads(connection, scope, digest)

    def list(self, where: Filter, limit: int, cursor: str | None, *, newest: bool = True) -> Page:
        """One page by event time."""
        with self._connections.snapshot() as connection:
            return reading.page(connection, where, limit, cursor, newest=newest)

    def salient(self, where: Filter, limit: int) -> list[Node]:
        """Those that pass, the most salient first, newer before older."""
        with self._connections.snapshot() as connection:
            return reading.salient(connection, where, limit)

    def iterate(self, where: Filter) -> Iterator[Node]:
        """Everything that passes, oldest row first, a batch in memory at a time."""
        last = 0
        while True:
            with self._connections.snapshot() as connection:
                following, nodes = reading.after_key(connection, where, last, 500)
            yield from nodes
            if following is None:
                return
            last = following

    def counts(self, scope: str | None) -> Mapping[str, Mapping[str, int]]:
        """How many memories per status, and per type and level of the active ones."""
        with self._connections.snapshot() as connection:
            return reading.counts(connection, scope)

    def scopes(self) -> Sequence[str]:
        """Names of all scopes that hold a memory."""
        with self._connections.snapshot() as connection:
            return reading.scopes(connection)

    def events(self, memory_id: str) -> Sequence[Event]:
        """The log of one memory, oldest first."""
        with self._connections.snapshot() as connection:
            return reading.events(connection, memory_id)

    def recent(self, scope: str, limit: int, after: int = 0) -> Sequence[tuple[int, Event]]:
        """The scope's latest events with their numbers, newest first."""
        with self._connections.snapshot() as connection:
            return reading.recent(connection, scope, limit, after)

    # --- care ----------------------------------------------------------------------

    def check(self) -> Health:
        """Compare rows and indexes, and prove that a write works."""
        return maintenance.check(self._connections, self._identity)

    def reindex(
        self,
        embed: Callable[[Sequence[str]], list[tuple[Matrix, bytes]]],
        progress: Callable[[int, int], None],
    ) -> int:
        """Rebuild the lexical index and re-embed; see :class:`~..protocol.Store`."""
        done = rebuild.reindex(self._connections, self._identity, self._dimension, embed, progress)
        self._dense.drop()
        self._propagation.drop()
        self._postings.drop()
        self._talk.drop()
        return done

    def backup(self, path: Path, progress: Callable[[int, int], None]) -> None:
        """Copy the store to a new file while others read and write.

        Raises:
            StoreError: the target exists or cannot be written.
        """
        maintenance.backup(self._connections, path, progress)

    def purge(self, ids: Sequence[str], samples: Sequence[bytes]) -> Sequence[Absence]:
        """Rewrite the file, then look everywhere for what was erased.

        Raises:
            StoreBusy: another process used the store all through the wait.
        """
        found = erasure.purge(self._connections, ids, samples)
        self._residue = False
        return found

    def close(self) -> None:
        """Release every connection."""
        self._connections.close()


def _setting(connection: apsw.Connection, name: str) -> str | None:
    return connection.execute("SELECT value FROM setting WHERE name = ?", (name,)).get


def _among(
    connection: apsw.Connection, where: Filter, keys: Sequence[int]
) -> tuple[str, Parameters]:
    """The condition that a row has one of the keys and passes, and its parameters."""
    scope = reading.scope_of(connection, where)
    if scope is None or not keys:
        return "false", ()
    clause, values = condition(where, scope, keyed=True)
    return f"m.key IN ({reading.marks(keys)}) AND {clause}", (*keys, *values)
