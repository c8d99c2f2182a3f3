"""The application: one memory behind REST and MCP, with what operates it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.middleware import Middleware

from hypermnesia import __version__
from hypermnesia.config import Settings
from hypermnesia.errors import HypermnesiaError
from hypermnesia.memory import Memory
from hypermnesia.serve.http import (
    aliases,
    care,
    corpus,
    forgetting,
    graph,
    health,
    jobs,
    mcp,
    memories,
    problem,
    recall,
)
from hypermnesia.serve.http.health import Probe
from hypermnesia.serve.http.limits import Limits
from hypermnesia.serve.http.metrics import Metrics
from hypermnesia.serve.http.observe import Observer
from hypermnesia.serve.http.places import Places
from hypermnesia.serve.http.workers import Workers
from hypermnesia.serve.jobs import Runner
from hypermnesia.serve.schedule import Schedule
from hypermnesia.serve.works import works

log = logging.getLogger("hypermnesia.serve")

# The framework's own telemetry tells of queries and of the messages of errors, which hold texts.
_NONE_OF_ITS_OWN: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
VERBS = (memories, recall, graph, forgetting, jobs, corpus, care)


def create_app(
    memory: Memory,
    settings: Settings,
    *,
    open_to_all: bool = False,
    middleware: Iterable[Middleware] = (),
    routers: Iterable[APIRouter] = (),
) -> FastAPI:
    """The service as an ASGI application.

    While it runs, ``app.state`` has ``memory``, ``settings``, ``workers`` (run what blocks
    there), ``runner`` (of jobs), ``probe``, ``metrics`` and ``open``.

    Args:
        memory: what it serves; the caller closes it after the application has shut down.
        settings: those that begin with ``serve_``.
        open_to_all: a request without a principal is the owner's. For a service that only
            its own machine can reach, and for nothing else.
        middleware: outermost first; authentication leaves ``request.state.principal``.
        routers: pages and endpoints of other rooms, added at the root.
    """
    counts, door, places = Metrics(), mcp.Door(), Places()
    around = [Middleware(Observer, counts, places), Middleware(Limits, settings), *middleware]
    app = FastAPI(
        title="Hypermnesia",
        version=__version__,
        summary="Long-term memory for LLM agents.",
        lifespan=_lifespan,
        middleware=around,
        redirect_slashes=False,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        telemetry=_NONE_OF_ITS_OWN,
    )
    app.state.memory, app.state.settings, app.state.open = memory, settings, open_to_all
    app.state.metrics, app.state.door, app.state.places = counts, door, places
    problem.install(app)
    app.router.routes.append(mcp.route(door))
    # A router that is included is built once more for each application, at its first request.
    for router in (*(verbs.router for verbs in VERBS), aliases.router, health.router, *routers):
        app.router.routes.extend(router.routes)
    places.note(app.routes)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    """Everything that lives as long as the service; it leaves when what was begun is done."""
    settings: Settings = app.state.settings
    memory: Memory = app.state.memory
    workers = Workers(settings.serve_threads, settings.serve_timeout)
    runner = Runner(memory, works(settings), app.state.metrics.ended)
    schedule = Schedule(memory, settings, runner)
    probe = Probe(memory)
    app.state.workers, app.state.runner, app.state.probe = workers, runner, probe
    app.state.metrics.watch(workers)
    door: mcp.Door = app.state.door
    endpoint = mcp.Endpoint(memory, settings, workers.run, app.state.metrics)
    threading.Thread(target=_warm, args=(probe,), name="hypermnesia-warm", daemon=True).start()
    runner.start()
    schedule.start()
    try:
        async with endpoint.run():
            door.endpoint = endpoint
            yield
            door.endpoint = None
    finally:
        for leave in (schedule.stop, runner.stop, workers.close):
            await asyncio.to_thread(leave)


def _warm(probe: Probe) -> None:
    try:
        probe.warm()
    except HypermnesiaError as error:
        log.warning("the memory is not ready: %s", error)
