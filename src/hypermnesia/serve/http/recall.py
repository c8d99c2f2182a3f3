"""What is remembered, over REST: searched, packed, answered from, and at a glance."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from hypermnesia.answer.result import Answer
from hypermnesia.read.context import Citation
from hypermnesia.serve.http.caller import Caller
from hypermnesia.serve.http.fields import (
    WHOLE,
    Body,
    Content,
    Filters,
    Hits,
    Question,
    Scope,
    Share,
)
from hypermnesia.serve.http.problem import PROBLEMS
from hypermnesia.serve.http.replies import Outcome
from hypermnesia.serve.http.workers import Pool
from hypermnesia.types import Hit, Profile, Suggestion

router = APIRouter(prefix="/api/v1", tags=["recall"], responses=PROBLEMS)

Budget = Annotated[int, Field(ge=50, le=100_000, description="Tokens, never exceeded."), WHOLE]


class Search(Filters):
    """A question or words."""

    query: Question
    scope: Scope | None = None
    k: Hits = 10
    min_score: Share = 0.0


class Found(BaseModel):
    """The memories that answer best, the best first, each with its reasons."""

    items: list[Hit]


class Wanted(Filters):
    """What a context is for."""

    query: Question
    scope: Scope | None = None
    max_tokens: Budget = 2000
    k: Hits = 50


class Block(BaseModel):
    """A prompt-ready text with its sources."""

    text: str
    tokens: int
    citations: list[Citation]


class Asked(Filters):
    """One question."""

    question: Question
    scope: Scope | None = None
    max_tokens: Budget = 4000
    k: Hits = 50


class Candidate(Body):
    """A text that one thinks of adding."""

    content: Content
    scope: Scope | None = None
    k: Hits = 5


class Names(BaseModel):
    """Scopes that hold a memory."""

    items: list[str]


@router.post("/search", response_model=Found, operation_id="search")
async def search(access: Caller, workers: Pool, body: Search) -> Response:
    """The memories that answer best, each with its reasons."""
    scope = access.scope(body.scope)
    hits = await workers.run(lambda: access.memory.search(**body.sent("scope"), scope=scope))
    return Outcome({"items": hits}).response()


@router.post("/context", response_model=Block, operation_id="context")
async def context(access: Caller, workers: Pool, body: Wanted) -> Response:
    """Hits packed into a prompt-ready text with dates and citations."""
    scope = access.scope(body.scope)
    block = await workers.run(lambda: access.memory.context(**body.sent("scope"), scope=scope))
    packed = {"text": str(block), "tokens": block.tokens, "citations": block.citations}
    return Outcome(packed).response()


@router.post("/answer", response_model=Answer, operation_id="answer")
async def answer(access: Caller, workers: Pool, body: Asked) -> Response:
    """Answer a question from what is remembered, or say that it is not known."""
    scope = access.scope(body.scope)
    found = await workers.run(lambda: access.memory.answer(**body.sent("scope"), scope=scope))
    return Outcome(found).response()


@router.post("/suggest", response_model=Suggestion, operation_id="suggest")
async def suggest(access: Caller, workers: Pool, body: Candidate) -> Response:
    """What is known already about a text that one thinks of adding."""
    scope = access.scope(body.scope)
    known = await workers.run(lambda: access.memory.suggest(**body.sent("scope"), scope=scope))
    return Outcome(known).response()


@router.get("/profile", response_model=Profile, operation_id="profile")
async def profile(
    access: Caller, workers: Pool, scope: Annotated[Scope | None, Query()] = None
) -> Response:
    """A scope at a glance: counts, time span, and what matters most by type."""
    name = access.scope(scope)
    return Outcome(await workers.run(lambda: access.memory.profile(name))).response()


@router.get("/scopes", response_model=Names, operation_id="scopes")
async def scopes(access: Caller, workers: Pool) -> Response:
    """Names of the scopes within reach that hold a memory."""
    return Outcome({"items": await workers.run(access.scopes)}).response()
