"""The whole service in one process: accounts, REST, MCP and console on one socket."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from hypermnesia.config import Settings
from hypermnesia.errors import InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.serve.accounts.install import Accounts, accounts_of
from hypermnesia.serve.console.router import console_router
from hypermnesia.serve.http.app import create_app

LEAVE = 30
"""Seconds that requests under way have to finish after the service was told to stop."""
CONNECTIONS = 1000
"""Open at once; further ones are answered 503."""
KEEP_ALIVE = 30
"""Seconds for which an idle connection is kept."""


def service_app(memory: Memory, settings: Settings) -> tuple[FastAPI, Accounts]:
    """The application with everything that a service has, and its accounts.

    Raises:
        InvalidInput: a setting is none.
    """
    accounts = accounts_of(memory, settings)
    app = create_app(
        memory,
        settings,
        middleware=accounts.middleware,
        routers=[*accounts.routers, console_router()],
    )
    return app, accounts


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, whose connections send at once.

    A reply goes out as a head and a body. Without TCP_NODELAY the body waits until the client has
    acknowledged the head, which it puts off for 40 ms; asyncio sets it on sockets it made itself.

    Raises:
        InvalidInput: the address is not this machine's, or taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=CONNECTIONS)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such port"
        raise InvalidInput(
            f"{host}:{port} cannot be listened on ({reason}); choose another --host or --port"
        ) from error
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def address_of(listening: socket.socket) -> str:
    """How the machine itself reaches a socket, without a slash at the end."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(memory: Memory, settings: Settings, announce: Callable[[str, str | None], None]) -> None:
    """Serve until told to stop by SIGINT or SIGTERM; what was begun is finished first.

    Args:
        memory: what to serve; the caller closes it.
        settings: those that begin with ``serve_``.
        announce: told the address, and the link that makes the first account if there is none.

    Raises:
        InvalidInput: the address cannot be listened on.
    """
    app, accounts = service_app(memory, settings)
    with listen(settings.serve_host, settings.serve_port) as listening:
        address = address_of(listening)
        announce(address, accounts.setup_link(settings.serve_url or address))
        server(app).run(sockets=[listening])


class Server(uvicorn.Server):
    """Ends by returning, so that its caller can close what it opened."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop gracefully at a signal, at once at the second, without raising it again."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        former = {
            number: signal.signal(number, self.handle_exit)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)


def server(app: FastAPI) -> Server:
    """What speaks HTTP for an application; it logs nothing of its own for each request."""
    return Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="on",
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=LEAVE,
        )
    )
