"""Cursors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput
from hypermnesia.store.protocol import Filter
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.types import Node
from tests.store.bench import EMBEDDER, Bench, node

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCOPES = count()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """One store for all examples; each has a scope of its own."""
    path = tmp_path_factory.mktemp("paging") / "store.db"
    store = SqliteStore(path, EMBEDDER.identity, EMBEDDER.dimension)
    yield Bench(store, lambda _embedder: store)
    store.close()


def walk(bench: Bench, where: Filter, limit: int, *, newest: bool) -> Iterator[Node]:
    """Every page, one after the other."""
    cursor = None
    while True:
        page = bench.store.list(where, limit, cursor, newest=newest)
        assert len(page) <= limit
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


@settings(max_examples=40, deadline=None)
@given(
    times=st.lists(st.integers(-2, 2) | st.integers(-(10**16), 10**16), max_size=14),
    limit=st.integers(1, 5),
    newest=st.booleans(),
)
def test_paging_visits_each_memory_once_and_in_order(
    bench: Bench, times: list[int], limit: int, newest: bool
) -> None:
    """With equal times, and with times before 1970."""
    scope = f"scope {next(SCOPES)}"
    items = [
        node(f"text {i}", scope=scope, valid_from=EPOCH + timedelta(microseconds=t))
        for i, t in enumerate(times)
    ]
    bench.put(*items)
    seen = list(walk(bench, Filter(scope), limit, newest=newest))
    assert sorted(n.id for n in seen) == sorted(item.id for item in items)
    visited = [(n.valid_from, n.id) for n in seen]
    assert visited == sorted(visited, reverse=newest)


def test_memories_added_while_paging_do_not_disturb_it(bench: Bench) -> None:
    """What was there when paging began is visited once all the same."""
    bench.put(*[node(f"text {i}", scope="moving") for i in range(6)])
    where, seen = Filter("moving"), list[str]()
    page = bench.store.list(where, 2, None)
    while True:
        seen += [n.content for n in page]
        if page.cursor is None:
            break
        bench.put(node(f"late {len(seen)}", scope="moving"))
        page = bench.store.list(where, 2, page.cursor)
    assert [text for text in seen if text.startswith("text")] == [
        f"text {i}" for i in reversed(range(6))
    ]


def test_an_erased_memory_does_not_break_the_cursor_that_names_it(bench: Bench) -> None:
    """The place stays known although the memory is gone."""
    items = [node(f"text {i}", scope="erased") for i in range(4)]
    bench.put(*items)
    page = bench.store.list(Filter("erased"), 2, None)
    bench.erase(items[2].id)
    following = bench.store.list(Filter("erased"), 2, page.cursor)
    assert [n.content for n in following] == ["text 1", "text 0"]


@pytest.mark.parametrize(
    "cursor", ["", "x", "1", "1.", ".1", "1.1.1", "-1.1", "1_0.1", "f" * 30 + ".1", "1.٣", 7]
)
def test_a_made_up_cursor_is_refused(bench: Bench, cursor: str) -> None:
    """With an error of the package's own, whatever it is."""
    bench.put(replace(node("text"), scope=f"scope {next(SCOPES)}"))
    with pytest.raises(InvalidInput, match="not a cursor"):
        bench.store.list(Filter("moving"), 2, cursor)
