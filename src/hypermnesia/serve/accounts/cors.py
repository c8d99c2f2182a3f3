"""Pages of other origins that may call the service, with a token and never with a session."""

from __future__ import annotations

from http import HTTPStatus

from starlette.responses import Response

from hypermnesia.serve.accounts.site import Connection, header

Headers = list[tuple[bytes, bytes]]

_ASKED = b"access-control-request-method"
_SENT = (
    "authorization, content-type, accept, idempotency-key, if-match, mcp-protocol-version,"
    " mcp-method, mcp-name, mcp-session-id, last-event-id"
)
_SHOWN = "etag, location, retry-after, www-authenticate, mcp-session-id, hypermnesia-notice"
_KEPT = 600
"""Seconds for which a browser need not ask again."""


def answered(connection: Connection, origins: tuple[str, ...]) -> Response | None:
    """The answer to a browser that asks whether a page may call, if it may."""
    origin = _allowed(connection, origins)
    asks = connection["method"] == "OPTIONS" and header(connection, _ASKED) is not None
    if origin is None or not asks:
        return None
    told = {
        "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
        "Access-Control-Allow-Headers": _SENT,
        "Access-Control-Max-Age": str(_KEPT),
    }
    return Response(None, HTTPStatus.NO_CONTENT, told)


def shared(connection: Connection, origins: tuple[str, ...]) -> Headers:
    """What lets the page read an answer."""
    origin = _allowed(connection, origins)
    if origin is None:
        return []
    return [
        (b"access-control-allow-origin", origin.encode()),
        (b"access-control-expose-headers", _SHOWN.encode()),
        (b"vary", b"Origin"),
    ]


def _allowed(connection: Connection, origins: tuple[str, ...]) -> str | None:
    sent = [value.decode("latin-1") for name, value in connection["headers"] if name == b"origin"]
    return sent[0] if len(sent) == 1 and sent[0] in origins else None
