"""The cached matrix never drifts from the rows."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from hypermnesia.store.protocol import Filter
from hypermnesia.store.sqlite import dense, dense_best, dense_block
from hypermnesia.store.sqlite.dense_best import best
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.types import Node
from tests.store.bench import EMBEDDER, Bench, node, record, vector

NOON = datetime(2026, 5, 3, tzinfo=UTC)
WORDS = ("alpha", "beta", "gamma", "delta", "omega")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


class Edits(RuleBasedStateMachine):
    """Random edits through one handle; a second one must rank as a fresh computation does."""

    folder: Path

    @initialize()
    def open(self) -> None:
        """An empty store with two handles."""
        path = self.folder / f"{np.random.default_rng().integers(2**60)}.db"
        self.writer = SqliteStore(path, EMBEDDER.identity, EMBEDDER.dimension)
        self.reader = SqliteStore(path, EMBEDDER.identity, EMBEDDER.dimension)
        self.bench = Bench(self.writer, lambda _embedder: self.reader)
        self.nodes: dict[str, Node] = {}
        self.number = 0

    @rule(text=texts, copies=st.integers(1, 40))
    def add(self, text: str, copies: int) -> None:
        """Add many, so that the matrix has to grow."""
        fresh = list[Node]()
        for _ in range(copies):
            self.number += 1
            fresh.append(node(f"{text} n{self.number}"))
        self.bench.put(*fresh)
        self.nodes |= {item.id: item for item in fresh}

    @rule(data=st.data(), text=texts)
    def rewrite(self, data: st.DataObject, text: str) -> None:
        """A new text for an old memory."""
        if old := self._any(data):
            self.number += 1
            changed = replace(old, content=f"{text} n{self.number}")
            with self.writer.write() as writer:
                writer.rewrite(record(changed))
            self.nodes[old.id] = changed

    @rule(data=st.data(), status=st.sampled_from(["active", "low_signal"]))
    def restatus(self, data: st.DataObject, status: str) -> None:
        """A new status and time, the vectors stay."""
        if old := self._any(data):
            changed = replace(old, status=status, valid_from=NOON + timedelta(days=self.number))
            self.bench.amend(changed)
            self.nodes[old.id] = changed

    @rule(data=st.data(), many=st.booleans())
    def erase(self, data: st.DataObject, many: bool) -> None:
        """Erase one, or most, so that the matrix is compacted."""
        if old := self._any(data):
            ids = list(self.nodes)[: len(self.nodes) * 2 // 3] if many else [old.id]
            self.bench.erase(*ids)
            for memory_id in ids:
                del self.nodes[memory_id]

    @rule()
    def drop(self) -> None:
        """Start the cache afresh."""
        self.reader._dense.drop()

    @invariant()
    def ranks_as_a_fresh_computation_does(self) -> None:
        """Scores, members and order."""
        for where in (Filter("a"), Filter("a", since=NOON + timedelta(days=10))):
            live = [
                item
                for item in self.nodes.values()
                if item.status == "active" and item.valid_from >= (where.since or item.valid_from)
            ]
            (ranked,) = self.reader.nearest(where, vector("alpha beta"), 7)
            exact = {
                item.id: float(np.float32(np.float16(row)) @ vector("alpha beta")[0])
                for item in live
                for row in record(item).dense
            }
            best = sorted(exact.values(), reverse=True)[:7]
            assert np.allclose(ranked.scores, best, atol=1e-5)
            assert len(ranked.keys) == len(set(ranked.keys)) == min(7, len(live))
            found = {s.key: s.node.id for s in self.reader.fetch(where, ranked.keys)}
            for key, score in zip(ranked.keys, ranked.scores, strict=True):
                assert np.isclose(exact[found[key]], score, atol=1e-5)

    def _any(self, data: st.DataObject) -> Node | None:
        return data.draw(st.sampled_from(list(self.nodes.values()))) if self.nodes else None

    def teardown(self) -> None:
        """Check the store as a whole and release it."""
        assert self.reader.check().problems == ()
        self.writer.close()
        self.reader.close()


def test_the_matrix_follows_any_edits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Grown, compacted, rewritten: it ranks as if it had just been read."""
    for module in (dense_block, dense_best):
        monkeypatch.setattr(module, "CODED", 16)
    from hypothesis.stateful import run_state_machine_as_test

    machine = type("EditsHere", (Edits,), {"folder": tmp_path})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=12, stateful_step_count=12, deadline=None)
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store."""
    store = SqliteStore(tmp_path / "store.db", EMBEDDER.identity, EMBEDDER.dimension)
    yield store
    store.close()


def test_the_least_recently_used_scope_leaves_the_cache(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory is bounded, and a scope that left is read again."""
    monkeypatch.setattr(dense, "CACHED_VECTORS", 3)
    bench = Bench(store, lambda _embedder: store)
    for scope in "abc":
        bench.put(*[node(f"alpha {i}", scope=scope) for i in range(2)])
    for scope in "abcab":
        assert len(bench.dense(Filter(scope), "alpha")) == 2
    assert len(store._dense._blocks) == 1


def test_levels_are_ranked_apart_and_together(store: SqliteStore) -> None:
    """One ranking over the matrices of several levels, and the vectors of one of them."""
    bench = Bench(store, lambda _embedder: store)
    turn, fact = node("alpha beta", level="turn"), node("alpha gamma")
    bench.put(turn, fact)
    assert bench.dense(Filter("a", levels=("turn",)), "alpha gamma") == ["alpha beta"]
    assert bench.dense(Filter("a"), "alpha gamma") == ["alpha gamma", "alpha beta"]
    with store._connections.snapshot() as connection:
        vectors, owners = store._dense.vectors(connection, 1, "turn", [1, 2, 9])
        assert np.allclose(vectors, record(turn).dense, atol=1e-3)
        assert owners.tolist() == [0]
        assert len(store._dense.vectors(connection, 1, "topic", [1])[0]) == 0


def test_a_tie_goes_to_the_newest_row(store: SqliteStore) -> None:
    """Equal vectors rank by recency of storage."""
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("Alpha"), node("ALPHA!"), node("alpha?"))
    assert bench.dense(Filter("a"), "alpha") == ["alpha?", "ALPHA!", "Alpha"]


def test_more_ties_than_are_looked_at_still_go_to_the_newest_rows() -> None:
    """A partial sort cuts ties at random; the ranking must not."""
    keys, scores = np.arange(1, 1001), np.full(1000, 0.5, np.float32)
    ranked = best(keys, scores, 3)
    assert ranked.keys == (1000, 999, 998)


@pytest.mark.parametrize("order", ["mixed", "rising", "alike"])
@pytest.mark.parametrize("size", [1, 40, 700, 5000])
def test_the_best_of_many_are_those_of_a_full_sort(order: str, size: int) -> None:
    """However they lie, and also where a memory has several windows."""
    rng = np.random.default_rng(size)
    scores = rng.standard_normal(size).astype(np.float32)
    if order == "rising":
        scores.sort()
    elif order == "alike":
        scores = scores.round(1)
    keys = rng.integers(1, size + 1, size)
    expected: dict[int, float] = {}
    for row in np.lexsort((-keys, -scores)):
        expected.setdefault(int(keys[row]), float(scores[row]))
    ranked = best(keys, scores, 8)
    assert list(zip(ranked.keys, ranked.scores, strict=True)) == list(expected.items())[:8]
