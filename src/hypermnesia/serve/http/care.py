"""Looking after the store over REST: export, import, check, reindex, backup."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from hypermnesia.errors import InvalidInput
from hypermnesia.serve.access import Access
from hypermnesia.serve.http.caller import Caller
from hypermnesia.serve.http.download import LINES, downloaded
from hypermnesia.serve.http.fields import Body, Scope
from hypermnesia.serve.http.jobs import ACCEPTED, begin
from hypermnesia.serve.http.problem import PROBLEMS, Failed, Problem
from hypermnesia.serve.http.replies import OneTime, Outcome
from hypermnesia.serve.http.workers import Pool
from hypermnesia.store.service import Job
from hypermnesia.types import Health
from hypermnesia.write.cleanse import Scanned

router = APIRouter(prefix="/api/v1", tags=["care"], responses=PROBLEMS)

COUNTED = "Hypermnesia-Memories"
"""Header that says how many memories an export holds; its other lines are links."""
_LINES_BODY = {
    "required": True,
    "content": {LINES: {"schema": {"type": "string", "pattern": r"[!-~]"}}},
}


@router.get(
    "/export",
    response_class=Response,
    responses={
        200: {
            "content": {LINES: {"schema": {"type": "string"}}},
            "headers": {COUNTED: {"schema": {"type": "integer"}}},
        }
    },
    operation_id="export",
)
async def export(
    access: Caller, workers: Pool, scope: Annotated[Scope | None, Query()] = None
) -> Response:
    """Everything of a scope as JSON lines; without one, of the whole store (administrators)."""
    name = None if scope is None else access.scope(scope)
    if name is None:
        access.must_own()
    memory = access.memory
    return await workers.run(
        lambda: downloaded(
            "memories.jsonl", lambda path: {COUNTED: memory.export(path, scope=name)}
        ),
        patient=True,
    )


@router.post(
    "/import",
    status_code=202,
    response_model=Job,
    responses={**ACCEPTED, 415: {"model": Problem, "description": "It is no file of JSON lines."}},
    openapi_extra={"requestBody": _LINES_BODY},
    operation_id="import_",
)
async def import_(request: Request, once: OneTime, access: Caller) -> Response:
    """Store what an export holds, ids, times and verdicts kept (administrators); a job."""
    access.must_own()
    access.must_write()
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != LINES:
        raise Failed(415, "UnsupportedMediaType", f"send JSON lines as {LINES}")
    payload = await request.body()
    if not payload.strip():
        raise InvalidInput("the body is empty; send the lines of an export")
    lines = payload.count(b"\n") + (not payload.endswith(b"\n"))
    return await once(lambda: begin(request, access, "import", None, payload, lines))


@router.post("/check", response_model=Health, operation_id="check")
async def check(access: Caller, workers: Pool) -> Response:
    """Compare rows and indexes with each other, and prove that a write works (administrators)."""
    access.must_own()
    health = await workers.run(access.memory.check, patient=True)
    return Outcome(health).response()


@router.post(
    "/reindex", status_code=202, response_model=Job, responses=ACCEPTED, operation_id="reindex"
)
async def reindex(request: Request, once: OneTime, access: Caller) -> Response:
    """Rebuild indexes, re-embed for another encoder (administrators); a job.

    Lexical search goes on meanwhile.
    """
    _look_after(access)
    return await once(lambda: begin(request, access, "reindex", None))


@router.post(
    "/backup", status_code=202, response_model=Job, responses=ACCEPTED, operation_id="backup"
)
async def backup(request: Request, once: OneTime, access: Caller) -> Response:
    """Copy the store into the service's folder for backups (administrators); a job."""
    _look_after(access)
    return await once(lambda: begin(request, access, "backup", None))


class Scan(Body):
    """What is looked through, and what becomes of what is found."""

    scope: Scope | None = Field(None, description="Without it, the whole store.")
    fix: bool = Field(default=False, description="Mask what is found, for good.")
    personal: bool = Field(default=False, description="Also look for personal data.")


@router.post("/scan", response_model=Scanned, operation_id="scan")
async def scan(once: OneTime, access: Caller, body: Scan) -> Response:
    """Look through what is stored for secrets (administrators)."""
    _look_after(access)
    return await once(lambda: Outcome(access.memory.scan(**body.sent())), patient=True)


def _look_after(access: Access) -> None:
    access.must_own()
    access.must_write()
