"""Handing over what is queued: claim -> write -> scan -> check consent -> upload -> close.

A batch keeps its name and its rows until it is closed. So whenever a process dies, the next one
writes the same file again, under the same name, from the rows that may still leave: each row is
in one file, however often that is tried. One process at a time does this, by a lease in the store.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypermnesia.corpus.files import format_of, replacing
from hypermnesia.corpus.hub import upload
from hypermnesia.corpus.outgoing import write
from hypermnesia.corpus.outlet import Outlet
from hypermnesia.engine import Engine
from hypermnesia.errors import Conflict
from hypermnesia.identity import new_id
from hypermnesia.store.outbox import Queued
from hypermnesia.store.protocol import Writer

log = logging.getLogger("hypermnesia")

BATCH = 200
"""Rows that leave in one file, the oldest first (DGUI-HyperMem, corpus)."""
LEASE = timedelta(seconds=60)
"""After this long without a sign of life, another process takes over."""


def now() -> datetime:
    """The time by which leases run out."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Flushed:
    """What a flush handed over. Mutable: filled while it goes on.

    Attributes:
        rows: left.
        withheld: stay for good, because the scan of the outgoing file found something in them.
        pending: still wait, after it.
        files: those that were written.
        repo: data set on the hub that got them, too.
    """

    rows: int = 0
    withheld: int = 0
    pending: int = 0
    files: list[Path] = field(default_factory=list[Path])
    repo: str | None = None


def flush(
    engine: Engine,
    scope: str | None = None,
    *,
    progress: Callable[[int], None] | None = None,
    clock: Callable[[], datetime] = now,
) -> Flushed:
    """Hand over everything that is queued (of a scope), batch by batch, the oldest first.

    What an interrupted flush began is finished first, whosever it was.

    Args:
        engine: whose store, and where to.
        scope: only its rows; ``None`` = those of every scope that agrees.
        progress: called with the number of rows done since the last call.
        clock: the time now.

    Raises:
        InvalidInput: no folder is configured, or Parquet or the hub's client is not installed.
        Conflict: another process is at it.
        CorpusError: the folder or the hub did not take a batch; it stays queued.
    """
    outlet = Outlet.of(engine)
    run = _Run(engine, outlet, clock)
    with engine.store.write() as writer:
        run.hold(writer)
        unfinished = writer.open_batches()
    try:
        outlet.tidy()
        for name in unfinished:
            run.hand_over(name, progress)
        while name := run.claim(scope):
            run.hand_over(name, progress)
        outlet.describe(())
    finally:
        with engine.store.write() as writer:
            writer.release_queue(run.holder)
    run.done.pending = sum(tally.pending for tally in engine.store.tallies(scope))
    return run.done


def flush_due(engine: Engine, *, clock: Callable[[], datetime] = now) -> Flushed | None:
    """Flush if rows are waiting and the interval has passed since the last time.

    For a service to call now and then.

    Returns:
        ``None`` when nothing is due, or another process is at it.

    Raises:
        InvalidInput: as :func:`flush`.
        CorpusError: as :func:`flush`.
    """
    interval = engine.corpus.interval
    last = engine.store.flushed_at()
    waiting = any(tally.pending for tally in engine.store.tallies(None))
    if interval is None or not waiting or (last is not None and clock() < last + interval):
        return None
    try:
        return flush(engine, clock=clock)
    except Conflict:
        return None


class _Run:
    """One process that holds the queue."""

    def __init__(self, engine: Engine, outlet: Outlet, clock: Callable[[], datetime]) -> None:
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{new_id()}"
        self.done = Flushed(repo=engine.corpus.repo)
        self._store = engine.store
        self._policy = engine.corpus
        self._outlet = outlet
        self._clock = clock

    def hold(self, writer: Writer) -> None:
        """Prove, in a transaction, that nobody else empties the queue.

        Raises:
            Conflict: somebody does.
        """
        at = self._clock()
        if not writer.hold_queue(self.holder, at, at + LEASE):
            raise Conflict(
                "another process is handing over judgements of this store; try again when it is"
                f" done, or {LEASE.seconds} s after it died"
            )

    def claim(self, scope: str | None) -> str | None:
        """Choose the rows of the next batch; its name, ``None`` when nothing waits."""
        name = self._outlet.name()
        with self._store.write() as writer:
            self.hold(writer)
            return name if writer.claim_batch(name, BATCH, scope) else None

    def hand_over(self, name: str, progress: Callable[[int], None] | None) -> None:
        """Write, scan, upload and close one batch."""
        path = self._outlet.path(name)
        with replacing(path) as temporary:
            rows = self._clean(temporary, path, name)
        if rows:
            if self._policy.repo is not None:
                upload(self._policy, self._outlet.parcel(path, rows), f"Add {len(rows)} judgements")
            self._outlet.describe(rows)
            self.done.files.append(path)
        else:
            path.unlink(missing_ok=True)
        with self._store.write() as writer:
            self.hold(writer)
            writer.close_batch(name, [row.id for row in rows], self._clock())
        self.done.rows += len(rows)
        if progress is not None:
            progress(len(rows))

    def _clean(self, temporary: Path, path: Path, name: str) -> list[Queued]:
        """Write a batch until its file holds just what may leave, and nothing that a scan finds."""
        rows = self._rows(name)
        while True:
            faulty = write(temporary, rows, format_of(path)).faulty
            if faulty:
                self._withhold(faulty)
            still = self._rows(name)  # consent, or a memory, may be gone by now
            if not faulty and still == rows:
                return rows
            rows = still

    def _rows(self, name: str) -> list[Queued]:
        with self._store.write() as writer:
            self.hold(writer)
            return writer.batch_rows(name)

    def _withhold(self, faulty: Mapping[str, str]) -> None:
        for row, reason in faulty.items():
            log.warning("corpus row %s stays here: %s", row, reason)
        with self._store.write() as writer:
            self.hold(writer)
            writer.fail_rows(faulty)
        self.done.withheld += len(faulty)
