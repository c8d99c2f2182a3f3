"""The console's addresses, and what happens around every view."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TypeAlias

from fastapi import APIRouter
from starlette.datastructures import FormData, QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hypermnesia.errors import Forbidden, HypermnesiaError, NotFound
from hypermnesia.serve.access import Access
from hypermnesia.serve.console import assets, forms
from hypermnesia.serve.console.audited import note
from hypermnesia.serve.console.failure import failure
from hypermnesia.serve.console.pages import HEADERS
from hypermnesia.serve.console.views import ACTIONS, PAGES
from hypermnesia.serve.console.visit import HOME, Visit
from hypermnesia.serve.http.caller import access_of

View: TypeAlias = Callable[[Visit], Response]
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]

log = logging.getLogger("hypermnesia.serve")


def console_router() -> APIRouter:
    """Every page of the console, below ``/console``, for :func:`~..http.app.create_app`."""
    router = APIRouter(include_in_schema=False)
    seal = forms.Seal()
    for path, view in PAGES.items():
        router.add_route(HOME + path, _endpoint(view, path, seal), methods=["GET"])
    for path, view in ACTIONS.items():
        router.add_route(HOME + path, _endpoint(view, path, seal), methods=["POST"])
    router.add_route(f"{HOME}/static/{{name:path}}", _static, methods=["GET"])
    for path in ("/", f"{HOME}/"):
        router.add_route(path, _home, methods=["GET"])
    router.add_route(f"{HOME}/{{rest:path}}", _nowhere, methods=["GET"])
    return router


def _endpoint(view: View, path: str, seal: forms.Seal) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        cookie = forms.cookie_of(request)
        try:
            response = await _answer(request, view, path, seal, cookie)
        except (HypermnesiaError, HTTPException) as error:
            response = failure(request, error)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        forms.keep_cookie(request, response, cookie)
        return response

    return endpoint


async def _answer(
    request: Request, view: View, path: str, seal: forms.Seal, cookie: str
) -> Response:
    access = access_of(request)
    async with request.form(
        max_files=1, max_fields=forms.MOST_FIELDS, max_part_size=forms.MOST_TEXT
    ) as sent:
        if request.method == "POST":
            seal.check(request, sent.get(forms.FIELD))

        def visited() -> Response:
            scope = _scope(access, request.query_params, sent)
            token = seal.token(request, cookie)
            visit = Visit(access, scope, path, request.query_params, sent, token, request)
            response = view(visit)
            if request.method == "POST":
                note(visit)
            return response

        return await request.app.state.workers.run(visited)


def _scope(access: Access, asked: QueryParams, sent: FormData) -> str:
    """The scope that was named; else the default, or for who may not use it the first within reach.

    Raises:
        Forbidden: the visitor may not use it, or there is none.
    """
    named = sent.get("scope", asked.get("scope"))
    if isinstance(named, str) and named:
        return access.scope(named)
    try:
        return access.scope(None)
    except Forbidden:
        within_reach = access.scopes()
        if not within_reach:
            raise
        return within_reach[0]


async def _static(request: Request) -> Response:
    name, version = request.path_params["name"], request.query_params.get("v")
    try:
        return await asyncio.to_thread(assets.serve, name, version)
    except NotFound as error:
        return Response(str(error), HTTPStatus.NOT_FOUND, media_type="text/plain")


async def _home(request: Request) -> Response:
    query = request.url.query
    return RedirectResponse(f"{HOME}?{query}" if query else HOME, HTTPStatus.TEMPORARY_REDIRECT)


async def _nowhere(request: Request) -> Response:
    return failure(request, NotFound("the console has no such page"))
