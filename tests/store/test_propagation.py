"""Propagated embeddings never drift from the rows."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from hypermnesia.models.propagation import Hyperedge, propagate
from hypermnesia.store import propagation
from hypermnesia.store.incidence import Member
from hypermnesia.store.protocol import Filter
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.types import Node
from tests.store.bench import EMBEDDER, Bench, node, record, vector

HEADS = 4
TEXTS = ("alpha", "beta", "gamma delta", " ".join(f"w{i}" for i in range(450)))
weights = st.floats(0, 1)


class Edits(RuleBasedStateMachine):
    """Random edits through one handle; a second one must propagate as a fresh batch does."""

    folder: Path

    @initialize()
    def open(self) -> None:
        """Episodes to join, and two handles."""
        path = self.folder / f"{np.random.default_rng().integers(2**60)}.db"
        self.writer = SqliteStore(path, EMBEDDER.identity, EMBEDDER.dimension)
        self.reader = SqliteStore(path, EMBEDDER.identity, EMBEDDER.dimension)
        self.bench = Bench(self.writer, lambda _embedder: self.reader)
        self.heads = [node(f"head {i}", level="episode") for i in range(HEADS)]
        self.nodes: dict[str, Node] = {}
        self.edges: dict[str, dict[str, float]] = {head.id: {} for head in self.heads}
        self.number = 0
        self.bench.put(*self.heads)

    @rule(text=st.sampled_from(TEXTS), scope=st.sampled_from("ab"))
    def add(self, text: str, scope: str) -> None:
        """A new fact, or one of another scope, which must not matter."""
        self.number += 1
        fresh = node(f"{text} n{self.number}", scope=scope)
        self.bench.put(fresh)
        if scope == "a":
            self.nodes[fresh.id] = fresh

    @rule(data=st.data(), weight=weights)
    def join(self, data: st.DataObject, weight: float) -> None:
        """Join, or weigh anew."""
        if (head := self._head(data)) and (item := self._any(data)):
            with self.writer.write() as writer:
                writer.join([Member(head, item.id, "core", weight)])
            self.edges[head][item.id] = weight

    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        """Leave a hyperedge, perhaps one that it does not belong to."""
        if (head := self._head(data)) and (item := self._any(data)):
            with self.writer.write() as writer:
                writer.leave(head, [item.id])
            self.edges[head].pop(item.id, None)

    @rule(data=st.data())
    def supersede_or_restore(self, data: st.DataObject) -> None:
        """Out of the aggregation, and back."""
        if item := self._any(data):
            retired = item.status == "active"
            changed = replace(
                item,
                status="superseded" if retired else "active",
                superseded_by=self.heads[0].id if retired else None,
            )
            self.bench.amend(changed)
            self.nodes[item.id] = changed

    @rule(data=st.data(), text=st.sampled_from(TEXTS))
    def rewrite(self, data: st.DataObject, text: str) -> None:
        """A new text, a new embedding."""
        if item := self._any(data):
            self.number += 1
            changed = replace(item, content=f"{text} n{self.number}")
            with self.writer.write() as writer:
                writer.rewrite(record(changed))
            self.nodes[item.id] = changed

    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        """A fact goes, from its hyperedges too."""
        if item := self._any(data):
            self.bench.erase(item.id)
            del self.nodes[item.id]
            for members in self.edges.values():
                members.pop(item.id, None)

    @rule(data=st.data())
    def forget_head(self, data: st.DataObject) -> None:
        """A whole hyperedge goes."""
        if len(self.edges) > 1 and (head := self._head(data)):
            self.bench.erase(head)
            del self.edges[head]

    @invariant()
    def equals_the_batch(self) -> None:
        """Of the active nodes, to 1e-6."""
        active = [item for item in self.nodes.values() if item.status == "active"]
        row = {item.id: i for i, item in enumerate(active)}
        raw = np.zeros((len(active), EMBEDDER.dimension), np.float32)
        for i, item in enumerate(active):
            mean = record(item).dense.astype(np.float16).astype(np.float32).mean(axis=0)
            raw[i] = mean / np.linalg.norm(mean)
        kept = [
            {row[i]: w for i, w in members.items() if i in row} for members in self.edges.values()
        ]
        edges = [
            Hyperedge(np.array(list(m), np.intp), np.array(list(m.values()), np.float32))
            for m in kept
            if m
        ]
        expected = propagate(raw, edges, 0.5)
        found = self.reader.propagated("a", "fact", 0.5)
        stored = self.reader.fetch(Filter("a"), found.keys)
        order = [row[{s.key: s.node.id for s in stored}[key]] for key in found.keys]
        assert sorted(order) == list(range(len(active)))
        assert np.allclose(found.raw, raw[order], atol=1e-6)
        assert np.allclose(found.propagated, expected[order], atol=1e-6)

    def _any(self, data: st.DataObject) -> Node | None:
        return data.draw(st.sampled_from(list(self.nodes.values()))) if self.nodes else None

    def _head(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(list(self.edges)))

    def teardown(self) -> None:
        """Check the store as a whole and release it."""
        assert self.reader.check().problems == ()
        self.writer.close()
        self.reader.close()


def test_propagation_follows_any_edits(tmp_path: Path) -> None:
    """Step by step it stays what a batch over everything would give."""
    machine = type("EditsHere", (Edits,), {"folder": tmp_path})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=25, stateful_step_count=20, deadline=None)
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store."""
    store = SqliteStore(tmp_path / "store.db", EMBEDDER.identity, EMBEDDER.dimension)
    yield store
    store.close()


