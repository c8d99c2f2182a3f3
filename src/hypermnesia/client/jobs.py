"""Waiting for a job of the service."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypermnesia.client.failures import failure_of
from hypermnesia.client.steps import Pause, Reply, Request, Steps, asked
from hypermnesia.client.values import made, read
from hypermnesia.errors import HypermnesiaError, ServiceError
from hypermnesia.store.service import Job

FIRST_LOOK = 0.05
"""Seconds until a job is looked at; each further wait is half as long again."""
SELDOM = 2.0
"""Seconds between two looks at a job that takes long."""
PATH = "/api/v1/jobs"


def finished(reply: Reply, progress: Callable[[int, int], None] | None) -> Steps[Any]:
    """The result of a job, once there is one, as JSON.

    Raises:
        HypermnesiaError: the job failed as the facade would have, or was cancelled.
    """
    job, wait = read(Job, reply), FIRST_LOOK
    while not job.over:
        yield Pause(wait)
        wait = min(wait * 1.5, SELDOM)
        job = yield from look(job.id)
        if progress is not None and job.done:
            progress(job.done, job.total or 0)
    if job.state == "done":
        return job.result
    raise _failure(job)


def look(job_id: str) -> Steps[Job]:
    """How a job is getting on."""
    return read(Job, (yield from asked(Request("GET", f"{PATH}/{job_id}"))))


def begun() -> Steps[list[Job]]:
    """The caller's jobs, the newest first."""
    reply = yield from asked(Request("GET", PATH))
    return made(list[Job], reply.json()["items"])


def cancel(job_id: str) -> Steps[Job]:
    """Cancel a job: at once if it waits, else at its next step; what it stored stays."""
    return read(Job, (yield from asked(Request("POST", f"{PATH}/{job_id}/cancel"))))


def _failure(job: Job) -> HypermnesiaError:
    if job.error is None:
        return ServiceError(f"the job {job.id} was cancelled; what it stored until then stays")
    problem = {"type": job.error.get("type"), "detail": job.error.get("message")}
    return failure_of(500, json.dumps(problem), {})
