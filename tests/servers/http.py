"""A scripted HTTP server on the loopback interface."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias
from unittest import mock

import stamina


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came in; header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """What to answer: ``body`` as JSON, or ``raw`` bytes (an iterable is sent piece by piece)."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    raw: bytes | Iterable[bytes] | None = None
    hang_up: bool = False


Handler: TypeAlias = Callable[[Received], Reply]


@dataclass(frozen=True, slots=True)
class Server:
    """A running server.

    Attributes:
        url: its origin.
        received: every request so far.
        closing: set when the test is over, so that a handler that waits can end.
    """

    url: str
    received: list[Received]
    closing: threading.Event


@contextmanager
def serve(handler: Handler, *, waits: bool = False) -> Generator[Server]:
    """Run a server; retries inside wait no time unless ``waits`` is set."""
    received: list[Received] = []
    closing = threading.Event()
    http = ThreadingHTTPServer(("127.0.0.1", 0), _request_handler(handler, received))
    server = Server(f"http://127.0.0.1:{http.server_port}", received, closing)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        with _direct(), stamina.set_testing(not waits, attempts=100, cap=True):
            yield server
    finally:
        closing.set()
        http.shutdown()
        thread.join()
        http.server_close()


def in_turn(*replies: Reply) -> Handler:
    """A handler that gives the replies one after the other, then the last for ever."""
    remaining = list(replies)

    def handler(_: Received) -> Reply:
        return remaining.pop(0) if len(remaining) > 1 else remaining[0]

    return handler


@contextmanager
def nothing_listening() -> Generator[str]:
    """An address that refuses connections; retries inside wait no time."""
    with socket.socket() as listener, _direct(), stamina.set_testing(True, attempts=2, cap=True):
        listener.bind(("127.0.0.1", 0))  # bound, so that no one else gets it, but not listening
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def _direct() -> AbstractContextManager[object]:
    """Past any proxy of the environment."""
    return mock.patch.dict(os.environ, {"NO_PROXY": "127.0.0.1"})


def _request_handler(handler: Handler, received: list[Received]) -> type[BaseHTTPRequestHandler]:
    class RequestHandler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Received(self.path, headers, json.loads(content))
            received.append(request)
            reply = handler(request)
            if not reply.hang_up:
                self._send(reply)

        def _send(self, reply: Reply) -> None:
            raw = json.dumps(reply.body).encode() if reply.raw is None else reply.raw
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for piece in [raw] if isinstance(raw, bytes) else raw:
                    self.wfile.write(piece)
                    self.wfile.flush()
            except OSError:
                pass  # the client went away, as some tests mean it to

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
            pass

    return RequestHandler
