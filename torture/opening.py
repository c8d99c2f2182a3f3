"""Opening a memory with the local judge and an embedder that costs next to nothing.

The hashing embedder has no model to load, so that a process can be born, write and be killed
hundreds of times a minute. The judge is the real one: on the texts of :mod:`torture.steps` it
answers from their words, and always the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from tests.store.embedders import HashEmbedder

from hypermnesia.config import is_postgres
from hypermnesia.engine import SUPERSEDE_THRESHOLD, CorpusPolicy, Engine
from hypermnesia.judge.chain import Chain
from hypermnesia.judge.local import LocalJudge
from hypermnesia.memory import Memory
from hypermnesia.store.postgres.moving import PostgresMovable
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Store
from hypermnesia.store.sqlite.moving import SqliteMovable
from hypermnesia.store.sqlite.store import SqliteStore

DIMENSION = 64
SCOPE = "torture"
EMBEDDERS = ("hash", "other")
"""Two of them, so that a store can be re-embedded."""


def open_memory(
    place: str, *, embedder: str = EMBEDDERS[0], folder: Path | None = None, wait: float = 10.0
) -> Memory:
    """Open a store.

    Args:
        place: a file, or a ``postgresql://`` URL.
        embedder: one of :data:`EMBEDDERS`.
        folder: where judgements of the reasoning corpus go.
        wait: seconds to wait for another writer.
    """
    chosen = HashEmbedder(DIMENSION, embedder)
    store = _store(place, chosen.identity, wait)
    judge = Chain([LocalJudge(floor=SUPERSEDE_THRESHOLD)])
    return Memory(Engine(store, chosen, judge, corpus=CorpusPolicy(folder=folder)), SCOPE)


def store_of(memory: Memory) -> Store:
    """What a memory stands on."""
    return memory._engine.store  # pyright: ignore[reportPrivateUsage]


def engine_of(memory: Memory) -> Engine:
    """The parts of a memory."""
    return memory._engine  # pyright: ignore[reportPrivateUsage]


class Reading:
    """A second way into a store, past the pipelines: its rows, by SQL that all stores know.

    A context manager.

    Args:
        place: a file, or a ``postgresql://`` URL.
        wait: seconds to wait for whoever makes the store.
    """

    def __init__(self, place: str, wait: float = 10.0) -> None:
        self._movable = PostgresMovable(place, wait) if is_postgres(place) else _file(place, wait)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return [tuple(row) for row in self._movable.fetch(query)]

    def close(self) -> None:
        """Release the store."""
        self._movable.close()


def _file(place: str, wait: float) -> SqliteMovable:
    return SqliteMovable(Path(place), wait)


def _store(place: str, identity: str, wait: float) -> Store:
    if is_postgres(place):
        return PostgresStore(place, identity, DIMENSION, wait=wait, size=4)
    return SqliteStore(Path(place), identity, DIMENSION, wait=wait)
