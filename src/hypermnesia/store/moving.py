"""Moving everything that one store holds to another, of whatever kind.

Rows are read from one store and written to the other in batches, in the order of :data:`PARTS`.
With each batch the target notes how far it has come, in the same transaction, so that an
interrupted move goes on where it stopped. At the end both stores are read in full and compared.
Nothing is derived anew: vectors are copied, so no model is needed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple, dataclass
from typing import Any, Literal, Protocol, TypeAlias, get_args

from hypermnesia.errors import Conflict, StoreBusy, StoreError
from hypermnesia.store.columns import Parameters
from hypermnesia.store.incidence import Days, Member, Place

Part: TypeAlias = Literal["memories", "links", "events", "corpus", "service"]
PARTS: tuple[Part, ...] = get_args(Part)
BATCH = 500
"""Rows of a transaction."""

Cursor: TypeAlias = tuple[int, ...]
"""Where a batch ended, in the terms of the store that was read."""


@dataclass(frozen=True, slots=True)
class MovedMemory:
    """A memory, or the tombstone of one.

    Attributes:
        row: its columns, as :data:`~hypermnesia.store.columns.NODE_COLUMNS` but for the key.
        hash: of its content; ``None`` for a tombstone.
        encoder: identity of the encoder of its vectors, ``None`` when it has none.
        dense: its vectors as float16, one after the other.
        tokens: compressed token vectors.
    """

    row: Parameters
    hash: bytes | None
    encoder: str | None
    dense: bytes
    tokens: bytes

    @property
    def deleted(self) -> bool:
        """Whether only a tombstone is left."""
        return self.hash is None


@dataclass(frozen=True, slots=True)
class MovedLinks:
    """What the hypergraph knows of a memory, seen from above.

    Attributes:
        level: that of the memory.
        place: where a turn stands.
        days: that a turn or fact speaks of.
        sources: ids of a fact's turns.
        members: of a head.
    """

    id: str
    level: str
    place: Place | None
    days: tuple[Days, ...]
    sources: tuple[str, ...]
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class MovedEvent:
    """A line of the log as it was written."""

    at: int
    kind: str
    scope: str
    memory: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class MovedQueued:
    """A judgement in the queue of the corpus, with the ids of its memories."""

    id: str
    scope: str
    use_case: str
    state: str
    reason: str | None
    created_at: int
    body: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MovedRow:
    """A row of a small table: its name, its values, and the scope if it belongs to one."""

    table: str
    values: Parameters
    scope: str | None = None


Moved: TypeAlias = MovedMemory | MovedLinks | MovedEvent | MovedQueued | MovedRow


class Target(Protocol):
    """A transaction that takes rows over."""

    def take(self, row: Moved) -> None:
        """Store one row."""
        ...

    def note(self, progress: str | None) -> None:
        """Note how far the move has come, ``None`` = it is over."""
        ...

    def noted(self) -> str | None:
        """What was noted last."""
        ...


class Movable(Protocol):
    """A store as a move sees it."""

    @property
    def place(self) -> str:
        """How messages name it; never with a password."""
        ...

    def identity(self) -> str:
        """A random text made with the store, which a move takes along."""
        ...

    def encoders(self) -> tuple[Sequence[tuple[str, int]], str | None]:
        """Identity and dimension of every encoder that left vectors, and the one in force."""
        ...

    def prepare(
        self, identity: str, encoders: Sequence[tuple[str, int]], current: str | None
    ) -> None:
        """Begin a move to this store: take over identity and encoders, and note the beginning.

        Raises:
            Conflict: something is stored here already.
        """
        ...

    def counts(self) -> Mapping[Part, int]:
        """Rows of each part."""
        ...

    def noted(self) -> str | None:
        """How far a move to this store has come, ``None`` when none is under way."""
        ...

    def read(self, part: Part, after: Cursor, limit: int) -> Sequence[tuple[Cursor, Moved]]:
        """The next rows of a part."""
        ...

    def writing(self) -> AbstractContextManager[Target]:
        """Open a transaction that takes rows over."""
        ...


@dataclass(frozen=True, slots=True)
class Report:
    """What was moved.

    Attributes:
        counts: rows of each part, in both stores.
        checksums: of each part, alike in both stores.
        resumed: the move went on where an earlier one had stopped.
    """

    counts: Mapping[Part, int]
    checksums: Mapping[Part, str]
    resumed: bool


def move(source: Movable, target: Movable, progress: Callable[[int, int], None]) -> Report:
    """Move everything, and compare.

    Args:
        source: stays as it is; nobody should write to it meanwhile.
        target: an empty store, or one that an earlier move from the same source left unfinished.
        progress: called with (rows done, rows in all); both stores are read again at the end.

    Raises:
        Conflict: the target holds something else.
        StoreBusy: another process moves to the same target.
        StoreError: the stores differ at the end; the source was written to meanwhile.
    """
    resumed = _begin(source, target)
    sizes = source.counts()
    total, done = 3 * sum(sizes.values()), 0
    progress(0, total)
    for part in PARTS:
        for number in _copy(source, target, part):
            done += number
            progress(min(done, total), total)
    found: dict[Part, tuple[int, str]] = {}
    for part in PARTS:
        found[part] = _verified(source, target, part)
        done += 2 * sizes[part]
        progress(min(done, total), total)
    with target.writing() as writer:
        writer.note(None)
    counts: dict[Part, int] = {part: number for part, (number, _) in found.items()}
    return Report(counts, {part: digest for part, (_, digest) in found.items()}, resumed)


def _begin(source: Movable, target: Movable) -> bool:
    """Prepare the target; whether a move to it was under way."""
    noted = target.noted()
    if noted is None:
        target.prepare(source.identity(), *source.encoders())
        return False
    if json.loads(noted)["source"] != source.identity():
        raise Conflict(
            f"a move to {target.place} from another store was not finished; name an empty store"
        )
    return True


def _copy(source: Movable, target: Movable, part: Part) -> Iterator[int]:
    """Copy a part batch by batch, from where the target has come to; yields rows of each."""
    while True:
        noted = target.noted() or "{}"
        state: dict[str, Any] = json.loads(noted)
        reached: Part = state.get("part", PARTS[0])
        if PARTS.index(reached) > PARTS.index(part):
            return
        after = tuple(state["after"]) if reached == part and "after" in state else ()
        rows = source.read(part, after, BATCH)
        if not rows:
            return
        state |= {"part": part, "after": list(rows[-1][0])}
        with target.writing() as writer:
            if (writer.noted() or "{}") != noted:
                raise StoreBusy(f"another process is moving to {target.place}; let it finish")
            for _, row in rows:
                writer.take(row)
            writer.note(json.dumps(state))
        yield len(rows)


def _verified(source: Movable, target: Movable, part: Part) -> tuple[int, str]:
    """Number and checksum of a part's rows.

    Raises:
        StoreError: the stores differ.
    """
    here, there = _checksum(source, part), _checksum(target, part)
    if here != there:
        raise StoreError(
            f"the {part} of {target.place} are not those of {source.place}: {there[0]:,} of"
            f" {here[0]:,}, checksum {there[1][:12]} for {here[1][:12]}. The source was written to"
            " meanwhile, or holds damaged rows; run `hypermnesia check`, then move to an empty"
            " store while nobody writes"
        )
    return here


def _checksum(store: Movable, part: Part) -> tuple[int, str]:
    """Number of rows, and a checksum that does not depend on their order."""
    number, total, after = 0, 0, ()
    while rows := store.read(part, after, BATCH):
        for _, row in rows:
            digest = hashlib.sha256(_canonical(row)).digest()
            total = (total + int.from_bytes(digest)) % 2**256
        number += len(rows)
        after = rows[-1][0]
    return number, f"{total:064x}"


def _canonical(row: Moved) -> bytes:
    """The row as bytes that are the same for every store."""
    return json.dumps([type(row).__name__, astuple(row)], default=_plain).encode()


def _plain(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
