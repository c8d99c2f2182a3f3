"""One filter, three readings: numpy mask, SQL condition, and plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.identity import new_id
from hypermnesia.store.protocol import Filter
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.types import LEVELS, MEMORY_TYPES, STATUSES, Node
from tests.store.bench import EMBEDDER, Bench, node, vector

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCOPES = count()

moments = st.integers(-3, 3).map(lambda days: EPOCH + timedelta(days=days))
scalars = st.sampled_from([1, 1.0, "1", True, False, 0, None, "x", 2.5])
tags = st.lists(st.sampled_from(["t1", "t2", "T1", "ü"]), max_size=2, unique=True).map(tuple)
metadata = st.dictionaries(st.sampled_from(["k", "k.n"]), scalars, max_size=2)


def some_of(values: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """A few members of a closed set, or none."""
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    """A node whose text holds the word alpha; superseded ones end when they should."""
    status = draw(st.sampled_from(STATUSES[:-1]))
    start = draw(moments)
    replaced = status == "superseded"
    return node(
        f"alpha {new_id()}",
        level=draw(st.sampled_from(LEVELS)),
        memory_type=draw(st.sampled_from(MEMORY_TYPES[:3])),
        tags=draw(tags),
        metadata=draw(metadata),
        status=status,
        superseded_by=new_id() if replaced else None,
        valid_from=start,
        valid_until=start + timedelta(days=draw(st.integers(0, 2))) if replaced else None,
    )


filters = st.builds(
    Filter,
    scope=st.just(""),
    levels=some_of(LEVELS),
    types=some_of(MEMORY_TYPES[:3]),
    tags=tags,
    metadata=metadata.map(lambda values: tuple(values.items())),
    statuses=some_of(STATUSES[:-1]),
    since=st.none() | moments,
    until=st.none() | moments,
    as_of=st.none() | moments,
    keys=st.none() | st.sets(st.integers(0, 11)).map(tuple),
)
"""Where keys are named, they stand for the items at these places: keys are not known before."""


def passes(item: Node, where: Filter) -> bool:
    """The filter in plain Python."""
    statuses = set(where.statuses or STATUSES[:-1])
    if where.as_of is not None:
        if "active" in statuses:
            statuses.add("superseded")
        until = item.valid_until
        if item.valid_from > where.as_of or (until is not None and until <= where.as_of):
            return False
    return (
        item.status in statuses
        and (not where.levels or item.level in where.levels)
        and (not where.types or item.memory_type in where.types)
        and set(where.tags) <= set(item.tags)
        and all(
            name in item.metadata and same(item.metadata[name], value)
            for name, value in where.metadata
        )
        and (where.since is None or item.valid_from >= where.since)
        and (where.until is None or item.valid_from <= where.until)
    )


def keyed(bench: Bench, items: list[Node], where: Filter) -> tuple[Filter, list[Node]]:
    """The filter with places replaced by keys, and the items it names."""
    if where.keys is None:
        return where, items
    named = [items[place] for place in where.keys if place < len(items)]
    key = bench.keys(Filter(where.scope, statuses=()), "alpha")
    return replace(where, keys=tuple(key[item.content] for item in named)), named


def same(one: object, other: object) -> bool:
    """Equality of JSON scalars: 1 is 1.0, but neither true nor "1"."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """One store for all examples; each has a scope of its own."""
    path = tmp_path_factory.mktemp("filters") / "store.db"
    store = SqliteStore(path, EMBEDDER.identity, EMBEDDER.dimension)
    yield Bench(store, lambda _embedder: store)
    store.close()


@settings(max_examples=50, deadline=None)
@given(items=st.lists(nodes(), min_size=1, max_size=12), wheres=st.lists(filters, min_size=6))
def test_every_channel_and_list_apply_a_filter_alike(
    bench: Bench, items: list[Node], wheres: list[Filter]
) -> None:
    """The dense mask, the SQL condition and the predicate let the same memories through."""
    scope = f"scope {next(SCOPES)}"
    items = [replace(item, scope=scope) for item in items]
    bench.put(*items)
    for drawn in wheres:
        where, named = keyed(bench, items, replace(drawn, scope=scope))
        expected = {item.content for item in named if passes(item, where)}
        assert set(bench.dense(where, "alpha")) == expected
        assert set(bench.words(where, "alpha")) == expected
        assert {n.content for n in bench.store.list(where, 100, None)} == expected
        assert {n.content for n in bench.store.iterate(where)} == expected
        assert {n.content for n in bench.store.salient(where, 100)} == expected


@settings(max_examples=10, deadline=None)
@given(
    texts=st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6), min_size=1),
    rare=st.sets(st.integers(0, 200), max_size=3),
)
def test_filtering_late_or_early_ranks_words_alike(
    bench: Bench, texts: list[list[str]], rare: set[int]
) -> None:
    """The quick way (rank, then filter) and the thorough way give the same scores in order."""
    scope = f"scope {next(SCOPES)}"
    contents = [" ".join(f"w{letter}" for letter in words) for words in texts] + ["wa"] * 40
    bench.put(
        *[
            node(f"{content} n{i}", scope=scope, tags=("rare",) if i in rare else ())
            for i, content in enumerate(contents)
        ]
    )
    everything = bench.store.lexical(Filter(scope), ("wa", "wb"), 1000)
    score = dict(zip(everything.keys, everything.scores, strict=True))
    where = Filter(scope, tags=("rare",))
    narrow = bench.store.lexical(where, ("wa", "wb"), 2)
    holders = {s.key for s in bench.store.fetch(where, everything.keys)}
    best = sorted((score[key] for key in holders), reverse=True)[:2]
    assert list(narrow.scores) == pytest.approx(best)
    assert set(narrow.keys) <= holders
    assert all(s >= 0 for s in everything.scores)


def test_a_vector_search_ranks_by_cosine(bench: Bench) -> None:
    """Scores are cosines of the float16 vectors, best first."""
    bench.put(*[node(text, scope="cosine") for text in ("one two", "one two three", "four")])
    (ranked,) = bench.store.nearest(Filter("cosine"), vector("one two"), 10)
    assert ranked.scores[0] == pytest.approx(1.0, abs=1e-3)
    assert list(ranked.scores) == sorted(ranked.scores, reverse=True)
