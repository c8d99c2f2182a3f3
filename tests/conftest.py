"""What many tests share: a real encoder loaded once, and memories on a fresh file."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import settings

from hypermnesia.engine import Engine
from hypermnesia.judge.chain import Chain
from hypermnesia.judge.local import LocalJudge
from hypermnesia.judge.protocol import Judge
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Embedder, OnnxEncoder
from hypermnesia.store.sqlite.store import SqliteStore
from tests.servers import postgres
from tests.store.embedders import HashEmbedder

# Collecting makes objects by the hundred thousand and drops none: it is of no use to look for
# garbage among them, then or later.
gc.disable()

# No test asserts how long something takes: machines are shared, and slow at times.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

pytest.register_assert_rewrite(
    "tests.store.accounts_contract",
    "tests.store.contract",
    "tests.store.incidence_contract",
    "tests.store.outbox_contract",
    "tests.store.service_contract",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest tests first: the last minute is then shared by all processes."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """Collect garbage from here on, among what tests make."""
    gc.collect()
    gc.freeze()
    gc.enable()


class OpenMemory(Protocol):
    """Opens a memory on a file of the test's own folder; it is closed when the test ends."""

    def __call__(
        self,
        name: str = "memory.db",
        *,
        judges: Sequence[Judge] = (),
        embedder: Embedder | None = None,
        wait: float = 10.0,
        **policy: Any,
    ) -> Memory:
        """Open ``name``; ``policy`` are fields of :class:`~hypermnesia.engine.Engine`."""
        ...


@pytest.fixture(scope="session", autouse=True)
def no_shared_answers() -> Iterator[None]:
    """Keep tests, which forget a lot, away from the user's own cache of answers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HYPERMNESIA_LLM_CACHE", "off")
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A PostgreSQL database, started when the first test asks for it."""
    with postgres.served() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: postgres.Server) -> Iterator[str]:
    """The URL of an empty store."""
    with postgres_server.store() as url:
        yield url


@pytest.fixture(scope="session")
def encoder() -> OnnxEncoder:
    """The bundled encoder, loaded once."""
    return OnnxEncoder(threads=1)


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[OpenMemory]:
    """Opens memories with the hashing embedder and, unless told otherwise, without a judge."""
    opened: list[Memory] = []

    def open_one(
        name: str = "memory.db",
        *,
        judges: Sequence[Judge] = (),
        embedder: Embedder | None = None,
        wait: float = 10.0,
        **policy: Any,
    ) -> Memory:
        chosen = embedder or HashEmbedder()
        store = SqliteStore(tmp_path / name, chosen.identity, chosen.dimension, wait=wait)
        memory = Memory(Engine(store, chosen, Chain(judges), **policy), "default")
        opened.append(memory)
        return memory

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    """A memory without a model or a judge: for tests that need no meaning."""
    return open_memory()


@pytest.fixture
def judged_memory(open_memory: OpenMemory, encoder: OnnxEncoder) -> Memory:
    """A memory as it comes: the bundled encoder and the local judge."""
    return open_memory(embedder=encoder, judges=[LocalJudge()])
