"""The reasoning corpus in the terms of a store: who agreed to it, and what waits to leave.

Rows arrive redacted and are kept as the text that will leave. A row belongs to one scope and rests
on its consent; it names every memory whose words are in it, and goes when one of them is erased.
Rows leave in batches that are remembered until they are closed, so that whoever comes after a
crash goes on with the same rows under the same name. One writer at a time holds the queue.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from hypermnesia.judge.questions import UseCase

RowState: TypeAlias = Literal["pending", "uploaded", "error"]

KEPT_UPLOADED = 50_000
"""Rows that left already and are kept for exports; older ones are pruned."""


@dataclass(frozen=True, slots=True)
class Queued:
    """One judgement on its way out.

    Attributes:
        id: UUIDv7; a row is queued once, and leaves in one batch.
        scope: whose consent it rests on.
        memories: ids of all memories whose words are in it, at least one.
        body: the redacted row as JSON; ``None`` = redaction failed: it is counted, not kept.
    """

    id: str
    scope: str
    use_case: UseCase
    memories: tuple[str, ...]
    created_at: datetime
    body: str | None


@dataclass(frozen=True, slots=True)
class Tally:
    """Rows of one scope and use case.

    Attributes:
        pending: wait to leave.
        error: will not leave: the scan of the outgoing file found something in them.
        uploaded: left, ever.
        unredacted: were not queued, because redaction failed, ever.
        dropped: were dropped when consent was withdrawn, ever.
    """

    scope: str
    use_case: UseCase
    pending: int = 0
    error: int = 0
    uploaded: int = 0
    unredacted: int = 0
    dropped: int = 0


class OutboxWriter(Protocol):
    """Verbs of a write transaction."""

    def consent(self, scope: str, *, given: bool) -> int:
        """Allow a scope's judgements to be queued and to leave, or drop all that are here.

        Returns:
            How many rows that had not left were dropped.
        """
        ...

    def enqueue(self, rows: Sequence[Queued]) -> int:
        """Queue rows of scopes that agreed, whose memories are all there and not erased.

        Returns:
            How many were queued; an id that is there already is passed over.
        """
        ...

    def unqueue(self, memory: str) -> None:
        """Remove every row that holds words of a memory, because they must not leave any more."""
        ...

    def hold_queue(self, holder: str, now: datetime, until: datetime) -> bool:
        """Take, or go on holding, the queue; false while another holder's time has not run out.

        A time that ends further from now than any lease was set by a wrong clock, and is over.
        """
        ...

    def release_queue(self, holder: str) -> None:
        """Let the queue go, if this holder still has it."""
        ...

    def open_batches(self) -> list[str]:
        """Names of batches that were not closed, oldest first."""
        ...

    def claim_batch(self, name: str, limit: int, scope: str | None) -> list[Queued]:
        """Put the oldest pending rows (of a scope) that are in no batch into a new one.

        Without such rows there is no batch. Rows of scopes that did not agree are left out.
        """
        ...

    def batch_rows(self, name: str) -> list[Queued]:
        """What a batch still holds, oldest first: pending rows of scopes that agree now."""
        ...

    def fail_rows(self, reasons: Mapping[str, str]) -> None:
        """Take rows, by id, out of their batch for good; each reason names rules, no content."""
        ...

    def close_batch(self, name: str, uploaded: Sequence[str], at: datetime) -> None:
        """Mark these rows of a batch as uploaded and forget the batch; others wait again.

        A batch that is closed already is passed over.
        """
        ...


class OutboxReader(Protocol):
    """Reads outside of write transactions."""

    def consents(self, scope: str) -> bool:
        """Whether a scope agreed; asked before every write and search, so it must be cheap."""
        ...

    def consenting(self) -> Mapping[str, datetime]:
        """The scopes that agreed, by name, and since when."""
        ...

    def corpus_salt(self) -> str:
        """A random text made with the store: what names are disguised with."""
        ...

    def queued(self, scope: str | None) -> Iterator[Queued]:
        """Pending and uploaded rows (of a scope), oldest first, of scopes that agree now."""
        ...

    def tallies(self, scope: str | None) -> Sequence[Tally]:
        """What became of the rows (of a scope), by scope and use case."""
        ...

    def flushed_at(self) -> datetime | None:
        """When the last batch was closed."""
        ...
