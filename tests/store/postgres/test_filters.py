"""A filter lets the same memories through here as everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.store.postgres import dense
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Filter
from hypermnesia.types import Node
from tests.servers.postgres import Server
from tests.store.bench import EMBEDDER, Bench
from tests.store.test_filters import filters, keyed, nodes, passes
from tests.store.test_paging import walk

SCOPES = count()


@pytest.fixture(scope="module")
def shared(postgres_server: Server) -> Iterator[Bench]:
    """One store for all examples; each has a scope of its own."""
    with postgres_server.store() as url:
        store = PostgresStore(url, EMBEDDER.identity, EMBEDDER.dimension)
        yield Bench(store, lambda _embedder: store)
        store.close()


@settings(max_examples=12)
@given(items=st.lists(nodes(), min_size=1, max_size=12), wheres=st.lists(filters, min_size=6))
def test_every_channel_and_list_apply_a_filter_alike(
    shared: Bench, items: list[Node], wheres: list[Filter]
) -> None:
    """The SQL condition and the predicate in Python, with and without the vectors' index."""
    scope = f"scope {next(SCOPES)}"
    items = [replace(item, scope=scope) for item in items]
    shared.put(*items)
    for drawn in wheres:
        where, named = keyed(shared, items, replace(drawn, scope=scope))
        expected = {item.content for item in named if passes(item, where)}
        assert set(shared.dense(where, "alpha")) == expected
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(dense, "EXACT", -1)
            assert set(shared.dense(where, "alpha")) == expected
        assert set(shared.words(where, "alpha")) == expected
        assert {n.content for n in shared.store.list(where, 100, None)} == expected
        assert {n.content for n in shared.store.iterate(where)} == expected
        assert {n.content for n in shared.store.salient(where, 100)} == expected
        pages = [n.content for n in walk(shared, where, 2, newest=False)]
        assert len(pages) == len(set(pages))
        assert set(pages) == expected
