"""What a store must do, in the terms of the two pipelines.

A *key* is the store's own integer for a memory: small, stable, never shown to a user.
Every read takes a :class:`Filter`, and the scope in it is checked by the storage query.

A little longer than most modules: it states every verb of a store, with what each promises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from hypermnesia.store.accounts import AccountStore
from hypermnesia.store.incidence import IncidenceReader, IncidenceWriter
from hypermnesia.store.outbox import OutboxReader, OutboxWriter, Queued
from hypermnesia.store.service import ServiceStore
from hypermnesia.types import Absence, Health, Level, Matrix, MemoryType, Node, Page, Status

EventKind: TypeAlias = Literal[
    "add", "update", "supersede", "restore", "forget", "search", "import"
]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a read may see. Empty tuples and ``None`` do not restrict.

    Attributes:
        scope: the isolation boundary; ``None`` spans all scopes and is for the
            store's owner alone (export, statistics).
        tags: the memory carries all of these.
        metadata: the memory's metadata equals each of these values.
        since: event time not before this instant.
        until: event time not after this instant.
        as_of: the memory held at this instant; superseded memories are seen as they were.
        keys: the memory is one of these; unlike the others, an empty tuple lets nothing through.
    """

    scope: str | None
    levels: tuple[Level, ...] = ()
    types: tuple[MemoryType, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: tuple[tuple[str, str | int | float | bool | None], ...] = ()
    statuses: tuple[Status, ...] = ("active",)
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    keys: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """One channel's answer: keys best first, and a raw score for each."""

    keys: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Signals:
    """What ranking needs of ``n`` memories, without their texts.

    Attributes:
        keys: ``n`` of them.
        dense: all their vectors under the current encoder, shape ``(m, d)``.
        owners: position in ``keys`` of each vector's memory, shape ``(m,)``; a memory that
            waits to be re-embedded, or whose vectors are damaged, owns none.
        tokens: compressed token vectors of each memory, or empty.
    """

    keys: tuple[int, ...]
    dense: Matrix
    owners: npt.NDArray[np.int64]
    tokens: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """A stored memory as far as most are looked at.

    Attributes:
        at: event time, in microseconds since 1970.
    """

    id: str
    content: str
    at: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory as the pipelines read it back.

    Attributes:
        dense: its vectors under the current encoder, shape ``(chunks, d)``; no rows
            when it still waits to be re-embedded.
        tokens: compressed token vectors; empty when there are none.
    """

    key: int
    node: Node
    dense: Matrix
    tokens: bytes


@dataclass(frozen=True, slots=True)
class Record:
    """A memory about to be written, with everything derived from its text."""

    node: Node
    hash: bytes
    dense: Matrix
    tokens: bytes


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the store's log. ``detail`` never holds a memory's text once forgotten."""

    at: datetime
    kind: EventKind
    scope: str
    memory: str | None
    detail: Mapping[str, Any]


class Writer(IncidenceWriter, OutboxWriter, Protocol):
    """The verbs of one write transaction: all of them happen, or none.

    A verb that reads or writes something of a scope keeps other transactions from writing in that
    scope until this one ends.
    """

    def changed(self, scope: str) -> int:
        """Change number of the scope's latest modification, 0 when it has none."""
        ...

    def live(self, scope: str, digest: bytes) -> Node | None:
        """The active or low-signal memory with this content hash."""
        ...

    def told(self, scope: str, digest: bytes, at: datetime) -> Node | None:
        """The superseded memory with this content hash and event time."""
        ...

    def knows(self, memory_id: str) -> bool:
        """Whether a memory has, or had before it was forgotten, this id."""
        ...

    def get(self, memory_id: str) -> Node:
        """The memory as it stands inside this transaction.

        Raises:
            NotFound: no memory has this id.
        """
        ...

    def insert(self, record: Record) -> None:
        """Store a new memory: row, lexical index, dense and token vectors."""
        ...

    def rewrite(self, record: Record) -> None:
        """Replace an existing memory's text and everything derived from it."""
        ...

    def amend(self, node: Node) -> None:
        """Replace an existing memory's fields; its text and vectors stay."""
        ...

    def erase(self, ids: Sequence[str]) -> None:
        """Remove text, indexes, vectors, counters, logged details and queued corpus rows.

        A tombstone stays.
        """
        ...

    def retell(self, memory_id: str, retold: Callable[[Any], Any]) -> None:
        """Replace the details of a memory's logged events by what ``retold`` makes of each."""
        ...

    def scrub(self) -> None:
        """See to it that nothing replaced in this transaction is left in the file."""
        ...

    def log(
        self, kind: EventKind, scope: str, memory: str | None, detail: Mapping[str, Any]
    ) -> None:
        """Append an event."""
        ...


class Store(IncidenceReader, OutboxReader, Protocol):
    """Rows, indexes, vectors and log behind one transaction."""

    @property
    def service(self) -> ServiceStore:
        """What a service on this store keeps."""
        ...

    @property
    def accounts(self) -> AccountStore:
        """Who may use a service on this store, and how much."""
        ...

    def write(self) -> AbstractContextManager[Writer]:
        """Open the write transaction; it commits when the block ends without an error.

        Raises:
            StoreBusy: another writer held the lock longer than the configured wait.
            StoreReadOnly: the store cannot be written.
        """
        ...

    def claim_encoder(self) -> None:
        """Check that the store is embedded by the configured encoder; record it in a new store.

        Raises:
            EncoderMismatch: the store was embedded by another one.
        """
        ...

    def changed(self, scope: str) -> int:
        """Change number of the scope's latest modification, 0 when it has none."""
        ...

    def live(self, scope: str, digests: Sequence[bytes]) -> set[bytes]:
        """Those of the content hashes that an active or low-signal memory has."""
        ...

    def told(self, scope: str, texts: Sequence[tuple[bytes, datetime]]) -> set[bytes]:
        """Those of the content hashes that a superseded memory of the same event time has."""
        ...

    def nearest(self, where: Filter, queries: Matrix, limit: int | Sequence[int]) -> list[Ranked]:
        """Exact cosine ranking for each row of ``queries`` (``(n, d)``) among what passes.

        Args:
            where: what passes.
            queries: any number of them; together they take less time than one by one.
            limit: most that are returned for each, or for one after the other.
        """
        ...

    def lexical(self, where: Filter, terms: Sequence[str], limit: int) -> Ranked:
        """BM25 ranking (k1 1.2, b 0.75) of what passes and holds at least one term."""
        ...

    def signals(self, where: Filter, keys: Sequence[int]) -> Signals:
        """Those of the keys that pass, in no particular order, ready to be scored."""
        ...

    def fetch(self, where: Filter, keys: Sequence[int]) -> list[Stored]:
        """Those of the keys that pass, in no particular order."""
        ...

    def nodes(self, where: Filter, keys: Sequence[int]) -> Mapping[int, Node]:
        """Those of the keys that pass, without their vectors."""
        ...

    def texts(self, where: Filter, keys: Sequence[int]) -> Mapping[int, Told]:
        """What those of the keys that pass say, and since when: what is cheap to look through."""
        ...

    def recall(self, scope: str, ids: Sequence[str]) -> list[Stored]:
        """The memories with these ids that were not forgotten, in no particular order."""
        ...

    def get(self, ids: Sequence[str], scope: str | None = None) -> list[Node]:
        """The memories with these ids (in this scope) in the order asked, unknown ones left out."""
        ...

    def chain(self, memory_id: str) -> list[Node]:
        """Every version linked to this one by supersession, oldest first."""
        ...

    def superseded(self, scope: str, digests: Sequence[bytes]) -> set[bytes]:
        """Those of the content hashes that a superseded memory has."""
        ...

    def superseded_heads(self, scope: str, digest: bytes) -> list[str]:
        """Ids of the live memories that end the chains of superseded rows with this hash."""
        ...

    def list(self, where: Filter, limit: int, cursor: str | None, *, newest: bool = True) -> Page:
        """One page by event time."""
        ...

    def salient(self, where: Filter, limit: int) -> list[Node]:
        """Those that pass, the most salient first, newer before older."""
        ...

    def iterate(self, where: Filter) -> Iterator[Node]:
        """Everything that passes, oldest row first, without holding it all in memory."""
        ...

    def counts(self, scope: str | None) -> Mapping[str, Mapping[str, int]]:
        """How many memories per ``status``; per ``memory_type`` and ``level`` of the active."""
        ...

    def scopes(self) -> Sequence[str]:
        """Names of all scopes that hold a memory."""
        ...

    def events(self, memory_id: str) -> Sequence[Event]:
        """The log of one memory, oldest first."""
        ...

    def recent(self, scope: str, limit: int, after: int = 0) -> Sequence[tuple[int, Event]]:
        """The scope's latest events, newest first, each with its number, which only rises.

        Args:
            scope: whose events.
            limit: at most so many.
            after: only those with a higher number.
        """
        ...

    def touch(
        self,
        scope: str,
        keys: Sequence[int],
        detail: Mapping[str, Any],
        rows: Sequence[Queued] = (),
    ) -> None:
        """Count a recall of these memories, log the search, and queue what was judged for it.

        All in one transaction of its own, which is skipped when the store is busy.
        """
        ...

    def check(self) -> Health:
        """Compare rows, lexical index and vectors with each other, and prove that a write works."""
        ...

    def reindex(
        self,
        embed: Callable[[Sequence[str]], list[tuple[Matrix, bytes]]],
        progress: Callable[[int, int], None],
    ) -> int:
        """Rebuild the lexical index and re-embed what the current encoder has not embedded.

        Work is committed batch by batch, so an interrupted run continues where it stopped.

        Args:
            embed: texts to dense vectors and compressed token vectors.
            progress: called with (done, total).

        Returns:
            How many memories were embedded.
        """
        ...

    def backup(self, path: Path, progress: Callable[[int, int], None]) -> None:
        """Copy the store, consistent as of one moment, while others read and write."""
        ...

    def purge(self, ids: Sequence[str], samples: Sequence[bytes]) -> Sequence[Absence]:
        """Rewrite what the store lies in, then look everywhere for what was erased.

        Nothing is erased here: the memories were, in write transactions before.

        Args:
            ids: memories that were erased.
            samples: pieces of their texts, see :mod:`hypermnesia.store.samples`; where the store's
                files cannot be read, they are not looked for.

        Returns:
            Each index and file, with what was found there.

        Raises:
            StoreBusy: others used the store all through the configured wait.
        """
        ...

    def close(self) -> None:
        """Release every connection; the store cannot be used afterwards."""
        ...
