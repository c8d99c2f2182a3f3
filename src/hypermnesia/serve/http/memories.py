"""Single memories over REST."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response
from pydantic import BaseModel, Field

from hypermnesia.serve.access import Access
from hypermnesia.serve.http.caller import Caller
from hypermnesia.serve.http.fields import (
    Body,
    Content,
    Cursor,
    Metadata,
    Moment,
    Provenance,
    Scope,
    Share,
    Sought,
    Tag,
    Tags,
    equality,
)
from hypermnesia.serve.http.problem import PROBLEMS, Failed
from hypermnesia.serve.http.replies import OneTime, Outcome, version_of
from hypermnesia.serve.http.workers import Pool
from hypermnesia.store.protocol import Event
from hypermnesia.types import Added, Failure, Forgotten, Level, MemoryType, Node, Page
from hypermnesia.validate import MAX_PAGE, MAX_TAGS

router = APIRouter(prefix="/api/v1", tags=["memories"], responses=PROBLEMS)

BATCH = 200
"""Texts of one request."""
ETAG = {"ETag": {"description": "Version of the memory.", "schema": {"type": "string"}}}


class NewMemory(Body):
    """A text to remember."""

    content: Content
    scope: Scope | None = None
    at: Moment | None = Field(None, description="Since when it holds; without it, now.")
    tags: Tags | None = None
    metadata: Metadata | None = None
    memory_type: MemoryType | None = Field(None, description="Without it the judge decides.")
    pin: bool = Field(default=False, description="Keep it active whatever its salience.")
    provenance: Provenance | None = None


class NewMemories(Body):
    """Texts to remember; a bad one fails alone."""

    items: Annotated[list[str | dict[str, Any]], Field(max_length=BATCH)] = Field(
        description="Texts, or what `add` takes."
    )
    scope: Scope | None = Field(None, description="Of the items that name none.")


class Batch(BaseModel):
    """What became of each text, in the order given."""

    items: list[Added | Failure]


class Correction(Body):
    """New values; what is left out or null stays."""

    content: Content | None = None
    at: Moment | None = None
    tags: Tags | None = None
    metadata: Metadata | None = None
    memory_type: MemoryType | None = None
    salience: Annotated[float, Field(ge=0, le=4)] | None = None
    durable: Share | None = None
    pin: bool | None = None


class Listing(BaseModel, extra="forbid"):
    """Which memories, and which page of them."""

    scope: Scope | None = None
    limit: int = Field(50, ge=1, le=MAX_PAGE)
    cursor: Cursor | None = None
    newest: bool = Field(default=True, description="Newest first.")
    levels: list[Level] = []
    types: list[MemoryType] = []
    tags: Annotated[list[Tag], Field(max_length=MAX_TAGS)] = []
    metadata: list[Annotated[str, Field(pattern=r"^[^=]+=[\s\S]*$")]] = Field(
        [], description="`KEY=VALUE`, equal to all of these; VALUE is JSON if it parses, else text."
    )
    status: list[Sought] = []
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None


class History(BaseModel):
    """Every version of a memory, oldest first."""

    items: list[Node]


class Events(BaseModel):
    """What happened to a memory, oldest first."""

    items: list[Event]


@router.post("/memories", status_code=201, response_model=Added, operation_id="add")
async def add(once: OneTime, access: Caller, body: NewMemory) -> Response:
    """Remember a text: judged, gated, indexed, and compared with what it may replace.

    When it is answered, the memory is durable and every process on the store finds it.
    """
    scope = access.write_scope(body.scope)
    fields = body.sent("scope")
    return await once(lambda: Outcome(access.memory.add(**fields, scope=scope), 201))


@router.post("/memories/batch", response_model=Batch, operation_id="add_many")
async def add_many(once: OneTime, access: Caller, body: NewMemories) -> Response:
    """Remember many texts; a bad one fails alone and is reported in its place."""
    scope = access.write_scope(body.scope)
    items = [_item(access, item) for item in body.items]
    return await once(lambda: Outcome({"items": access.memory.add_many(items, scope=scope)}))


def _item(access: Access, item: str | dict[str, Any]) -> str | dict[str, Any]:
    scope = item.get("scope") if isinstance(item, dict) else None
    if isinstance(scope, str):
        access.write_scope(scope)
    return item


@router.get("/memories", response_model=Page, operation_id="list")
async def list_(access: Caller, workers: Pool, which: Annotated[Listing, Query()]) -> Response:
    """Memories by event time, a page at a time."""
    scope = access.scope(which.scope)
    fields = which.model_dump(exclude={"scope", "metadata"})
    pairs = dict(equality(pair) for pair in which.metadata)
    page = await workers.run(
        lambda: access.memory.list(**fields, metadata=pairs or None, scope=scope)
    )
    return Outcome(page).response()


@router.get(
    "/memories/{memory_id:uuid}",
    response_model=Node,
    responses={200: {"headers": ETAG}},
    operation_id="get",
)
async def get(
    access: Caller,
    workers: Pool,
    memory_id: UUID,
    reveal: Annotated[
        bool, Query(description="Show secrets that recall masks (administrators).")
    ] = False,
) -> Response:
    """One memory by its id, whatever its status; the ETag is for a later PATCH."""
    if reveal:
        access.must_own()
    return (await workers.run(lambda: read(access, str(memory_id), reveal=reveal))).response()


def read(access: Access, memory_id: str, *, reveal: bool = False) -> Outcome:
    """A memory with its version."""
    scope = access.scope_of(memory_id)
    shown = access.memory.get(memory_id, scope=scope, reveal=reveal)
    version = version_of(access.memory.get(memory_id, scope=scope) if reveal else shown)
    return Outcome(shown, headers={"ETag": version})


@router.patch("/memories/{memory_id:uuid}", response_model=Added, operation_id="update")
async def update(
    once: OneTime,
    access: Caller,
    memory_id: UUID,
    body: Correction,
    if_match: Annotated[
        str,
        Header(
            pattern=r'^(\*|"[!#-~]+"(, *"[!#-~]+")*)$',
            description="ETag of the memory as the client read it, or `*` for any version.",
        ),
    ],
) -> Response:
    """Correct a memory in place. If the world changed, add the new fact instead.

    Without `If-Match` it is refused (428); if the memory changed since, too (412).
    """
    fields = body.sent()

    def work() -> Outcome:
        scope = access.write_scope_of(str(memory_id))
        if if_match == "*":
            return Outcome(access.memory.update(str(memory_id), scope=scope, **fields))
        node = access.memory.get(str(memory_id), scope=scope)
        if version_of(node) not in (tag.strip() for tag in if_match.split(",")):
            raise Failed(412, "Outdated", f"memory {memory_id} was changed since; read it again")
        return Outcome(
            access.memory.update(
                str(memory_id), scope=scope, unchanged_since=node.updated_at, **fields
            )
        )

    return await once(work)


@router.delete("/memories/{memory_id:uuid}", response_model=Forgotten, operation_id="forget_one")
async def forget_one(once: OneTime, access: Caller, memory_id: UUID) -> Response:
    """Erase one memory for good, and what stood on it alone."""

    def work() -> Outcome:
        scope = access.write_scope_of(str(memory_id))
        return Outcome(access.memory.forget(ids=[str(memory_id)], scope=scope))

    return await once(work)


@router.get("/memories/{memory_id:uuid}/history", response_model=History, operation_id="history")
async def history(access: Caller, workers: Pool, memory_id: UUID) -> Response:
    """Every version linked to a memory by supersession, oldest first."""

    def work() -> Outcome:
        scope = access.scope_of(str(memory_id))
        return Outcome({"items": access.memory.history(str(memory_id), scope=scope)})

    return (await workers.run(work)).response()


@router.get("/memories/{memory_id:uuid}/events", response_model=Events, operation_id="events")
async def events(access: Caller, workers: Pool, memory_id: UUID) -> Response:
    """What happened to a memory, oldest first."""

    def work() -> Outcome:
        scope = access.scope_of(str(memory_id))
        return Outcome({"items": access.memory.events(str(memory_id), scope=scope)})

    return (await workers.run(work)).response()


@router.post("/memories/{memory_id:uuid}/restore", response_model=Node, operation_id="restore")
async def restore(access: Caller, workers: Pool, memory_id: UUID) -> Response:
    """Undo a supersession, or lift a memory over the gate; doing it twice changes nothing."""

    def work() -> Outcome:
        access.memory.restore(str(memory_id), scope=access.write_scope_of(str(memory_id)))
        return read(access, str(memory_id))

    return (await workers.run(work)).response()
