"""How memories hang together, and what happened last, over REST."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from hypermnesia.read.surroundings import Hyperedge, Surroundings
from hypermnesia.serve.http.caller import Caller
from hypermnesia.serve.http.fields import Scope
from hypermnesia.serve.http.problem import PROBLEMS
from hypermnesia.serve.http.replies import Outcome
from hypermnesia.serve.http.workers import Pool
from hypermnesia.store.protocol import Event
from hypermnesia.validate import MAX_PAGE

router = APIRouter(prefix="/api/v1", tags=["graph"], responses=PROBLEMS)

HEADS = 100
Limit = Annotated[int, Query(ge=1, le=MAX_PAGE)]


class Hyperedges(BaseModel):
    """Heads with what they hold."""

    items: list[Hyperedge]


class Numbered(BaseModel):
    """An event with its number, which only rises."""

    number: int
    event: Event


class Latest(BaseModel):
    """Events, the newest first."""

    items: list[Numbered]


@router.get(
    "/memories/{memory_id:uuid}/surroundings",
    response_model=Surroundings,
    operation_id="surroundings",
)
async def surroundings(
    access: Caller, workers: Pool, memory_id: UUID, limit: Limit = 100
) -> Response:
    """What a memory is joined to: hyperedges above and below it, and the talk it came from."""

    def work() -> Outcome:
        scope = access.scope_of(str(memory_id))
        return Outcome(access.memory.surroundings(str(memory_id), scope=scope, limit=limit))

    return (await workers.run(work)).response()


@router.get("/hyperedges", response_model=Hyperedges, operation_id="hyperedges")
async def hyperedges(
    access: Caller,
    workers: Pool,
    heads: Annotated[list[UUID], Query(min_length=1, max_length=HEADS)],
    scope: Annotated[Scope | None, Query()] = None,
    limit: Limit = 100,
) -> Response:
    """Heads with their first members, by falling weight."""
    name, ids = access.scope(scope), [str(head) for head in heads]
    found = await workers.run(lambda: access.memory.hyperedges(ids, scope=name, limit=limit))
    return Outcome({"items": found}).response()


@router.get("/events", response_model=Latest, operation_id="recent")
async def recent(
    access: Caller,
    workers: Pool,
    scope: Annotated[Scope | None, Query()] = None,
    limit: Limit = 50,
    after: Annotated[int, Query(ge=0, le=2**53, description="Only higher numbers.")] = 0,
) -> Response:
    """What happened last in a scope, the newest first."""
    name = access.scope(scope)
    found = await workers.run(lambda: access.memory.recent(scope=name, limit=limit, after=after))
    items = [{"number": number, "event": event} for number, event in found]
    return Outcome({"items": items}).response()
