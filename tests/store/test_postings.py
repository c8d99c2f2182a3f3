"""Scores computed from postings are FTS5's own, for as long as the rows keep changing."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hypermnesia.store.lexicon import match_expression, query_terms
from hypermnesia.store.protocol import Filter
from hypermnesia.store.sqlite import lexical, postings
from hypermnesia.store.sqlite.postings import Postings, _totals, varints
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.types import Node
from tests.store.bench import EMBEDDER, Bench, node

WORDS = ("kafka", "owns", "owned", "cluster", "billing", "port", "src/auth.py", "東京都", "s1")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)
steps = st.lists(
    st.tuples(st.sampled_from(["add", "elsewhere", "rewrite", "tag", "erase"]), texts), max_size=8
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store."""
    store = SqliteStore(tmp_path / "store.db", EMBEDDER.identity, EMBEDDER.dimension)
    yield store
    store.close()


@given(start=st.lists(texts, min_size=4, max_size=12), edits=steps, query=texts)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_scores_and_order_are_those_of_fts5(
    tmp_path: Path, start: list[str], edits: list[tuple[str, str]], query: str
) -> None:
    """After any edit, in a store that other scopes share, to the last bit."""
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.db"
    store = SqliteStore(path, EMBEDDER.identity, EMBEDDER.dimension)
    bench, postings, known = Bench(store, lambda _embedder: store), Postings(), list[Node]()
    terms = query_terms(query)
    for number, (edit, text) in enumerate([*(("add", text) for text in start), *edits]):
        _edit(bench, known, edit, f"{text} n{number}")
        with store._connections.snapshot() as connection:
            scored = postings.best(connection, 1, terms, 7)
            assert scored == lexical.matched(connection, _match(terms), 7)
    store.close()


def _edit(bench: Bench, known: list[Node], edit: str, text: str) -> None:
    match edit:
        case "add":
            known.append(node(text))
            bench.put(known[-1])
        case "elsewhere":
            bench.put(node(text, scope="b"))
        case "rewrite":
            known[0] = replace(known[0], content=text)
            bench.amend(known[0])
        case "tag":
            known[-1] = replace(known[-1], tags=tuple(text.split()[:2]))
            bench.amend(known[-1])
        case _:
            bench.erase(known.pop().id)
            known.append(node(text))
            bench.put(known[-1])


def _match(terms: tuple[str, ...]) -> str:
    return f"scope : s1 AND {{terms labels}} : ({match_expression(terms)})"


