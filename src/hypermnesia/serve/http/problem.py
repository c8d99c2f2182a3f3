"""Errors as ``application/problem+json`` (RFC 9457): the same shape whatever went wrong."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from hypermnesia.errors import (
    Conflict,
    EncoderMismatch,
    Forbidden,
    HypermnesiaError,
    InvalidInput,
    JudgeError,
    LimitReached,
    ModelError,
    NotFound,
    Outdated,
    Refused,
    ServiceError,
    StoreBusy,
    StoreError,
    TimedOut,
    Unauthenticated,
)
from hypermnesia.serve.http.places import Places

log = logging.getLogger("hypermnesia.serve")

MEDIA_TYPE = "application/problem+json"

_STATUS: Mapping[type[HypermnesiaError], int] = {
    InvalidInput: 422,
    Refused: 422,
    NotFound: 404,
    Outdated: 412,
    Conflict: 409,
    Unauthenticated: 401,
    Forbidden: 403,
    LimitReached: 429,
    StoreBusy: 503,
    StoreError: 503,
    EncoderMismatch: 503,
    ModelError: 503,
    JudgeError: 503,
    ServiceError: 503,
    TimedOut: 504,
}
BUSY_FOR = 1
"""Seconds after which a client may try again when the store or the service is busy."""


class Fault(BaseModel):
    """One part of a request that cannot be used."""

    where: str = Field(description="As in `body.content`.")
    message: str


class Problem(BaseModel):
    """What went wrong."""

    type: str = Field(description="`urn:hypermnesia:` and the name of the kind of error.")
    title: str
    status: int
    detail: str
    errors: list[Fault] = Field(default=[], description="Each part that cannot be used.")
    rule: str | None = Field(None, description="What refused a text.")


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": HTTPStatus(status).phrase}
    for status in (400, 401, 403, 404, 408, 409, 412, 413, 422, 428, 429, 500, 503, 504)
}
"""What any operation may answer instead, for its description; see :func:`described`."""


class Failed(HTTPException):
    """A failure of the protocol rather than of the memory: too large, too slow, a wrong match."""

    def __init__(
        self, status: int, kind: str, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, detail, headers)
        self.kind = kind


def problem_response(
    status: int,
    kind: str,
    detail: str,
    headers: Mapping[str, str] | None = None,
    errors: Sequence[Fault] = (),
    rule: str | None = None,
) -> JSONResponse:
    """A problem as it is sent."""
    problem = Problem(
        type=f"urn:hypermnesia:{kind}",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        errors=list(errors),
        rule=rule,
    )
    body = problem.model_dump(exclude_defaults=True)
    return JSONResponse(body, status, headers, MEDIA_TYPE)


def told(error: HypermnesiaError) -> JSONResponse:
    """What the package raised on purpose, as it is sent."""
    kinds = (kind for kind in type(error).__mro__ if kind in _STATUS)
    status = _STATUS.get(next(kinds, HypermnesiaError), 500)
    headers: dict[str, str] = {}
    if isinstance(error, LimitReached):
        headers["Retry-After"] = str(max(1, round(error.retry_after)))
    elif status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = str(BUSY_FOR)
    elif isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    rule = error.rule if isinstance(error, Refused) else None
    return problem_response(status, type(error).__name__, str(error), headers, rule=rule)


async def _on_own(_request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HypermnesiaError):
        raise error
    return told(error)


async def _on_http(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    status, headers = error.status_code, dict(error.headers or {})
    places: Places = request.app.state.places
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(places.methods(request.url.path))
    kind = error.kind if isinstance(error, Failed) else HTTPStatus(status).name.lower()
    return problem_response(status, kind, error.detail, headers)


async def _on_invalid(_request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    items = error.errors()
    if [(item["type"], item["loc"]) for item in items] == [("missing", ("header", "if-match"))]:
        return problem_response(
            428, "IfMatchNeeded", "send If-Match with the ETag that GET returned, or *"
        )
    faults = [_fault(item) for item in items]
    detail = "; ".join(f"{fault.where}: {fault.message}" for fault in faults[:5])
    return problem_response(422, "InvalidInput", detail, errors=faults[:50])


async def _on_bug(request: Request, error: Exception) -> JSONResponse:
    # The outermost adapter: the log names the place, never what was sent.
    places: Places = request.app.state.places
    log.error("%s %s failed", request.method, places.declared(request.url.path), exc_info=error)
    return problem_response(500, "Bug", "this is a bug; the service's log says where")


def _fault(item: Mapping[str, Any]) -> Fault:
    """A finding of pydantic, without the value it found."""
    return Fault(where=".".join(map(str, item["loc"])), message=str(item["msg"]))


def install(app: FastAPI) -> None:
    """Let every error of an application be told as a problem, and described as one."""
    plain_description = app.openapi

    def described() -> dict[str, Any]:
        description = plain_description()
        for path in description["paths"].values():
            for operation in path.values():
                for status, response in operation["responses"].items():
                    content = response.get("content", {})
                    if status >= "4" and "application/json" in content:
                        content[MEDIA_TYPE] = content.pop("application/json")
        return description

    app.openapi = described
    app.add_exception_handler(HypermnesiaError, _on_own)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(Exception, _on_bug)
