"""What every system under comparison promises, checked on each that is installed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hypermnesia.evals.adapters.own import Own
from hypermnesia.evals.adapters.protocol import Adapter, Item
from hypermnesia.evals.adapters.systems import BY_MEANING, BY_WORDS, CONTENDERS
from hypermnesia.graph.messages import Message
from tests.conftest import OpenMemory
from tests.store.embedders import HashEmbedder

TOLD = {
    "D1:1": ("Ana", "We chose NATS over Kafka for the billing queue."),
    "D1:2": ("Ben", "My cat is called Miso and hates thunder."),
    "D1:3": ("Ana", "The staging database moved to db-2 on the third of May."),
    "D2:1": ("Ben", "I planted tomatoes behind the shed yesterday."),
    "it's 4": ("Ana", "Invoices are archived in Lisbon."),
}
NAUGHTY = ['"', "don't", "a AND (b", "POL-358", "50%", "a/b @c grammar::fa", "東京都", "the"]


class OpenSystem(Protocol):
    """Opens a system on the test's own folder; it is closed when the test ends."""

    def __call__(self, name: str) -> Adapter:
        """Open it by the name that users give it."""
        ...


def talk() -> list[Item]:
    """A short conversation."""
    at = datetime(2026, 5, 3, 10, tzinfo=UTC)
    return [
        Item(name, f"{who}: {what}", at, Message(who, what, at=at, id=name, session="s1"))
        for name, (who, what) in TOLD.items()
    ]


@pytest.fixture
def open_system(tmp_path: Path, open_memory: OpenMemory) -> Iterator[OpenSystem]:
    """Opens systems; one that is not installed skips the test."""
    opened: list[Adapter] = []

    def open_one(name: str) -> Adapter:
        if problem := CONTENDERS[name].problem:
            pytest.skip(problem)
        opened.append(_adapter(name, tmp_path, open_memory))
        return opened[-1]

    yield open_one
    for adapter in opened:
        adapter.close()


def _adapter(name: str, folder: Path, open_memory: OpenMemory) -> Adapter:
    if name in BY_WORDS:
        return BY_WORDS[name](folder)
    if name in BY_MEANING:
        return BY_MEANING[name](folder, HashEmbedder())
    return Own(open_memory(preset=name.partition("-")[2] or "default"))


@pytest.fixture(params=list(CONTENDERS))
def system(request: pytest.FixtureRequest, open_system: OpenSystem) -> Adapter:
    """Every system in turn, empty."""
    return open_system(request.param)


def names(system: Adapter, query: str, k: int = 10) -> list[str]:
    """Ids that a search answers with."""
    return [found.id for found in system.search(query, k)]


def test_finds_what_was_just_added(system: Adapter) -> None:
    """A search right after an add finds the item that shares the question's words, first."""
    assert system.add(talk()) == 0

    assert names(system, "Which queue did billing choose, NATS or Kafka?")[0] == "D1:1"


def test_answers_at_most_k_items_each_once_and_best_first(system: Adapter) -> None:
    """A long item that a store cuts in pieces still counts once."""
    long = Item("long", "Ana: " + "the billing queue, again and again. " * 200)
    system.add([*talk(), long])

    found = system.search("billing queue", 3)

    assert 0 < len(found) <= 3
    assert len({item.id for item in found}) == len(found)
    assert [item.score for item in found] == sorted((f.score for f in found), reverse=True)


def test_adds_to_what_is_there(system: Adapter) -> None:
    """A second add leaves the first findable."""
    items = talk()
    system.add(items[:2])
    system.add(items[2:])

    assert names(system, "NATS Kafka billing queue")[0] == "D1:1"
    assert names(system, "tomatoes behind the shed")[0] == "D2:1"


def test_deleted_items_are_not_found(system: Adapter) -> None:
    """What was deleted is gone, also under an id with a quote in it; the rest stays."""
    system.add(talk())
    system.delete(["D1:1", "it's 4", "no such id"])

    assert "D1:1" not in names(system, "NATS Kafka billing queue")
    assert "it's 4" not in names(system, "invoices archived in Lisbon")
    assert names(system, "cat called Miso")[0] == "D1:2"


def test_deleting_nothing_is_allowed(system: Adapter) -> None:
    """An empty list and unknown ids change nothing."""
    system.add(talk())
    system.delete([])
    system.delete(["no such id"])

    assert names(system, "cat called Miso")[0] == "D1:2"


def test_a_reset_system_is_empty_and_can_be_used_on(system: Adapter) -> None:
    """After a reset nothing is found, and what is added then is."""
    system.add(talk())
    system.reset()

    assert names(system, "NATS Kafka billing queue") == []
    system.add(talk())
    assert names(system, "NATS Kafka billing queue")[0] == "D1:1"


def test_an_empty_system_answers_nothing(system: Adapter) -> None:
    """A search before the first add is no error."""
    assert system.search("anything at all", 10) == []


@pytest.mark.parametrize("query", NAUGHTY)
def test_any_text_is_a_query(system: Adapter, query: str) -> None:
    """Syntax of some query language, scripts without spaces, nothing at all: no error."""
    system.add(talk())

    assert len(system.search(query, 3)) <= 3


@pytest.mark.parametrize("name", ["fts5", "bm25s", "tantivy"])
def test_lexical_systems_find_inflected_words(open_system: OpenSystem, name: str) -> None:
    """Stems match: "archive" finds "archived"."""
    system = open_system(name)
    system.add(talk())

    assert names(system, "archive an invoice")[0] == "it's 4"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text(max_size=40), k=st.integers(1, 10))
def test_the_plain_baseline_never_fails_on_a_query(fts5: Adapter, query: str, k: int) -> None:
    """No text is a syntax error in FTS5."""
    assert len(fts5.search(query, k)) <= k


@pytest.fixture
def fts5(open_system: OpenSystem) -> Adapter:
    """FTS5 with the short conversation."""
    system = open_system("fts5")
    system.add(talk())
    return system