def test_an_unchanged_level_is_not_read_again(store: SqliteStore) -> None:
    """Whatever happens to other scopes and levels; and what was handed out never changes."""
    bench = Bench(store, lambda _embedder: store)
    one = node("alpha")
    bench.put(one)
    first = store.propagated("a", "fact", 0.5)
    bench.put(node("beta", scope="b"), node("gamma", level="episode"))
    assert store.propagated("a", "fact", 0.5) is first
    kept = first.propagated.copy()
    with store.write() as writer:
        writer.rewrite(record(replace(one, content="omega")))
    assert not np.allclose(store.propagated("a", "fact", 0.5).propagated, kept)
    assert np.array_equal(first.propagated, kept)


def test_only_what_shares_an_edge_is_computed_again(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fact that joins one of many episodes costs no more than that episode."""
    bench = Bench(store, lambda _embedder: store)
    heads = [node(f"head {i}", level="episode") for i in range(10)]
    facts = [node(f"fact {i}") for i in range(30)]
    bench.put(*heads, *facts)
    with store.write() as writer:
        writer.join([Member(heads[i % 10].id, f.id, "core", 0.5) for i, f in enumerate(facts)])
    store.propagated("a", "fact", 0.5)
    computed: list[tuple[int, int]] = []
    repropagate = propagation.repropagate

    def counting(
        raw: object, old: object, rows: list[int], edges: list[object], lam: float
    ) -> None:
        computed.append((len(rows), len(edges)))
        repropagate(raw, old, rows, edges, lam)  # type: ignore[arg-type]

    monkeypatch.setattr(propagation, "repropagate", counting)
    fresh = node("fresh")
    bench.put(fresh)
    with store.write() as writer:
        writer.join([Member(heads[0].id, fresh.id, "core", 0.5)])
    store.propagated("a", "fact", 0.5)
    assert computed == [(4, 1)]


def test_damaged_vectors_take_no_part(store: SqliteStore) -> None:
    """NaN would spread over every hyperedge."""
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha"), node("beta"), node("gamma"))
    with store._connections.transaction() as connection:
        connection.execute("UPDATE vectors SET dense = X'00' WHERE memory = 1")
        nan = np.full(EMBEDDER.dimension, np.nan, np.float16).tobytes()
        connection.execute("UPDATE vectors SET dense = ? WHERE memory = 2", (nan,))
    assert store.propagated("a", "fact", 0.5).keys == (3,)


def test_the_least_recently_used_level_leaves_the_cache(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory is bounded, and what left is read again."""
    monkeypatch.setattr(propagation, "CACHED_NODES", 3)
    bench = Bench(store, lambda _embedder: store)
    bench.put(*[node(f"alpha {i}", scope=scope) for scope in "abc" for i in range(2)])
    for scope in "abcab":
        assert len(store.propagated(scope, "fact", 0.5).keys) == 2
    assert list(store._propagation._graphs) == [(2, "fact", 0.5, True)]


def test_reindexing_starts_afresh(store: SqliteStore) -> None:
    """What another handle had cached is dropped with the vectors it came from."""
    bench = Bench(store, lambda _embedder: store)
    bench.put(node("alpha"))
    assert np.allclose(store.propagated("a", "fact", 0.5).raw @ vector("alpha")[0], 1, atol=1e-3)
    store.reindex(lambda _texts: [], lambda _done, _total: None)
    assert not store._propagation._graphs
