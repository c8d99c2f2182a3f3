"""What the tests of the service share: it runs, and something talks to it."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest
from fastapi import FastAPI

from hypermnesia.memory import Memory
from hypermnesia.models.http import tls_context
from hypermnesia.serve.http.app import create_app
from tests.serve.http.running import PATIENCE, running, settings_of


@pytest.fixture
def app(memory: Memory) -> FastAPI:
    """The application, open to whoever reaches it."""
    return create_app(memory, settings_of(), open_to_all=True)


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    """Where the application is served."""
    with running(app) as address:
        yield address


@pytest.fixture
def http(address: str) -> Iterator[httpx2.Client]:
    """A client of the service that knows nothing of it."""
    with httpx2.Client(verify=tls_context(), base_url=address, timeout=PATIENCE) as client:
        yield client
