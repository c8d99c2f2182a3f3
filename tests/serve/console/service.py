"""The console served for real: uvicorn in a thread, on a port that the system chooses."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI

from hypermnesia.config import load
from hypermnesia.engine import Engine
from hypermnesia.judge.chain import Chain
from hypermnesia.memory import Memory
from hypermnesia.serve.http.service import server, service_app
from hypermnesia.store.sqlite.store import SqliteStore
from tests.store.embedders import HashEmbedder

WAIT = 120
"""Seconds that a shared machine may take for what is done in one."""


@contextmanager
def fresh(folder: Path) -> Generator[Memory]:
    """A memory without a model or a judge, for tests that share one."""
    embedder = HashEmbedder()
    store = SqliteStore(folder / "memory.db", embedder.identity, embedder.dimension)
    with Memory(Engine(store, embedder, Chain([])), "default") as memory:
        yield memory


@contextmanager
def served(memory: Memory) -> Generator[str]:
    """The address of a service on this memory, open to its own machine until it has accounts."""
    app, _accounts = service_app(memory, load(None))
    with running(app) as address:
        yield address


@contextmanager
def running(app: FastAPI) -> Generator[str]:
    """The address of an application while it runs."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        serving = server(app)
        thread = threading.Thread(target=serving.run, kwargs={"sockets": [listening]})
        thread.start()
        # The socket listens already, so a browser that comes early waits in its queue.
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            serving.should_exit = True
            thread.join(WAIT)
    assert not thread.is_alive()
