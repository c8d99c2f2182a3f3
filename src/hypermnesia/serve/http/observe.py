"""What is to be seen of each request from outside: a line, a span, a count; never its content."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping

from opentelemetry import propagate, trace
from opentelemetry.trace import SpanKind, Status, StatusCode
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hypermnesia.identity import new_id
from hypermnesia.serve.http.metrics import Metrics
from hypermnesia.serve.http.places import Places
from hypermnesia.serve.principal import Principal

log = logging.getLogger("hypermnesia.access")

REQUEST_ID = b"x-request-id"
_SERVER_ERROR = 500


class Observer:
    """An ASGI middleware around everything else.

    A span continues the trace that the client is in, if it says so; without an OpenTelemetry
    SDK it costs nothing. The path is told as its route, which holds no ids and no queries.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, places: Places) -> None:
        self._app = app
        self._places = places
        self._metrics = metrics
        self._tracer = trace.get_tracer("hypermnesia.serve")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and tell how it went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, request_id, status = time.perf_counter(), new_id(), _SERVER_ERROR

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", []), (REQUEST_ID, request_id.encode())]
                message = {**message, "headers": headers}
            await send(message)

        method: str = scope["method"]
        self._metrics.begun()
        context = propagate.extract(_carrier(scope))
        with self._tracer.start_as_current_span(method, context, SpanKind.SERVER) as span:
            try:
                await self._app(scope, receive, noted)
            finally:
                route, seconds = self._places.declared(scope["path"]), time.perf_counter() - began
                span.update_name(f"{method} {route}")
                span.set_attribute("http.request.method", method)
                span.set_attribute("http.route", route)
                span.set_attribute("http.response.status_code", status)
                if status >= _SERVER_ERROR:
                    span.set_status(Status(StatusCode.ERROR))
                self._metrics.answered(method, route, status, seconds)
                log.info(
                    "request", extra={"seen": _seen(scope, route, status, seconds, request_id)}
                )


def _carrier(scope: Scope) -> dict[str, str]:
    named = {b"traceparent", b"tracestate"}
    return {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"] if k in named}


def _seen(
    scope: Scope, route: str, status: int, seconds: float, request_id: str
) -> Mapping[str, str | int | float | None]:
    principal = scope.get("state", {}).get("principal")
    return {
        "request": request_id,
        "method": scope["method"],
        "route": route,
        "status": status,
        "ms": round(seconds * 1000, 1),
        "principal": principal.name if isinstance(principal, Principal) else None,
    }
