"""Jobs and kept answers in the SQLite store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from hypermnesia.store.columns import micros
from hypermnesia.store.leases import beyond
from hypermnesia.store.service import Job, JobState, Reply
from hypermnesia.store.service_columns import JOB, document, job_of
from hypermnesia.store.sqlite.connection import Connections


class SqliteService:
    """A :class:`~hypermnesia.store.service.ServiceStore` in the file of the memories."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def put_job(self, job: Job, payload: bytes) -> None:
        """Queue a new job."""
        with self._connections.transaction() as connection:
            connection.execute(
                "INSERT INTO job (id, kind, scope, principal, state, total, created_at,"
                " updated_at, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
        with self._connections.snapshot() as connection:
            row = connection.execute(f"SELECT {JOB} FROM job WHERE id = ?", (job_id,)).fetchone()
        return None if row is None else job_of(row)

    def jobs(self, limit: int, before: str | None = None) -> Sequence[Job]:
        """Jobs, the newest first: their ids rise with time."""
        with self._connections.snapshot() as connection:
            rows = connection.execute(
                f"SELECT {JOB} FROM job WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2",
                (before, limit),
            ).fetchall()
        return [job_of(row) for row in rows]

    def claim_job(self, worker: str, at: datetime, until: datetime) -> tuple[Job, bytes] | None:
        """Take the oldest job that nobody works on."""
        if not self._waiting(at):  # looked up without the write lock, which is often asked for
            return None
        now = micros(at)
        with self._connections.transaction() as connection:
            connection.execute(
                "UPDATE job SET state = 'cancelled', payload = NULL, updated_at = ?1"
                " WHERE state = 'cancelling' AND (lease < ?1 OR lease > ?2)",
                (now, beyond(at)),
            )
            row = connection.execute(
                "UPDATE job SET state = 'running', worker = ?1, lease = ?2, updated_at = ?3,"
                " attempts = attempts + 1 WHERE id = (SELECT id FROM job WHERE state = 'queued'"
                " OR (state = 'running' AND (lease < ?3 OR lease > ?4)) ORDER BY id LIMIT 1)"
                f" RETURNING {JOB}, payload",
                (worker, micros(until), now, beyond(at)),
            ).fetchone()
        return None if row is None else (job_of(row[:-1]), bytes(row[-1] or b""))

    def _waiting(self, at: datetime) -> bool:
        with self._connections.snapshot() as connection:
            return bool(
                connection.execute(
                    "SELECT EXISTS (SELECT 1 FROM job WHERE state = 'queued' OR"
                    " (state IN ('running', 'cancelling') AND (lease < ? OR lease > ?)))",
                    (micros(at), beyond(at)),
                ).get
            )

    def renew_job(
        self, job_id: str, worker: str, at: datetime, until: datetime, done: int, total: int | None
    ) -> JobState | None:
        """Report progress and keep the lease."""
        with self._connections.transaction() as connection:
            return connection.execute(
                "UPDATE job SET lease = ?, updated_at = ?, done = ?, total = ?"
                " WHERE id = ? AND worker = ? AND state IN ('running', 'cancelling')"
                " RETURNING state",
                (micros(until), micros(at), done, total, job_id, worker),
            ).get

    def release_job(self, job_id: str, worker: str, at: datetime) -> None:
        """Put a job back into the queue."""
        with self._connections.transaction() as connection:
            connection.execute(
                "UPDATE job SET state = 'queued', worker = NULL, lease = NULL, updated_at = ?,"
                " attempts = attempts - 1 WHERE id = ? AND worker = ? AND state = 'running'",
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
            connection.execute(
                "UPDATE job SET state = ?, updated_at = ?, result = ?, error = ?, payload = NULL,"
                " worker = NULL, lease = NULL WHERE id = ? AND worker = ?"
                " AND state IN ('running', 'cancelling')",
                (state, micros(at), document(result), document(error), job_id, worker),
            )
            return connection.changes() > 0

    def cancel_job(self, job_id: str, at: datetime) -> Job | None:
        """Cancel a queued job, or ask whoever runs it to."""
        with self._connections.transaction() as connection:
            connection.execute(
                "UPDATE job SET updated_at = ?1,"
                " payload = CASE state WHEN 'queued' THEN NULL ELSE payload END,"
                " state = CASE state WHEN 'queued' THEN 'cancelled' ELSE 'cancelling' END"
                " WHERE id = ?2 AND state IN ('queued', 'running')",
                (micros(at), job_id),
            )
            row = connection.execute(f"SELECT {JOB} FROM job WHERE id = ?", (job_id,)).fetchone()
        return None if row is None else job_of(row)

    def reserve_reply(self, key: str, digest: bytes, at: datetime, until: datetime) -> Reply | None:
        """Take a key, or read what is kept under it."""
        with self._connections.transaction() as connection:
            taken = connection.execute(
                "INSERT INTO reply (key, digest, until) VALUES (?1, ?2, ?3)"
                " ON CONFLICT (key) DO UPDATE SET digest = ?2, status = NULL, body = x'',"
                " until = ?3 WHERE reply.until < ?4 RETURNING 1",
                (key, digest, micros(until), micros(at)),
            ).get
            if taken:
                return None
            row = connection.execute(
                "SELECT digest, status, body FROM reply WHERE key = ?", (key,)
            ).fetchone()
        return Reply(*row) if row else None

    def keep_reply(self, key: str, status: int, body: bytes, until: datetime) -> None:
        """Keep the answer under a key."""
        with self._connections.transaction() as connection:
            connection.execute(
                "UPDATE reply SET status = ?, body = ?, until = ? WHERE key = ?",
                (status, body, micros(until), key),
            )

    def drop_reply(self, key: str) -> None:
        """Free a key."""
        with self._connections.transaction() as connection:
            connection.execute("DELETE FROM reply WHERE key = ?", (key,))

    def sweep_service(self, at: datetime, keep: datetime) -> None:
        """Drop what nobody will ask for any more."""
        with self._connections.transaction() as connection:
            connection.execute("DELETE FROM reply WHERE until < ?", (micros(at),))
            connection.execute(
                "DELETE FROM job WHERE state IN ('done', 'failed', 'cancelled') AND updated_at < ?",
                (micros(keep),),
            )