@given(
    turns=st.lists(texts, min_size=1, max_size=8), facts=st.lists(texts, max_size=8), query=texts
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_named_level_is_scored_as_if_there_were_no_other(
    tmp_path: Path, turns: list[str], facts: list[str], query: str
) -> None:
    """The scores of a mixed store's turns are those of a store of turns, whatever lies beside."""
    where, scores = Filter("a", levels=("turn",)), list[tuple[float, ...]]()
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    folder.mkdir()
    for others in ([], facts):
        store = SqliteStore(folder / f"{len(scores)}.db", EMBEDDER.identity, EMBEDDER.dimension)
        bench = Bench(store, lambda _embedder, store=store: store)
        bench.put(*[node(f"{text} n{i}", level="turn") for i, text in enumerate(turns)])
        bench.put(*[node(f"{text} f{i}") for i, text in enumerate(others)])
        scores.append(store.lexical(where, query_terms(query), 20).scores)
        store.close()
    assert scores[0] == pytest.approx(scores[1], rel=1e-12)


def test_a_narrow_filter_is_ranked_by_the_same_statistics(store: SqliteStore) -> None:
    """Looking further down the list does not change the scores in it."""
    bench = Bench(store, lambda _embedder: store)
    bench.put(*[node(f"alpha beta {i}") for i in range(30)], *[node(f"psi {i}") for i in range(90)])
    bench.put(*[node(f"gamma {i}", level="turn") for i in range(200)])
    bench.put(node("alpha one two three", tags=("rare",)))
    wide = store.lexical(Filter("a", levels=("fact",)), ("alpha",), 50)
    narrow = store.lexical(Filter("a", levels=("fact",), tags=("rare",)), ("alpha",), 1)
    assert narrow.keys == wide.keys[-1:]
    assert narrow.scores == wide.scores[-1:]


def test_a_small_scope_of_a_large_store_is_left_to_fts5(store: SqliteStore) -> None:
    """Reading everybody's postings would cost more; the answer is the same."""
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha mine"))
    with store._connections.snapshot() as connection:
        assert store._postings.best(connection, 1, ["alpha"], 5)
    bench.put(*[node(f"alpha {number}", scope="b") for number in range(20)])
    with store._connections.snapshot() as connection:
        assert store._postings.best(connection, 1, ["alpha"], 5) is None
        assert Postings().best(connection, 1, ["alpha"], 5) is None
        assert store._postings.best(connection, 2, ["alpha"], 50) is not None
    assert bench.words(Filter("a"), "alpha") == ["alpha mine"]


@pytest.mark.parametrize("terms", [["!"], ["alpha", "a b"]], ids=["none", "several"])
def test_a_term_that_is_not_one_token_is_left_to_fts5(store: SqliteStore, terms: list[str]) -> None:
    """FTS5's Unicode tables are older than Python's; it may see a phrase, or nothing."""
    Bench(store, lambda _embedder: store).put(node("alpha"))
    with store._connections.snapshot() as connection:
        assert store._postings.best(connection, 1, terms, 5) is None


def test_lengths_are_read_again_after_a_reindex(store: SqliteStore) -> None:
    """A rebuilt index may count other tokens than the one before."""
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha"))
    assert bench.words(Filter("a"), "alpha") == ["alpha"]
    store.reindex(lambda _texts: [], lambda _done, _total: None)
    assert store._postings._scopes == {}
    assert bench.words(Filter("a"), "alpha") == ["alpha"]


def test_few_postings_are_kept_and_none_after_a_change(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the stems that were asked for last."""
    monkeypatch.setattr(postings, "KEPT", 3)
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha beta"), node("alpha gamma"))
    for text in ("beta", "gamma", "alpha"):
        assert text in bench.words(Filter("a"), text)[0]
    assert list(store._postings._kept) == ["gamma", "alpha"]
    bench.put(node("alpha delta"))
    assert len(bench.words(Filter("a"), "alpha")) == 3
    assert list(store._postings._kept) == ["alpha"]


def test_statuses_are_told_apart_by_the_index(store: SqliteStore) -> None:
    """As the rows would tell them apart, also after they changed."""
    bench = Bench(store, lambda _embedder: store)
    first, second = node("alpha one"), node("alpha two", status="low_signal")
    bench.put(first, second)
    assert bench.words(Filter("a"), "alpha") == ["alpha one"]
    assert bench.words(Filter("a", statuses=("low_signal",)), "alpha") == ["alpha two"]
    bench.amend(replace(first, status="low_signal"))
    assert bench.words(Filter("a"), "alpha") == []
    assert len(bench.words(Filter("a", statuses=()), "alpha")) == 2


@given(st.lists(st.integers(0, 2**50)))
def test_variable_length_integers_come_back(numbers: list[int]) -> None:
    """Encoded as SQLite encodes them, seven bits a byte."""
    assert varints(b"".join(map(_varint, numbers))).tolist() == numbers


def _varint(number: int) -> bytes:
    last, rest = number & 0x7F, number >> 7
    out = bytes([last])
    while rest:
        out, rest = bytes([rest & 0x7F | 0x80]) + out, rest >> 7
    return out


def test_the_record_of_totals_is_the_one_that_fts5_keeps(store: SqliteStore) -> None:
    """A new SQLite that keeps it otherwise must not go unnoticed."""
    Bench(store, lambda _embedder: store).put(node("alpha beta"), node("gamma " * 200))
    with store._connections.snapshot() as connection:
        # Each has its scope and its type as well.
        assert _totals(connection) == (2, 2 + 200 + 2 * 2)
