"""Forms that only the console's own pages can send.

Two independent checks: the browser must say that the request comes from the console's own origin,
and the form must carry a token that is bound to a cookie no other site can read. The cookie is
HttpOnly and SameSite=Strict; the token is a keyed digest of it and of the session, so that neither
can be made up, nor the one of another visitor be used.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response

from hypermnesia.errors import Forbidden

COOKIE = "hypermnesia_console"
FIELD = "token"
"""Name of the form field that carries the token."""
MOST_FIELDS = 1100
"""Fields of one form: those of a page of memories to choose from, and a few more."""
MOST_TEXT = 800_000
"""Bytes of one field as it is sent: a memory of 64,000 characters takes up to twelve for each."""


@dataclass(frozen=True, slots=True)
class Seal:
    """Makes and checks tokens; its key lives as long as the process."""

    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def token(self, request: Request, cookie: str) -> str:
        """The token that goes with a cookie, and with the session of who signed in."""
        session: str = getattr(request.state, "csrf", "")
        return hmac.new(self.key, f"{cookie} {session}".encode(), "sha256").hexdigest()

    def check(self, request: Request, given: object) -> None:
        """Refuse a form that was not sent by one of the console's pages.

        Raises:
            Forbidden: it came from elsewhere, or its token is missing or wrong.
        """
        if not _own_origin(request):
            raise Forbidden("the form was sent from another site; open the console and try there")
        cookie = request.cookies.get(COOKIE, "")
        expected = self.token(request, cookie)
        right = isinstance(given, str) and hmac.compare_digest(expected.encode(), given.encode())
        if not cookie or not right:
            raise Forbidden(
                "the form is no longer valid, because the service was restarted or cookies are"
                " blocked; go back, reload the page and send it again"
            )


def cookie_of(request: Request) -> str:
    """The browser's cookie, or a fresh one."""
    return request.cookies.get(COOKIE) or secrets.token_urlsafe(32)


def keep_cookie(request: Request, response: Response, cookie: str) -> None:
    """Give the browser its cookie, unless it has it."""
    if request.cookies.get(COOKIE) != cookie:
        response.set_cookie(
            COOKIE,
            cookie,
            path="/console",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )


def _own_origin(request: Request) -> bool:
    """Whether nothing in the request says that another site sent it.

    The scheme is not compared: behind a proxy that ends TLS it differs from the browser's.
    """
    site = request.headers.get("sec-fetch-site")
    if site not in {None, "same-origin", "none"}:
        return False
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")
