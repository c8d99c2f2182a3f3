"""What a store keeps for a service: its background jobs, and answers it may have to give twice.

Several processes may serve one store. A job is run by the one that holds its lease, and taken
over when the lease runs out. Times are aware and in UTC; every method is one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias, get_args

JobKind: TypeAlias = Literal["ingest", "import", "reindex", "backup", "flush"]
JobState: TypeAlias = Literal["queued", "running", "cancelling", "done", "failed", "cancelled"]

OVER: tuple[JobState, ...] = ("done", "failed", "cancelled")
JOB_KINDS: tuple[JobKind, ...] = get_args(JobKind)


@dataclass(frozen=True, slots=True)
class Job:
    """Work that outlasts the request which asked for it.

    Attributes:
        scope: what it works in; ``None`` = the whole store.
        principal: name of who asked for it.
        done: units done so far: messages, lines or memories.
        total: units there are, if that is known.
        attempts: how often it was begun; more than one if a process died or was stopped.
        result: what came of it, once it is done.
        error: why it failed: ``type`` and ``message``.
    """

    id: str
    kind: JobKind
    scope: str | None
    principal: str
    state: JobState
    done: int
    total: int | None
    attempts: int
    created_at: datetime
    updated_at: datetime
    result: Mapping[str, Any] | None = None
    error: Mapping[str, str] | None = None

    @property
    def over(self) -> bool:
        """It will not change any more."""
        return self.state in OVER


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that was given under a key of the client's choice.

    Attributes:
        digest: of the request it answers.
        status: of the answer; ``None`` while the request is still under way.
        body: as it was sent; never the text of a memory.
    """

    digest: bytes
    status: int | None
    body: bytes


class ServiceStore(Protocol):
    """Rows of a service. Every method may raise :class:`~hypermnesia.errors.StoreError`."""

    # --- jobs ----------------------------------------------------------------------

    def put_job(self, job: Job, payload: bytes) -> None:
        """Queue a new job; the payload is dropped as soon as the job is over."""
        ...

    def job(self, job_id: str) -> Job | None:
        """One job."""
        ...

    def jobs(self, limit: int, before: str | None = None) -> Sequence[Job]:
        """Jobs, the newest first; ``before`` is the id of the last one seen."""
        ...

    def claim_job(self, worker: str, at: datetime, until: datetime) -> tuple[Job, bytes] | None:
        """Take the oldest job that is queued or whose lease ran out, and begin it.

        A lease that ends further from now than any may was taken by a wrong clock, and is over.

        A job that was to be cancelled when its lease ran out is cancelled instead.
        """
        ...

    def renew_job(
        self, job_id: str, worker: str, at: datetime, until: datetime, done: int, total: int | None
    ) -> JobState | None:
        """Report progress and keep the lease; ``None`` = it belongs to somebody else by now."""
        ...

    def release_job(self, job_id: str, worker: str, at: datetime) -> None:
        """Put a job that was begun back into the queue, its attempt not counted."""
        ...

    def end_job(
        self,
        job_id: str,
        worker: str,
        at: datetime,
        state: JobState,
        *,
        result: Mapping[str, Any] | None = None,
        error: Mapping[str, str] | None = None,
    ) -> bool:
        """Say what came of a job; false if it belongs to somebody else by now."""
        ...

    def cancel_job(self, job_id: str, at: datetime) -> Job | None:
        """Cancel a queued job, or ask whoever runs it to; one that is over stays as it is."""
        ...

    # --- answers -------------------------------------------------------------------

    def reserve_reply(self, key: str, digest: bytes, at: datetime, until: datetime) -> Reply | None:
        """Take a key; or if it is taken and its time not up, what is kept under it.

        ``until`` is when the key is free again if no answer was kept.
        """
        ...

    def keep_reply(self, key: str, status: int, body: bytes, until: datetime) -> None:
        """Keep the answer under a key that was taken."""
        ...

    def drop_reply(self, key: str) -> None:
        """Free a key: its request failed and may be tried again."""
        ...

    def sweep_service(self, at: datetime, keep: datetime) -> None:
        """Drop answers whose time was up at ``at``, and jobs that were over before ``keep``."""
        ...
