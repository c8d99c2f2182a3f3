"""Background jobs: asked for by a request, run by whichever process of the service is free."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from hypermnesia.errors import HypermnesiaError
from hypermnesia.identity import new_id
from hypermnesia.memory import Memory
from hypermnesia.serial import plain
from hypermnesia.store.service import Job, JobKind, JobState

log = logging.getLogger("hypermnesia.serve")

LEASE = timedelta(seconds=60)
"""How long a job belongs to a process that says nothing."""
HEARTBEAT = 15.0
"""Seconds between two renewals of a lease."""
LOOK = 2.0
"""Seconds after which an idle process looks for jobs that others left behind."""
ATTEMPTS = 3
"""Beginnings of a job; one that took so many processes down with it is not begun again."""

Progress: TypeAlias = Callable[[int, int | None], None]
"""Told units done so far, and how many there are if that is known; raises to stop the work."""
Work: TypeAlias = Callable[[Memory, Job, bytes, Progress], Any]
"""Carries a job out, from its payload to its result; begun again, it continues."""


class _Stopped(BaseException):
    """The work must not go on; not an error, so that nothing on the way takes it for one."""


def submit(
    memory: Memory,
    kind: JobKind,
    principal: str,
    *,
    scope: str | None = None,
    payload: bytes = b"",
    total: int | None = None,
) -> Job:
    """Queue a job; a :class:`Runner` will see to it."""
    now = datetime.now(UTC)
    job = Job(new_id(), kind, scope, principal, "queued", 0, total, 0, now, now)
    memory.service.put_job(job, payload)
    return job


class Runner:
    """Runs jobs one after the other, in a thread of its own."""

    def __init__(
        self,
        memory: Memory,
        works: Mapping[JobKind, Work],
        ended: Callable[[JobKind, JobState], None] = lambda _kind, _state: None,
    ) -> None:
        self._memory = memory
        self._works = works
        self._ended = ended
        self._name = new_id()
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="hypermnesia-jobs", daemon=True)

    def start(self) -> None:
        """Begin to look for jobs, those that a former process left included."""
        self._thread.start()

    def wake(self) -> None:
        """Say that there is a job to be had."""
        self._wake.set()

    @property
    def stopping(self) -> bool:
        """It was told to stop."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Put the job under way back into the queue at its next step, and wait for that."""
        self._stopping.set()
        self._wake.set()
        self._thread.join()

    def _serve(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            try:
                busy = self._run_next()
            except HypermnesiaError as error:  # a busy store: the lease runs out, and on it goes
                log.warning("jobs wait: %s", error)
                busy = False
            if not busy:
                self._wake.wait(LOOK)

    def _run_next(self) -> bool:
        now = datetime.now(UTC)
        claimed = self._memory.service.claim_job(self._name, now, now + LEASE)
        if claimed is None:
            return False
        job, payload = claimed
        run = _Run(self._memory, self._name, job, self._stopping)
        state = run.carry_out(self._works[job.kind], payload)
        if state is not None:
            self._ended(job.kind, state)
        return True


class _Run:
    """One job under way: its progress, its lease, and how it may end."""

    def __init__(self, memory: Memory, worker: str, job: Job, stopping: threading.Event) -> None:
        self._memory = memory
        self._worker = worker
        self._job = job
        self._stopping = stopping
        self._done = job.done
        self._total = job.total
        self._over = threading.Event()
        self._lost = False
        self._cancelled = False

    def carry_out(self, work: Work, payload: bytes) -> JobState | None:
        """Do the work and say what came of it; ``None`` = it is somebody else's now."""
        if self._job.attempts > ATTEMPTS:
            return self._failed("ServiceError", f"begun {ATTEMPTS} times, it came to no end")
        pulse = threading.Thread(target=self._beat, name="hypermnesia-lease", daemon=True)
        pulse.start()
        try:
            result = plain(work(self._memory, self._job, payload, self._progress))
        except _Stopped:
            return self._give_up()
        except HypermnesiaError as error:
            return self._failed(type(error).__name__, str(error))
        except Exception:
            # The outermost adapter of a job: the log says where, whoever asked only that.
            log.exception("job %s (%s) failed", self._job.id, self._job.kind)
            return self._failed("Bug", "this is a bug; the service's log says where")
        finally:
            self._over.set()
            pulse.join()
        self._report()
        return self._end("done", result=result)

    def _progress(self, done: int, total: int | None) -> None:
        self._done, self._total = done, total
        self._report()
        if self._lost or self._cancelled or self._stopping.is_set():
            raise _Stopped

    def _report(self) -> None:
        now = datetime.now(UTC)
        state = self._memory.service.renew_job(
            self._job.id, self._worker, now, now + LEASE, self._done, self._total
        )
        self._lost = state is None
        self._cancelled = state == "cancelling"

    def _beat(self) -> None:
        while not self._over.wait(HEARTBEAT):
            try:
                self._report()
            except HypermnesiaError as error:  # tried again at the next beat
                log.warning("the lease of job %s was not renewed: %s", self._job.id, error)

    def _give_up(self) -> JobState | None:
        if self._cancelled:
            return self._end("cancelled")
        if not self._lost:
            self._memory.service.release_job(self._job.id, self._worker, datetime.now(UTC))
        return None

    def _failed(self, kind: str, message: str) -> JobState | None:
        return self._end("failed", error={"type": kind, "message": message})

    def _end(self, state: JobState, **outcome: Any) -> JobState | None:
        now = datetime.now(UTC)
        ours = self._memory.service.end_job(self._job.id, self._worker, now, state, **outcome)
        return state if ours else None
