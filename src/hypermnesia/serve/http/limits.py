"""Bounds of what a client may send: how much, and how slowly."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hypermnesia.config import Settings
from hypermnesia.serve.http.problem import Failed, problem_response

UPLOADS = frozenset({"/api/v1/ingest", "/api/v1/import", "/api/ingest"})
"""Where whole conversations and stores arrive."""


class Limits:
    """An ASGI middleware that ends a request whose body is too large or too slow.

    The time runs from the first byte that is asked for to the last, so that a client which
    sends one byte now and then holds nothing up.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with a guarded body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._most(scope["path"])
        try:
            _refuse_announced(scope, most)
        except Failed as error:
            response = problem_response(
                error.status_code, error.kind, error.detail, {"Connection": "close"}
            )
            await response(scope, receive, send)
            return
        guard = _Guard(receive, most, self._settings.serve_body_timeout)
        await self._app(scope, guard.receive, send)

    def _most(self, path: str) -> int:
        upload = path in UPLOADS or path.startswith("/console/import")
        return self._settings.serve_upload if upload else self._settings.serve_body


class _Guard:
    """The body of one request."""

    def __init__(self, receive: Receive, most: int, timeout: float) -> None:
        self._receive = receive
        self._most = most
        self._timeout = timeout
        self._received = 0
        self._deadline: float | None = None
        self._complete = False

    async def receive(self) -> Message:
        """The next message; what comes after the body may take its time."""
        if self._complete:
            return await self._receive()
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self._timeout
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise Failed(
                HTTPStatus.REQUEST_TIMEOUT,
                "slow",
                f"the body did not arrive within {self._timeout:g} s",
                {"Connection": "close"},
            ) from None
        self._received += len(message.get("body", b""))
        if self._received > self._most:
            raise _too_large(self._most)
        self._complete = not message.get("more_body", False)
        return message


def _refuse_announced(scope: Scope, most: int) -> None:
    if {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}:
        # Whatever stands in front may go by the other one, and take the rest for a request.
        raise Failed(HTTPStatus.BAD_REQUEST, "ambiguous", "the body has two lengths")
    for name, value in scope["headers"]:
        if name == b"content-length" and (not value.isdigit() or int(value) > most):
            raise _too_large(most)


def _too_large(most: int) -> Failed:
    return Failed(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "large",
        f"the body has more than {most:,} bytes; send less at a time",
        {"Connection": "close"},
    )
