"""A real server in a thread of the test, on a port of the system's choice."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI

from hypermnesia.config import Settings, load
from hypermnesia.serve.http.service import Server, address_of, listen, server

PATIENCE = 120.0
"""Seconds after which a test that waits has failed; machines are shared, and slow at times."""


def settings_of(**overrides: Any) -> Settings:
    """Settings of a service on a port of the system's choice."""
    return load(None, **{"serve_port": 0, "serve_threads": 4, "threads": 1, **overrides})


class _Started(Server):
    def __init__(self, inner: Server) -> None:
        super().__init__(inner.config)
        self.ready = threading.Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@contextmanager
def running(app: FastAPI) -> Generator[str]:
    """Serve an application while the block runs; its address."""
    with listen("127.0.0.1", 0) as listening:
        serving = _Started(server(app))
        thread = threading.Thread(target=serving.run, args=([listening],), daemon=True)
        thread.start()
        try:
            assert serving.ready.wait(PATIENCE), "the server did not start"
            yield address_of(listening)
        finally:
            serving.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive(), "the server did not stop"
