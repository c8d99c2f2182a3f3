"""A service of each test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hypermnesia.engine import Engine
from hypermnesia.judge.chain import Chain
from hypermnesia.memory import Memory
from hypermnesia.serve.accounts import passwords
from hypermnesia.store.sqlite.store import SqliteStore
from tests.serve.accounts.service import Service, running
from tests.store.embedders import HashEmbedder


@pytest.fixture(scope="session", autouse=True)
def cheap_hashes() -> Iterator[None]:
    """Argon2 with as little work as it allows: what it protects here is no secret."""
    from argon2 import PasswordHasher

    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "hasher", lambda: cheap)
        yield


@pytest.fixture
def service(memory: Memory) -> Iterator[Service]:
    """On the default address, with nobody known yet."""
    with running(memory) as started:
        yield started


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service for a whole module: starting one for each test would take most of the time."""
    embedder = HashEmbedder()
    path = tmp_path_factory.mktemp("lasting") / "memory.db"
    store = SqliteStore(path, embedder.identity, embedder.dimension)
    engine = Engine(store, embedder, Chain(()))
    with Memory(engine, "default") as memory, running(memory, oauth_registration=True) as started:
        started.account()
        started.http.get("/api/v1/account")  # from now on it is not open any more
        yield started


@pytest.fixture
def closed(lasting: Service) -> Service:
    """A service that ada has an account at, as if it had just been started."""
    lasting.reset()
    lasting.account()
    return lasting
