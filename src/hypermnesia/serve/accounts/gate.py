"""What every request passes before anything else: who sends it, and may it come in.

Nothing passes unless a rule lets it. In this order: an address that means only one thing; no
secret in it; the service's own name (DNS rebinding) and no foreign page (CSRF); a credential
that is live; a rate, and for calls of the memory a quota, that is not used up.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import anyio.to_thread
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hypermnesia.errors import (
    Forbidden,
    HypermnesiaError,
    LimitReached,
    Unauthenticated,
)
from hypermnesia.serve.accounts import actions, addresses, audit, challenge, cors, quota
from hypermnesia.serve.accounts.caller import Caller, authenticate
from hypermnesia.serve.accounts.cookies import session_of
from hypermnesia.serve.accounts.hall import Hall
from hypermnesia.serve.accounts.rate import Buckets
from hypermnesia.serve.accounts.secret import csrf_of, same
from hypermnesia.serve.accounts.site import header
from hypermnesia.serve.http.problem import Failed, problem_response, told
from hypermnesia.serve.principal import OWNER
from hypermnesia.store.accounts import Charge

log = logging.getLogger("hypermnesia.serve")

CSRF_HEADER = b"x-csrf-token"
NOTICE = b"hypermnesia-notice"
SWEEP_EVERY = 3600.0
"""Seconds between two clearings of what is over."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_PROXIED = (b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip", b"via")


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request that may come in.

    Attributes:
        caller: whose it is; ``None`` for what is public, and for the owner of an open service.
        charge: what it cost, when it was counted.
    """

    caller: Caller | None = None
    charge: Charge | None = None


class Gate:
    """An ASGI middleware; it leaves ``hall`` and what it knows of the sender in the state.

    Args:
        app: what it guards.
        hall: accounts, the rules for them, and the time.
    """

    def __init__(self, app: ASGIApp, *, hall: Hall) -> None:
        self._app = app
        self._hall = hall
        self._store = hall.store
        self._policy = hall.policy
        self._rates = Buckets(hall.policy.rate, hall.policy.burst, hall.ticks)
        self._swept = hall.ticks()
        self._founded = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or tell why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        try:
            admitted = await self._admit(scope)
        except (HypermnesiaError, Failed) as error:
            answer = self._refusal(scope, error)
            await answer(scope, receive, self._marked(scope, Admitted(), send))
            return
        if (answer := cors.answered(scope, self._policy.site.origins)) is not None:
            await answer(scope, receive, self._marked(scope, Admitted(), send))
            return
        try:
            await self._app(scope, receive, self._marked(scope, admitted, send))
        finally:
            await self._record(scope, admitted)

    # --- coming in -----------------------------------------------------------------

    async def _admit(self, scope: Scope) -> Admitted:
        addresses.check(scope)
        state: dict[str, Any] = scope.setdefault("state", {})
        for name in ("principal", "caller", "csrf", "notices"):
            state.pop(name, None)
        state["hall"] = self._hall
        if addresses.is_probe(scope["path"]):
            return Admitted()
        self._policy.site.check_host(scope)
        self._check_origin(scope)
        if cors.answered(scope, self._policy.site.origins) is not None:
            return Admitted()  # it carries no credential, and is answered without going further
        admitted = await anyio.to_thread.run_sync(self._identified, scope)
        if admitted.caller is not None:
            state["principal"] = admitted.caller.principal
            state["caller"] = admitted.caller
            state["notices"] = _notices(admitted.charge)
        return admitted

    def _check_origin(self, scope: Scope) -> None:
        """Refuse what a page of another origin sends; the token endpoint has no user's rights."""
        if addresses.is_for_any_origin(scope["path"]):
            return
        origin, site = header(scope, b"origin"), self._policy.site
        if origin is not None and not (origin in site.origins or site.own_origin(scope, origin)):
            raise Forbidden("a page of another origin sent this; add its origin to serve_origins")

    def _identified(self, scope: Scope) -> Admitted:
        self._sweep()
        now = self._hall.now()
        sent = header(scope, b"authorization")
        cookie = session_of(scope, secure=self._policy.site.secure(scope))
        if sent is not None and not addresses.has_its_own_credentials(scope["path"]):
            caller = authenticate(self._store, _bearer(sent), ("api", "access"), now)
            return self._counted(scope, caller, now)
        if cookie is not None:
            admitted = self._with_session(scope, cookie, now)
            if admitted is not None:
                return admitted
        if addresses.is_public(scope["path"]):
            return Admitted()
        if self._open(scope):
            scope["state"]["principal"] = OWNER
            return Admitted()
        raise Unauthenticated("a token is needed; send it as 'Authorization: Bearer TOKEN'")

    def _with_session(self, scope: Scope, cookie: str, now: datetime) -> Admitted | None:
        try:
            caller = authenticate(self._store, cookie, ("session",), now)
        except Unauthenticated:
            return None  # a cookie that is over is no cookie: one signs in again
        expected = csrf_of(cookie)
        scope["state"]["csrf"] = expected
        if scope["method"] not in _SAFE:
            self._check_forgery(scope, expected)
        return self._counted(scope, caller, now)

    def _check_forgery(self, scope: Scope, expected: str) -> None:
        """Refuse a change that no page of the service's own asked for.

        A browser says where a form comes from. Pages carry a token too, which they check
        themselves; a call of the API sends it in a header.
        """
        origin = header(scope, b"origin")
        if origin is None and header(scope, b"sec-fetch-site") != "same-origin":
            raise Forbidden("it is not known which page sent this; use a browser of this decade")
        if origin is not None and not self._policy.site.own_origin(scope, origin):
            raise Forbidden("a page of another origin sent this; it may use a token, not a session")
        if addresses.is_page(scope["path"]):
            return
        if not same(header(scope, CSRF_HEADER) or "", expected):
            raise Forbidden("the session's token is missing; send it as X-CSRF-Token")

    def _open(self, scope: Scope) -> bool:
        """Whether whoever sends this owns the service: nobody else can reach it.

        True on the default address alone, without anything in front, and while there are no
        accounts. A page that another site made the browser load is refused, too.
        """
        if not self._policy.site.private:
            return False
        self._founded = self._founded or bool(self._store.accounts())
        # Proxies say so, or speak the old HTTP that no browser and no library does.
        proxied = scope["http_version"] < "1.1" or any(k in _PROXIED for k, _ in scope["headers"])
        foreign = header(scope, b"sec-fetch-site") in {"cross-site", "same-site"}
        return not (self._founded or proxied or (foreign and not _is_navigation(scope)))

    def _counted(self, scope: Scope, caller: Caller, now: datetime) -> Admitted:
        wait = self._rates.take(caller.account.id)
        if wait:
            raise LimitReached("too many requests at once; wait a little", wait)
        if not addresses.is_metered(scope["path"]):
            return Admitted(caller)
        action = actions.action_of(scope)
        charged = quota.charge(self._store, self._policy.plans, caller.account, action, now)
        return Admitted(caller, charged)

    def _sweep(self) -> None:
        if self._hall.ticks() - self._swept > SWEEP_EVERY:
            self._swept = self._hall.ticks()
            now = self._hall.now()
            self._store.sweep(now - timedelta(days=1), now - self._policy.audit_kept)

    # --- going out -----------------------------------------------------------------

    def _refusal(self, scope: Scope, error: HypermnesiaError | Failed) -> Response:
        if isinstance(error, Failed):
            return problem_response(error.status_code, error.kind, error.detail)
        if isinstance(error, Unauthenticated) and _is_navigation(scope):
            target = quote(addresses.whole(scope), safe="")
            return RedirectResponse(f"/signin?next={target}", HTTPStatus.SEE_OTHER)
        return told(error)

    def _marked(self, scope: Scope, admitted: Admitted, send: Send) -> Send:
        """Answers that carry what a client has to know of its credentials and its quota."""

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                scope["state"]["status"] = message["status"]
                site, status = self._policy.site, message["status"]
                headers = [
                    *message.get("headers", []),
                    *((NOTICE, text.encode()) for text in _notices(admitted.charge)),
                    *cors.shared(scope, site.origins),
                ]
                if admitted.caller is not None and not _says_how_long(headers):
                    headers.append((b"cache-control", b"no-store"))
                # A page that may not do this would not be helped by a better token.
                if status == HTTPStatus.UNAUTHORIZED or admitted.caller is not None:
                    headers = challenge.completed(site, scope, status, headers)
                message = {**message, "headers": headers}
            await send(message)

        return marked

    async def _record(self, scope: Scope, admitted: Admitted) -> None:
        caller = admitted.caller
        if caller is None or not actions.is_change(scope):
            return
        status = scope["state"].get("status", HTTPStatus.INTERNAL_SERVER_ERROR)
        outcome = "ok" if status < HTTPStatus.BAD_REQUEST else str(int(status))
        await anyio.to_thread.run_sync(
            lambda: audit.record(
                self._store,
                caller,
                actions.action_of(scope),
                actions.target_of(scope),
                self._hall.now(),
                outcome,
            )
        )


def _bearer(sent: str) -> str:
    kind, _, secret = sent.partition(" ")
    if kind.lower() != "bearer" or not secret.strip():
        raise Unauthenticated("only 'Authorization: Bearer TOKEN' is understood")
    return secret.strip()


def _is_navigation(scope: Scope) -> bool:
    """A person opens a page."""
    return (
        scope["method"] == "GET"
        and not addresses.is_metered(scope["path"])
        and "text/html" in (header(scope, b"accept") or "")
    )


def _notices(charge: Charge | None) -> tuple[str, ...]:
    """What the sender is told once of its quota."""
    notices = () if charge is None else charge.notices
    return tuple(f"{notice.percent}% of this month's requests are used" for notice in notices)


def _says_how_long(headers: list[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"cache-control" for name, _ in headers)
