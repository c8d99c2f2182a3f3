"""The cookie of a session."""

from __future__ import annotations

from starlette.requests import cookie_parser
from starlette.responses import Response

from hypermnesia.serve.accounts.site import Connection, header

NAME = "hypermnesia_session"
SECURE_NAME = f"__Host-{NAME}"
"""Browsers take it over TLS alone, and from no other host."""


def session_of(connection: Connection, *, secure: bool) -> str | None:
    """The session's secret, from the cookie that :func:`give` makes.

    Args:
        connection: the request.
        secure: the service is reached over TLS.

    Raises:
        Failed: 400, the header stands there twice.
    """
    sent = header(connection, b"cookie")
    if sent is None:
        return None
    # Other cookies of the host may be of any kind: the standard library's parser gives up at some.
    return cookie_parser(sent).get(SECURE_NAME if secure else NAME) or None


def give(response: Response, secret: str, life: int, *, secure: bool) -> None:
    """Keep a session in the browser.

    Lax and not Strict: an OAuth client sends people here from its own page.

    Args:
        response: what goes to the browser.
        secret: the session's.
        life: seconds.
        secure: the service is reached over TLS.
    """
    response.set_cookie(
        SECURE_NAME if secure else NAME,
        secret,
        max_age=life,
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def take(response: Response) -> None:
    """Remove the session from the browser."""
    response.delete_cookie(NAME, path="/", httponly=True, samesite="lax")
    response.delete_cookie(SECURE_NAME, path="/", secure=True, httponly=True, samesite="lax")
