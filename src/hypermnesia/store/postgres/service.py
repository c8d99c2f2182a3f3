"""Jobs and kept answers in the PostgreSQL store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from hypermnesia.store.columns import micros
from hypermnesia.store.leases import beyond
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.statements import affected, execute, run, value
from hypermnesia.store.service import Job, JobState, Reply
from hypermnesia.store.service_columns import JOB, document, job_of

_WAITING = """SELECT EXISTS (SELECT 1 FROM job WHERE state = 'queued'
    OR (state IN ('running', 'cancelling')
        AND (lease < %(at)s OR lease > %(beyond)s)))"""

_CLAIM = f"""UPDATE job SET state = 'running', worker = %(worker)s, lease = %(until)s,
        updated_at = %(at)s, attempts = attempts + 1
    WHERE id = (SELECT id FROM job
        WHERE state = 'queued' OR (state = 'running' AND (lease < %(at)s OR lease > %(beyond)s))
        ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING {JOB}, payload"""


class PostgresService:
    """A :class:`~hypermnesia.store.service.ServiceStore` in the schema of the store."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def put_job(self, job: Job, payload: bytes) -> None:
        """Queue a new job."""
        with self._connections.transaction() as connection:
            execute(
                connection,
                "INSERT INTO job (id, kind, scope, principal, state, total, created_at,"
                " updated_at, payload) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                (
                    job.id,
                    job.kind,
                    job.scope,
                    job.principal,
                    job.state,
                    job.total,
                    micros(job.created_at),
                    micros(job.updated_at),
                    payload,
                ),
            )

    def job(self, job_id: str) -> Job | None:
        """One job."""
        rows = self._connections.fetch(f"SELECT {JOB} FROM job WHERE id = %s", (job_id,))
        return job_of(rows[0]) if rows else None

    def jobs(self, limit: int, before: str | None = None) -> Sequence[Job]:
        """Jobs, the newest first: their ids rise with time."""
        rows = self._connections.fetch(
            f"SELECT {JOB} FROM job WHERE %s::text IS NULL OR id < %s ORDER BY id DESC LIMIT %s",
            (before, before, limit),
        )
        return [job_of(row) for row in rows]

    def claim_job(self, worker: str, at: datetime, until: datetime) -> tuple[Job, bytes] | None:
        """Take the oldest job that nobody works on."""
        moments = {"at": micros(at), "beyond": beyond(at)}
        if not self._connections.fetch(_WAITING, moments)[0][0]:
            return None
        with self._connections.transaction() as connection:
            execute(
                connection,
                "UPDATE job SET state = 'cancelled', payload = NULL, updated_at = %(at)s"
                " WHERE state = 'cancelling' AND (lease < %(at)s OR lease > %(beyond)s)",
                moments,
            )
            values = {**moments, "worker": worker, "until": micros(until)}
            rows = run(connection, _CLAIM, values)
        return (job_of(rows[0][:-1]), bytes(rows[0][-1] or b"")) if rows else None

    def renew_job(
        self, job_id: str, worker: str, at: datetime, until: datetime, done: int, total: int | None
    ) -> JobState | None:
        """Report progress and keep the lease."""
        with self._connections.transaction() as connection:
            return value(
                connection,
                "UPDATE job SET lease = %s, updated_at = %s, done = %s, total = %s"
                " WHERE id = %s AND worker = %s AND state IN ('running', 'cancelling')"
                " RETURNING state",
                (micros(until), micros(at), done, total, job_id, worker),
            )

    def release_job(self, job_id: str, worker: str, at: datetime) -> None:
        """Put a job back into the queue."""
        with self._connections.transaction() as connection:
            execute(
                connection,
                "UPDATE job SET state = 'queued', worker = NULL, lease = NULL, updated_at = %s,"
                " attempts = attempts - 1 WHERE id = %s AND worker = %s AND state = 'running'",
                (micros(at), job_id, worker),
            )

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
        """Say what came of a job, and drop what it was made of."""
        with self._connections.transaction() as connection:
            ended = affected(
                connection,
                "UPDATE job SET state = %s, updated_at = %s, result = %s, error = %s,"
                " payload = NULL, worker = NULL, lease = NULL WHERE id = %s AND worker = %s"
                " AND state IN ('running', 'cancelling')",
                (state, micros(at), document(result), document(error), job_id, worker),
            )
            return ended > 0

    def cancel_job(self, job_id: str, at: datetime) -> Job | None:
        """Cancel a queued job, or ask whoever runs it to."""
        with self._connections.transaction() as connection:
            execute(
                connection,
                "UPDATE job SET updated_at = %s,"
                " payload = CASE state WHEN 'queued' THEN NULL ELSE payload END,"
                " state = CASE state WHEN 'queued' THEN 'cancelled' ELSE 'cancelling' END"
                " WHERE id = %s AND state IN ('queued', 'running')",
                (micros(at), job_id),
            )
            rows = run(connection, f"SELECT {JOB} FROM job WHERE id = %s", (job_id,))
        return job_of(rows[0]) if rows else None

    def reserve_reply(self, key: str, digest: bytes, at: datetime, until: datetime) -> Reply | None:
        """Take a key, or read what is kept under it."""
        with self._connections.transaction() as connection:
            taken = value(
                connection,
                "INSERT INTO reply AS r (key, digest, until)"
                " VALUES (%(key)s, %(digest)s, %(until)s)"
                " ON CONFLICT (key) DO UPDATE SET digest = excluded.digest, status = NULL,"
                " body = '', until = excluded.until WHERE r.until < %(at)s RETURNING 1",
                {"key": key, "digest": digest, "until": micros(until), "at": micros(at)},
            )
            if taken:
                return None
            rows = run(connection, "SELECT digest, status, body FROM reply WHERE key = %s", (key,))
        return Reply(*rows[0]) if rows else None

    def keep_reply(self, key: str, status: int, body: bytes, until: datetime) -> None:
        """Keep the answer under a key."""
        with self._connections.transaction() as connection:
            execute(
                connection,
                "UPDATE reply SET status = %s, body = %s, until = %s WHERE key = %s",
                (status, body, micros(until), key),
            )

    def drop_reply(self, key: str) -> None:
        """Free a key."""
        with self._connections.transaction() as connection:
            execute(connection, "DELETE FROM reply WHERE key = %s", (key,))

    def sweep_service(self, at: datetime, keep: datetime) -> None:
        """Drop what nobody will ask for any more."""
        with self._connections.transaction() as connection:
            execute(connection, "DELETE FROM reply WHERE until < %s", (micros(at),))
            execute(
                connection,
                "DELETE FROM job WHERE state IN ('done', 'failed', 'cancelled')"
                " AND updated_at < %s",
                (micros(keep),),
            )
