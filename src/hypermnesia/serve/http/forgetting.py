"""Forgetting over REST."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import Field

from hypermnesia.memory import FORGET_SIMILARITY
from hypermnesia.serve.access import Access
from hypermnesia.serve.http.caller import Caller
from hypermnesia.serve.http.fields import Body, Question, Scope, Share
from hypermnesia.serve.http.problem import PROBLEMS
from hypermnesia.serve.http.replies import OneTime, Outcome
from hypermnesia.types import Forgotten

router = APIRouter(prefix="/api/v1", tags=["memories"], responses=PROBLEMS)

MAX_IDS = 200


class _Forgetting(Body):
    dry_run: bool = Field(default=False, description="Only tell what would be erased.")
    erase: bool = Field(
        default=False,
        description="Also rewrite the store and prove that nothing is left; takes a while.",
    )


class TheseIds(_Forgetting):
    """Memories by their ids; with a scope, they must belong to it."""

    ids: Annotated[
        list[Annotated[UUID, Field(strict=False)]], Field(min_length=1, max_length=MAX_IDS)
    ]
    scope: Scope | None = None


class LikeThis(_Forgetting):
    """Memories that are alike."""

    query: Question
    scope: Scope | None = None
    min_similarity: Share = Field(
        FORGET_SIMILARITY, description="Cosine from which a memory is meant."
    )


class WholeScope(_Forgetting):
    """Everything of a scope."""

    scope: Scope


@router.post("/forget", response_model=Forgotten, operation_id="forget")
async def forget(once: OneTime, access: Caller, body: TheseIds | LikeThis | WholeScope) -> Response:
    """Erase memories for good: by ids, by likeness, or a whole scope.

    With a turn go the facts that were drawn from no other, with its last member an episode or
    topic; the answer names them too. `dry_run` tells without erasing.
    """
    access.must_write()
    return await once(
        lambda: Outcome(access.memory.forget(**selection(access, body))), patient=body.erase
    )


def selection(access: Access, body: TheseIds | LikeThis | WholeScope) -> dict[str, Any]:
    """Arguments of the facade for what is meant, all of it within reach."""
    given = body.sent()
    if isinstance(body, TheseIds):
        given["ids"] = [str(one) for one in body.ids]
        for one in given["ids"]:
            access.scope_of(one)
        if body.scope is not None:
            given["scope"] = access.scope(body.scope)
        return given
    given["scope"] = access.scope(body.scope)
    return given
