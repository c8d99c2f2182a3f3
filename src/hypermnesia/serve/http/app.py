"""The application: one memory behind REST and MCP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware

from hypermnesia import __version__
from hypermnesia.config import Settings
from hypermnesia.memory import Memory
from hypermnesia.serve.http import care, forgetting, jobs, memories, problem, recall
from hypermnesia.serve.http.workers import Workers
from hypermnesia.serve.jobs import Runner
from hypermnesia.serve.works import works

API = "/api/v1"


def create_app(
    memory: Memory,
    settings: Settings,
    *,
    open_to_all: bool = False,
    middleware: Iterable[Middleware] = (),
    routers: Iterable[APIRouter] = (),
) -> FastAPI:
    """The service as an ASGI application.

    ``app.state`` has ``memory``, ``settings``, ``workers`` (run what blocks there) and ``open``.

    Args:
        memory: what it serves; the caller closes it after the application has shut down.
        settings: those that begin with ``serve_``.
        open_to_all: a request without a principal is the owner's. For a service that only
            its own machine can reach, and for nothing else.
        middleware: outermost first; authentication leaves ``request.state.principal``.
        routers: pages and endpoints of other rooms, added at the root.
    """
    app = FastAPI(
        title="Hypermnesia",
        version=__version__,
        summary="Long-term memory for LLM agents.",
        lifespan=_lifespan,
        middleware=list(middleware),
        redirect_slashes=False,
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
    )
    app.state.memory = memory
    app.state.settings = settings
    app.state.open = open_to_all
    problem.install(app)
    for verbs in (memories, recall, forgetting, jobs, care):
        app.include_router(verbs.router, prefix=API)
    for router in routers:
        app.include_router(router)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    settings: Settings = app.state.settings
    workers = Workers(settings.serve_threads, settings.serve_timeout)
    runner = Runner(app.state.memory, works(settings))
    app.state.workers, app.state.runner = workers, runner
    runner.start()
    try:
        yield
    finally:
        await asyncio.to_thread(workers.close)
        await asyncio.to_thread(runner.stop)
