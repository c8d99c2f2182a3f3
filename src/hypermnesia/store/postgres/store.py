"""The PostgreSQL store: one database, any number of processes and machines."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from hypermnesia.errors import EncoderMismatch, StoreError
from hypermnesia.store.outbox import Queued
from hypermnesia.store.postgres import dense, erasure, maintenance, rebuild
from hypermnesia.store.postgres.accounts import PostgresAccounts
from hypermnesia.store.postgres.address import address_of
from hypermnesia.store.postgres.announcements import Announcements
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.encoders import ADOPTING, adopt, adopted, encoder_number, hold
from hypermnesia.store.postgres.incidence_reads import IncidenceReads
from hypermnesia.store.postgres.lexical import Words
from hypermnesia.store.postgres.outbox import OutboxReads, enqueue
from hypermnesia.store.postgres.reading import Reading
from hypermnesia.store.postgres.replica import Replica, Searching
from hypermnesia.store.postgres.service import PostgresService
from hypermnesia.store.postgres.statistics import Statistics
from hypermnesia.store.postgres.writer import PostgresWriter, count_recall
from hypermnesia.store.propagation import PropagationCache
from hypermnesia.store.protocol import Event, Filter, Ranked, Signals, Stored, Told
from hypermnesia.store.vectors import signals_of, unpacked
from hypermnesia.types import Absence, Health, Matrix, Node, Page

log = logging.getLogger("hypermnesia")

POOL = 10
"""Connections of one process at most, unless a setting says otherwise."""


class PostgresStore(IncidenceReads, OutboxReads):
    """A :class:`~hypermnesia.store.protocol.Store` in one schema of a PostgreSQL database.

    Args:
        url: ``postgresql://user:password@host:port/database?schema=name``.
        identity: the encoder that embeds memories here.
        dimension: length of its vectors.
        wait: seconds to wait for another writer, and for a free connection.
        size: connections at most.
        replica: URL of a standby that searches may read from.

    Raises:
        StoreError: the database cannot be used; the subclass and the message say why.
        InvalidInput: the URL cannot be read.
    """

    def __init__(
        self,
        url: str,
        identity: str,
        dimension: int,
        *,
        wait: float = 10.0,
        size: int = POOL,
        replica: str | None = None,
    ) -> None:
        self._identity = identity
        self._dimension = dimension
        address = address_of(url, connect_timeout=int(wait))
        self._connections = Connections(address, wait, size)
        self._announcements = Announcements(self._connections)
        self._replica = (
            None
            if replica is None
            else Replica(self._connections, self._announcements, replica, size)
        )
        self._searching: Searching = self._replica or self._connections
        self._words = Words(self._searching)
        self._reading = Reading(self._connections)
        self.service = PostgresService(self._connections)
        self.accounts = PostgresAccounts(self._connections)
        self._propagation = PropagationCache(dimension)
        self._statistics = Statistics(self._connections)
        self._encoder: int | None = None

    # --- writing -------------------------------------------------------------------

    @contextmanager
    def write(self) -> Generator[PostgresWriter]:
        """Open the write transaction; see :class:`~..protocol.Store`."""
        if self._encoder is None:
            self.claim_encoder()
        changes: dict[int, int] = {}
        with self._announcements.transaction(changes) as connection:
            hold(connection)
            known = adopted(connection)
            if known != self._identity:
                raise self._mismatch(known)
            self._encoder = self._encoder or encoder_number(connection, self._identity)
            writer = PostgresWriter(connection, self._encoder)
            yield writer
            writer.finish()
            changes.update(writer.changes)
        self._statistics.grown(writer.inserted)

    def claim_encoder(self) -> None:
        """Check, and in a new store record, the encoder; see :class:`~..protocol.Store`."""
        rows = self._connections.fetch(ADOPTING)
        known = rows[0][0] if rows else None
        if known is None:
            with self._connections.transaction() as connection:
                hold(connection, alone=True)
                known = adopted(connection) or self._identity  # unless another was faster
                if known == self._identity:
                    adopt(connection, self._identity, self._dimension)
        if known != self._identity:
            raise self._mismatch(known)

    def _mismatch(self, known: str | None) -> EncoderMismatch:
        return EncoderMismatch(
            f"{self._connections.place} was embedded by {known}, the configured encoder is"
            f" {self._identity}; run `hypermnesia reindex` to re-embed it, or configure the former"
            " encoder. Until then search is lexical only and nothing can be added"
        )

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
        return self._reading.changed(scope)

    def live(self, scope: str, digests: Sequence[bytes]) -> set[bytes]:
        """Those of the content hashes that an active or low-signal memory has."""
        return self._reading.live(scope, digests)

    def told(self, scope: str, texts: Sequence[tuple[bytes, datetime]]) -> set[bytes]:
        """Those of the content hashes that a superseded memory of the same event time has."""
        return self._reading.told(scope, texts)

    def nearest(self, where: Filter, queries: Matrix, limit: int | Sequence[int]) -> list[Ranked]:
        """Cosine ranking, exact among few; empty while the store waits to be re-embedded."""
        clause, values, scope = self._reading.within(where)
        encoder = self._encoder_number()
        if scope is None or encoder is None:
            return [Ranked((), ()) for _ in queries]
        condition, limits = (clause, values), np.broadcast_to(limit, len(queries)).tolist()
        return dense.nearest(
            self._searching, scope, condition, (encoder, self._dimension), queries, limits
        )

    def lexical(self, where: Filter, terms: Sequence[str], limit: int) -> Ranked:
        """BM25 ranking of what passes and holds at least one term."""
        clause, values, scope = self._reading.within(where)
        if scope is None or not terms:
            return Ranked((), ())
        return self._words.rank(scope, where, (clause, values), terms, limit)

    def _encoder_number(self) -> int | None:
        if self._encoder is None:
            query = "SELECT id FROM encoder WHERE identity = %s"
            rows = self._connections.fetch(query, (self._identity,))
            self._encoder = rows[0][0] if rows else None  # never changes once it is there
        return self._encoder

    def signals(self, where: Filter, keys: Sequence[int]) -> Signals:
        """Those of the keys that pass, ready to be scored."""
        return signals_of(self._reading.vectors(where, keys, self._identity), self._dimension)

    def fetch(self, where: Filter, keys: Sequence[int]) -> list[Stored]:
        """Those of the keys that pass."""
        nodes = self._reading.nodes(where, keys)
        vectors = self._reading.vectors(where, list(nodes), self._identity)
        return [
            Stored(key, nodes[key], unpacked(vector or b"", self._dimension), tokens or b"")
            for key, vector, tokens in vectors
        ]

    def nodes(self, where: Filter, keys: Sequence[int]) -> Mapping[int, Node]:
        """Those of the keys that pass, without their vectors."""
        return self._reading.nodes(where, keys)

    def texts(self, where: Filter, keys: Sequence[int]) -> Mapping[int, Told]:
        """What those of the keys that pass say, and since when."""
        return self._reading.texts(where, keys)

    def recall(self, scope: str, ids: Sequence[str]) -> list[Stored]:
        """The memories with these ids that were not forgotten."""
        return self.fetch(Filter(scope, statuses=()), self._reading.keys_of(scope, ids))

    # --- reading -------------------------------------------------------------------

    def get(self, ids: Sequence[str], scope: str | None = None) -> list[Node]:
        """The memories with these ids, in the order asked; unknown ids are left out."""
        return self._reading.by_id(ids, scope)

    def chain(self, memory_id: str) -> list[Node]:
        """Every version linked to this one by supersession, oldest first."""
        return self._reading.chain(memory_id)

    def superseded(self, scope: str, digests: Sequence[bytes]) -> set[bytes]:
        """Those of the content hashes that a superseded memory has."""
        return self._reading.superseded(scope, digests)

    def superseded_heads(self, scope: str, digest: bytes) -> list[str]:
        """Ids of the live memories that end the chains of superseded rows with this hash."""
        return self._reading.superseded_heads(scope, digest)

    def list(self, where: Filter, limit: int, cursor: str | None, *, newest: bool = True) -> Page:
        """One page by event time."""
        return self._reading.page(where, limit, cursor, newest=newest)

    def salient(self, where: Filter, limit: int) -> list[Node]:
        """Those that pass, the most salient first, newer before older."""
        return self._reading.salient(where, limit)

    def iterate(self, where: Filter) -> Iterator[Node]:
        """Everything that passes, oldest row first, a batch in memory at a time."""
        last = 0
        while True:
            following, nodes = self._reading.after_key(where, last, 500)
            yield from nodes
            if following is None:
                return
            last = following

    def counts(self, scope: str | None) -> Mapping[str, Mapping[str, int]]:
        """How many memories per status, and per type and level of the active ones."""
        return self._reading.counts(scope)

    def scopes(self) -> Sequence[str]:
        """Names of all scopes that hold a memory."""
        return self._reading.scopes()

    def events(self, memory_id: str) -> Sequence[Event]:
        """The log of one memory, oldest first."""
        return self._reading.events(memory_id)

    def recent(self, scope: str, limit: int, after: int = 0) -> Sequence[tuple[int, Event]]:
        """The scope's latest events, newest first, each with its number."""
        return self._reading.recent(scope, limit, after)

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
        self._propagation.drop()
        self._announcements.forget()
        return done

    def backup(self, path: Path, progress: Callable[[int, int], None]) -> None:
        """Refuse: a server has its own means for this.

        Raises:
            StoreError: always.
        """
        del progress
        raise StoreError(
            f"a PostgreSQL store is not copied into a file such as {path.name}; use pg_dump with"
            f" --schema={self._connections.address.schema}, or `hypermnesia export`"
        )

    def purge(self, ids: Sequence[str], samples: Sequence[bytes]) -> Sequence[Absence]:
        """Rewrite the tables, then look everywhere for what was erased, but not into files.

        Raises:
            StoreBusy: another process used a table all through the wait.
        """
        del samples  # the server's files cannot be read from here
        return erasure.purge(self._connections, ids)

    def close(self) -> None:
        """Release every connection."""
        if self._replica is not None:
            self._replica.close()
        self._announcements.close()
        self._connections.close()
