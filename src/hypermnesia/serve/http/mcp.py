"""MCP over streamable HTTP: the tools of stdio, for clients of every revision at one address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from hypermnesia.config import Settings
from hypermnesia.memory import Memory
from hypermnesia.serve.http.caller import notices_of, principal_of
from hypermnesia.serve.http.metrics import Metrics
from hypermnesia.serve.mcp_desk import Carrier, Desk
from hypermnesia.serve.principal import Principal

PATH = "/mcp"
SESSIONS = 1000
"""Sessions of clients from before 2026-07-28 that are open at once."""
IDLE = 1800.0
"""Seconds after which one that says nothing is closed."""


class Endpoint:
    """Serves MCP; each request is its own sender's, whatever session it belongs to."""

    def __init__(
        self, memory: Memory, settings: Settings, carrier: Carrier, counts: Metrics
    ) -> None:
        desk = Desk(lambda: memory, None, carrier=carrier, principal_of=_sender)
        server = desk.server()
        server.middleware.append(_counted(counts))
        server.middleware.append(_with_notices)
        self._manager = _manager(server, settings)
        self.run = self._manager.run
        """Runs the sessions while the application lives: a mounted one's lifespan would not."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of somebody who is known.

        Raises:
            Unauthenticated: nobody said who sent it.
        """
        principal_of(HTTPConnection(scope))
        await self._manager.handle_request(scope, receive, send)


class Door:
    """Stands in the routes of an application from the beginning; the endpoint comes with its life.

    A session manager lives once, an application may be started several times.
    """

    def __init__(self) -> None:
        self.endpoint: Endpoint | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if self.endpoint is None:
            raise HTTPException(503, "the service is starting or leaving")
        await self.endpoint(scope, receive, send)


def route(door: Door) -> Route:
    """The one address of MCP, for all of its methods."""
    return Route(PATH, endpoint=door)


def _manager(server: Server[Any], settings: Settings) -> StreamableHTTPSessionManager:
    # Host and Origin are checked, and bodies bounded, for every address alike: not here.
    return StreamableHTTPSessionManager(
        server,
        max_request_body_size=settings.serve_body,
        session_idle_timeout=IDLE,
        max_sessions=SESSIONS,
    )


def _sender(context: ServerRequestContext[Any, Any]) -> Principal:
    if not isinstance(context.request, HTTPConnection):
        raise TypeError("an MCP message came without its HTTP request")
    return principal_of(context.request)


def _counted(counts: Metrics) -> Callable[..., Any]:
    async def middleware(
        context: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        result = await call_next(context)
        if context.method == "tools/call" and context.params is not None:
            failed = isinstance(result, dict) and bool(result.get("isError"))
            counts.called(str(context.params.get("name")), failed=failed)
        return result

    return middleware


async def _with_notices(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Tell an agent what the answer's headers say of its quota: it never sees them."""
    result = await call_next(ctx)
    if ctx.method != "tools/call" or not isinstance(ctx.request, HTTPConnection):
        return result
    notices = notices_of(ctx.request)
    if not notices or not isinstance(result, dict) or "content" not in result:
        return result
    told = [{"type": "text", "text": notice} for notice in notices]
    return {**result, "content": [*result["content"], *told]}
