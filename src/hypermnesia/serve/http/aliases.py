"""The short names under which the published service offers its verbs: `POST /api/{verb}`.

They take and answer what the operations of `/api/v1` do that they stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from hypermnesia.serve.http import forgetting, memories, recall
from hypermnesia.serve.http.caller import Caller
from hypermnesia.serve.http.fields import WHOLE, Body, Cursor, Filters, Scope
from hypermnesia.serve.http.problem import PROBLEMS
from hypermnesia.serve.http.replies import Outcome
from hypermnesia.serve.http.workers import Pool
from hypermnesia.serve.mcp_tools import HELP
from hypermnesia.types import Added, Forgotten, Page, Profile, Suggestion
from hypermnesia.validate import MAX_PAGE

router = APIRouter(prefix="/api", tags=["published names"], responses=PROBLEMS)


class Listing(Filters):
    """Which memories, and which page of them."""

    scope: Scope | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE), WHOLE] = 50
    cursor: Cursor | None = None
    newest: bool = True


class Which(Body):
    """Which scope."""

    scope: Scope | None = None


async def list_(access: Caller, workers: Pool, body: Listing) -> Response:
    """Memories by event time, a page at a time."""
    scope = access.scope(body.scope)
    page = await workers.run(lambda: access.memory.list(**body.sent("scope"), scope=scope))
    return Outcome(page).response()


async def profile(access: Caller, workers: Pool, body: Which) -> Response:
    """A scope at a glance."""
    return await recall.profile(access, workers, body.scope)


async def help_(access: Caller) -> Response:
    """How to use the memory."""
    del access
    return Outcome({"help": HELP}).response()


_VERBS: Mapping[str, tuple[Callable[..., Any], Any, int]] = {
    "add": (memories.add, Added, 201),
    "search": (recall.search, recall.Found, 200),
    "suggest": (recall.suggest, Suggestion, 200),
    "list": (list_, Page, 200),
    "profile": (profile, Profile, 200),
    "forget": (forgetting.forget, Forgotten, 200),
    "help": (help_, dict[str, str], 200),
}

for _name, (_verb, _answer, _status) in _VERBS.items():
    router.add_api_route(
        f"/{_name}",
        _verb,
        methods=["POST"],
        response_model=_answer,
        status_code=_status,
        operation_id=f"published_{_name}",
    )
