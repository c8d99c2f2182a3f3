"""Single memories over REST."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse

from hypermnesia.serial import plain
from hypermnesia.serve.http.caller import Caller
from hypermnesia.types import Added

router = APIRouter(tags=["memories"])


class NewMemory(BaseModel):
    """A text to remember."""

    model_config = ConfigDict(extra="forbid")

    content: str = Field(min_length=1, max_length=64_000)
    scope: str | None = None
    tags: list[str] = []
    metadata: dict[str, Any] = {}
    pin: bool = False


@router.post("/memories", status_code=201, response_model=Added, operation_id="add")
async def add(request: Request, access: Caller, body: NewMemory) -> JSONResponse:
    """Remember a text: judged, gated, indexed, and compared with what it may replace."""
    scope = access.write_scope(body.scope)
    fields = body.model_dump(exclude={"scope"})
    added = await request.app.state.workers.run(
        lambda: access.memory.add(**fields, scope=scope, provenance={"source": "rest"})
    )
    return JSONResponse(plain(added), 201)
