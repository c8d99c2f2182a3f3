"""Work that outlasts a request, over REST: begun, watched and cancelled."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from hypermnesia.errors import NotFound
from hypermnesia.graph.ingest import Ingested
from hypermnesia.serve.access import Access
from hypermnesia.serve.http.caller import Caller
from hypermnesia.serve.http.fields import Body, Label, Scope
from hypermnesia.serve.http.problem import PROBLEMS
from hypermnesia.serve.http.replies import OneTime, Outcome
from hypermnesia.serve.http.workers import Pool
from hypermnesia.serve.jobs import Runner, submit
from hypermnesia.store.service import Job, JobKind

router = APIRouter(prefix="/api/v1", tags=["jobs"], responses=PROBLEMS)

PLACE = {"Location": {"description": "Where to ask how it is.", "schema": {"type": "string"}}}
ACCEPTED: dict[int | str, dict[str, Any]] = {202: {"headers": PLACE}}
PAGE = 100


class _Talk(Body):
    scope: Scope | None = None
    session: Label | None = Field(None, description="Of messages that name none.")


class Messages(_Talk):
    """A conversation."""

    messages: list[dict[str, Any]] = Field(
        description="`content` and `role` or `speaker`, optionally `timestamp`, `id`, `session`"
        " and `caption`; one that cannot be used is reported, the others are stored."
    )


class Document(_Talk):
    """A conversation as a file."""

    document: str = Field(min_length=1, description="What the file holds.")
    format: Label | None = Field(None, description="Without it, told from the beginning.")
    select: Label | None = Field(None, description="Only the conversation of this id or title.")


class Jobs(BaseModel):
    """Jobs, the newest first."""

    items: list[Job]


@router.post(
    "/ingest", status_code=202, response_model=Job, responses=ACCEPTED, operation_id="ingest"
)
async def ingest(
    request: Request, once: OneTime, access: Caller, body: Messages | Document
) -> Response:
    """Remember a conversation: its turns word for word, and facts, episodes and topics.

    It is a job: look at it until it is `done`. The `result` then says what was stored.
    """
    scope = access.write_scope(body.scope)
    total = len(body.messages) if isinstance(body, Messages) else None
    payload = body.model_dump_json(exclude_unset=True, exclude={"scope"}).encode()
    return await once(lambda: begin(request, access, "ingest", scope, payload, total))


class Said(Body):
    """One message of a live session."""

    message: dict[str, Any] = Field(
        description="As in `ingest`.",
        examples=[{"role": "user", "content": "We chose NATS over Kafka", "session": "monday"}],
    )
    scope: Scope | None = None


@router.post("/observe", response_model=Ingested, operation_id="observe")
async def observe(once: OneTime, access: Caller, body: Said) -> Response:
    """Append one message to a live session."""
    scope = access.write_scope(body.scope)
    return await once(lambda: Outcome(access.memory.observe(body.message, scope=scope)))


def begin(
    request: Request,
    access: Access,
    kind: JobKind,
    scope: str | None,
    payload: bytes = b"",
    total: int | None = None,
) -> Outcome:
    """Queue a job and say where to look for it."""
    job = submit(
        access.memory, kind, access.principal.name, scope=scope, payload=payload, total=total
    )
    runner: Runner = request.app.state.runner
    runner.wake()
    return Outcome(job, 202, {"Location": f"/api/v1/jobs/{job.id}"})


@router.get("/jobs", response_model=Jobs, operation_id="jobs")
async def jobs(
    access: Caller,
    workers: Pool,
    before: Annotated[UUID | None, Query(description="Id of the last one seen.")] = None,
) -> Response:
    """Jobs that the caller asked for, or an administrator anyone's; the newest first."""

    def work() -> Outcome:
        found = access.memory.service.jobs(PAGE, str(before) if before else None)
        return Outcome({"items": [job for job in found if _concerns(access, job)]})

    return (await workers.run(work)).response()


@router.get("/jobs/{job_id:uuid}", response_model=Job, operation_id="job")
async def job(access: Caller, workers: Pool, job_id: UUID) -> Response:
    """How a job is getting on."""
    return (await workers.run(lambda: Outcome(_own(access, job_id)))).response()


@router.post("/jobs/{job_id:uuid}/cancel", response_model=Job, operation_id="cancel_job")
async def cancel(access: Caller, workers: Pool, job_id: UUID) -> Response:
    """Cancel a job: at once if it waits, else at its next step; what it stored stays."""

    def work() -> Outcome:
        access.must_write()
        _own(access, job_id)
        return Outcome(access.memory.service.cancel_job(str(job_id), datetime.now(UTC)))

    return (await workers.run(work)).response()


def _own(access: Access, job_id: UUID) -> Job:
    found = access.memory.service.job(str(job_id))
    if found is None or not _concerns(access, found):
        raise NotFound(f"there is no job {str(job_id)!r}")
    return found


def _concerns(access: Access, job: Job) -> bool:
    return access.principal.admin or job.principal == access.principal.name
