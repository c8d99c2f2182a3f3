"""A service, and both clients of it behind one face."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest

from hypermnesia.client import AsyncClient, Client
from hypermnesia.memory import Memory
from hypermnesia.serve.http.app import create_app
from tests.serve.http.running import running, settings_of


@pytest.fixture
def address(memory: Memory) -> Iterator[str]:
    """Where a memory is served."""
    with running(create_app(memory, settings_of(), open_to_all=True)) as address:
        yield address


class Awaited:
    """The client that is awaited, as one that blocks: each verb on an event loop of its own."""

    def __init__(self, address: str) -> None:
        self._address = address

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def call(*args: Any, **kwargs: Any) -> Any:
            async with AsyncClient(self._address) as client:
                result = getattr(client, name)(*args, **kwargs)
                return await result if inspect.isawaitable(result) else result

        return lambda *args, **kwargs: anyio.run(lambda: call(*args, **kwargs))


@pytest.fixture(params=["blocking", "awaiting"])
def client(request: pytest.FixtureRequest, address: str) -> Iterator[Any]:
    """Either client."""
    if request.param == "awaiting":
        yield Awaited(address)
        return
    with Client(address) as blocking:
        yield blocking
