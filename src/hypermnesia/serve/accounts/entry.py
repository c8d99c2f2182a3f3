"""Signing in and out, and setting up, over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import anyio
import anyio.to_thread
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hypermnesia.errors import AccessError, HypermnesiaError, InvalidInput, LimitReached
from hypermnesia.serve.accounts import cookies, pages
from hypermnesia.serve.accounts.caller import Caller
from hypermnesia.serve.accounts.form import check_origin, check_token, form_of
from hypermnesia.serve.accounts.hall import Hall
from hypermnesia.serve.accounts.passwords import AT_ONCE
from hypermnesia.serve.accounts.secret import Issued
from hypermnesia.serve.accounts.signin import Attempt
from hypermnesia.store.accounts import Account

HOME = "/console"


def entry_router(hall: Hall) -> APIRouter:
    """The pages that let people in and out."""
    desk = _Entry(hall)
    router = APIRouter(include_in_schema=False)
    router.add_route("/signin", desk.show_sign_in, methods=["GET"])
    router.add_route("/signin", desk.sign_in, methods=["POST"])
    router.add_route("/signout", desk.sign_out, methods=["POST"])
    router.add_route("/setup", desk.show_setup, methods=["GET"])
    router.add_route("/setup", desk.set_up, methods=["POST"])
    router.add_route("/setup/link.js", desk.script, methods=["GET"])
    return router


class _Entry:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        # Hashing takes long on purpose: it must not take the threads that others wait for.
        self._seats = anyio.CapacityLimiter(AT_ONCE)

    async def show_sign_in(self, request: Request) -> Response:
        target = safe_target(request.query_params.get("next", ""))
        return await self._sign_in_page(request, next=target)

    async def sign_in(self, request: Request) -> Response:
        check_origin(request, self._hall.policy.site)
        sent = await form_of(request)
        target = safe_target(sent.get("next", ""))
        attempt = Attempt(
            sent.get("name", ""), sent.get("password", ""), sent.get("code", ""), _address(request)
        )
        try:
            issued = await self._slowly(lambda: self._hall.door.sign_in(attempt, self._hall.now()))
        except AccessError as error:
            return await self._sign_in_page(request, error, next=target, name=attempt.name)
        return self._welcome(request, issued, target)

    async def sign_out(self, request: Request) -> Response:
        check_origin(request, self._hall.policy.site)
        caller = getattr(request.state, "caller", None)
        if isinstance(caller, Caller) and caller.credential.kind == "session":
            check_token(request, await form_of(request))
            await self._run(
                request,
                lambda: self._hall.store.revoke(caller.credential.id, self._hall.now()),
            )
        response = RedirectResponse("/signin", HTTPStatus.SEE_OTHER)
        cookies.take(response)
        return response

    async def show_setup(self, request: Request) -> Response:
        if await self._run(request, self._hall.store.accounts):
            return RedirectResponse("/signin", HTTPStatus.SEE_OTHER)
        return pages.page("setup.html", link="", name="")

    async def set_up(self, request: Request) -> Response:
        check_origin(request, self._hall.policy.site)
        sent = await form_of(request)
        link, name = sent.get("link", ""), sent.get("name", "")
        try:
            issued = await self._slowly(
                lambda: self._hall.door.complete_setup(
                    link, name, sent.get("password", ""), _address(request), self._hall.now()
                )
            )
        except (AccessError, InvalidInput) as error:
            shown = {"link": link, "name": name, "problem": str(error)}
            return pages.page("setup.html", _status(error), **shown)
        return self._welcome(request, issued, HOME)

    async def script(self, _request: Request) -> Response:
        return pages.setup_script()

    async def _sign_in_page(
        self, request: Request, error: HypermnesiaError | None = None, **values: Any
    ) -> Response:
        accounts: list[Account] = await self._run(request, self._hall.store.accounts)
        shown: Mapping[str, Any] = {
            "name": "",
            "unfounded": not accounts,
            "problem": "" if error is None else str(error),
            **values,
        }
        response = pages.page("signin.html", 200 if error is None else _status(error), **shown)
        if isinstance(error, LimitReached):
            response.headers["Retry-After"] = str(max(1, round(error.retry_after)))
        return response

    def _welcome(self, request: Request, issued: Issued, target: str) -> Response:
        response = RedirectResponse(target or HOME, HTTPStatus.SEE_OTHER)
        response.headers["Cache-Control"] = "no-store"
        policy = self._hall.policy
        secure = policy.site.secure(request.scope)
        cookies.give(response, issued.secret, int(policy.session.total_seconds()), secure=secure)
        return response

    async def _slowly(self, call: Callable[[], Issued]) -> Issued:
        return await anyio.to_thread.run_sync(call, limiter=self._seats)

    async def _run(self, request: Request, call: Any) -> Any:
        return await request.app.state.workers.run(call)


def safe_target(asked: str) -> str:
    """A path of this service to go on to; nothing for anything that might lead elsewhere.

    Browsers take a backslash for a slash, drop white space and control characters, and read
    two slashes as another host.
    """
    plain = asked.isascii() and asked.isprintable() and "\\" not in asked and " " not in asked
    return asked if plain and asked.startswith("/") and not asked.startswith("//") else ""


def _address(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def _status(error: HypermnesiaError) -> int:
    match error:
        case LimitReached():
            return HTTPStatus.TOO_MANY_REQUESTS
        case InvalidInput():
            return HTTPStatus.UNPROCESSABLE_ENTITY
        case _:
            return HTTPStatus.FORBIDDEN
