"""The reasoning corpus over REST: consent, what is queued, and handing it over."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from hypermnesia.corpus.consent import Consent
from hypermnesia.serve.http.caller import Caller
from hypermnesia.serve.http.download import LINES, downloaded
from hypermnesia.serve.http.fields import Body, Scope
from hypermnesia.serve.http.problem import PROBLEMS
from hypermnesia.serve.http.replies import OneTime, Outcome
from hypermnesia.serve.http.workers import Pool
from hypermnesia.store.outbox import Tally

router = APIRouter(prefix="/api/v1", tags=["corpus"], responses=PROBLEMS)


ROWS = "Hypermnesia-Rows"
"""Header that says how many rows an export holds."""
WITHHELD = "Hypermnesia-Withheld"
"""Header that says how many rows it leaves out, because the scan found something in them."""


class Stats(BaseModel):
    """What is queued, and what became of the rest."""

    consenting: dict[str, datetime]
    tallies: list[Tally]
    flushed_at: datetime | None


class Choice(Body):
    """Whether judgements of a scope may be queued and leave; null tells what holds."""

    given: bool | None = None
    scope: Scope | None = None


class Part(Body):
    """What is to be handed over; without a scope everything (administrators)."""

    scope: Scope | None = None


class HandedOver(BaseModel):
    """What a flush handed over."""

    rows: int
    withheld: int = Field(description="Stay for good: the scan found something in them.")
    pending: int
    files: list[str] = Field(description="Names in the service's folder.")
    repo: str | None


@router.get("/corpus", response_model=Stats, operation_id="corpus_stats")
async def stats(
    access: Caller, workers: Pool, scope: Annotated[Scope | None, Query()] = None
) -> Response:
    """What is queued, and what became of the rest; without a scope of all (administrators)."""
    name = None if scope is None and access.principal.admin else access.scope(scope)
    found = await workers.run(lambda: access.memory.corpus_stats(scope=name))
    return Outcome(found).response()


@router.get(
    "/corpus/export",
    response_class=Response,
    responses={
        200: {
            "content": {LINES: {"schema": {"type": "string"}}},
            "headers": {name: {"schema": {"type": "integer"}} for name in (ROWS, WITHHELD)},
        }
    },
    operation_id="corpus_export",
)
async def export(
    access: Caller, workers: Pool, scope: Annotated[Scope | None, Query()] = None
) -> Response:
    """What a scope has queued, or left and is kept, as JSON lines; nothing in the queue changes.

    Without a scope the rows of all scopes that agree (administrators). A scope that does not agree
    has none.
    """
    name = None if scope is None else access.scope(scope)
    if name is None:
        access.must_own()

    def write(path: Path) -> Mapping[str, int]:
        written = access.memory.corpus_export(path, scope=name)
        return {ROWS: written.rows, WITHHELD: written.withheld}

    return await workers.run(lambda: downloaded("corpus.jsonl", write), patient=True)


@router.post("/corpus/consent", response_model=Consent, operation_id="corpus_consent")
async def consent(once: OneTime, access: Caller, body: Choice) -> Response:
    """Let a scope's judgements be queued and leave, or no longer; off unless given.

    What had not left when consent is withdrawn is dropped at once.
    """
    scope = access.scope(body.scope) if body.given is None else access.write_scope(body.scope)
    return await once(lambda: Outcome(access.memory.corpus_consent(body.given, scope=scope)))


@router.post("/corpus/flush", response_model=HandedOver, operation_id="corpus_flush")
async def flush(once: OneTime, access: Caller, body: Part) -> Response:
    """Hand over what is queued, the oldest first."""
    if body.scope is None:
        access.must_own()
    scope = None if body.scope is None else access.scope(body.scope)
    access.must_write()

    def work() -> Outcome:
        done = access.memory.corpus_flush(scope=scope)
        files = [path.name for path in done.files]
        return Outcome(HandedOver(
            rows=done.rows, withheld=done.withheld, pending=done.pending, files=files,
            repo=done.repo,
        ).model_dump())  # fmt: skip

    return await once(work, patient=True)
