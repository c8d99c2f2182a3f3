"""Between a service's jobs and the columns that hold them, in any SQL store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hypermnesia.store.columns import moment_of
from hypermnesia.store.service import Job

JOB = (
    "id, kind, scope, principal, state, done, total, attempts, created_at, updated_at, result,"
    " error"
)


def job_of(row: Sequence[Any]) -> Job:
    """A job from a row of :data:`JOB`."""
    *plain, created, updated, result, error = row
    return Job(
        *plain,
        created_at=moment_of(created),
        updated_at=moment_of(updated),
        result=json.loads(result) if result else None,
        error=json.loads(error) if error else None,
    )


def document(value: Mapping[str, Any] | None) -> str | None:
    """What a job's result or error is stored as."""
    return None if value is None else json.dumps(value, ensure_ascii=False)
