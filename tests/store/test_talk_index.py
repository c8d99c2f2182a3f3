"""Turns held in memory never drift from their rows."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from hypermnesia.store.incidence import Place
from hypermnesia.store.protocol import Filter, Signals
from hypermnesia.store.sqlite import talk
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.types import Node
from tests.store.bench import EMBEDDER, Bench, record
from tests.store.incidence_contract import keys_of, places, told, turn

TURNS = Filter("a", levels=("turn",))


class Edits(RuleBasedStateMachine):
    """Random edits through one handle; a second one must read what a fresh one reads."""

    folder: Path

    @initialize()
    def open(self) -> None:
        """A talk in a store with two handles."""
        self.path = self.folder / f"{np.random.default_rng().integers(2**60)}.db"
        self.writer = SqliteStore(self.path, EMBEDDER.identity, EMBEDDER.dimension)
        self.reader = SqliteStore(self.path, EMBEDDER.identity, EMBEDDER.dimension)
        self.bench = Bench(self.writer, lambda _embedder: self.reader)
        self.turns = {item.id: item for item in told(self.bench).turns}
        self.number = len(self.turns)

    @rule(session=st.sampled_from("st"))
    def say(self, session: str) -> None:
        """One turn more."""
        item = turn(f"Ann: news {self.number}", self.number, session=session)
        self.bench.put(item)
        with self.writer.write() as writer:
            writer.place(item.id, Place(session, self.number, "Ann"), [])
        self.turns[item.id] = item
        self.number += 1

    @rule(data=st.data(), status=st.sampled_from(["active", "low_signal"]))
    def restatus(self, data: st.DataObject, status: str) -> None:
        """A turn is gated, or is no longer."""
        if old := self._any(data):
            self.turns[old.id] = replace(old, status=status)
            self.bench.amend(self.turns[old.id])

    @rule(data=st.data())
    def rewrite(self, data: st.DataObject) -> None:
        """A turn says something else."""
        if old := self._any(data):
            self.number += 1
            self.turns[old.id] = replace(old, content=f"Ann: rather {self.number}")
            with self.writer.write() as writer:
                writer.rewrite(record(self.turns[old.id]))

    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        """A turn is forgotten."""
        if old := self._any(data):
            self.bench.erase(old.id)
            del self.turns[old.id]

    @invariant()
    def reads_what_the_rows_hold(self) -> None:
        """Turns, neighbours and vectors."""
        fresh = SqliteStore(self.path, EMBEDDER.identity, EMBEDDER.dimension)
        keys = list(range(1, self.number + 20))
        for wanted, reach in ((keys, 0), (keys[::3], 1), (keys[:2], 9)):
            around = {said.key: said for said in self.reader.around("a", wanted, reach)}
            assert around == {said.key: said for said in fresh.around("a", wanted, reach)}
        heard = sorted(said.key for said in fresh.around("a", keys, 0))
        assert_alike(self.reader.signals(TURNS, heard), from_rows(fresh, heard))
        fresh.close()

    def _any(self, data: st.DataObject) -> Node | None:
        return data.draw(st.sampled_from(list(self.turns.values()))) if self.turns else None

    def teardown(self) -> None:
        """Release the store."""
        self.writer.close()
        self.reader.close()


def from_rows(store: SqliteStore, keys: list[int]) -> Signals:
    """Signals under a filter that memory does not answer."""
    return store.signals(replace(TURNS, keys=tuple(keys)), keys)


def assert_alike(one: Signals, other: Signals) -> None:
    """The same vectors of the same memories."""
    assert (one.keys, one.tokens) == (other.keys, other.tokens)
    np.testing.assert_array_equal(one.owners, other.owners)
    np.testing.assert_array_equal(one.dense, other.dense)


def test_turns_follow_any_edits(tmp_path: Path) -> None:
    """Said, gated, rewritten, forgotten: they are read as if for the first time."""
    from hypothesis.stateful import run_state_machine_as_test

    machine = type("EditsHere", (Edits,), {"folder": tmp_path})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=6, stateful_step_count=8, deadline=None)
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store."""
    store = SqliteStore(tmp_path / "store.db", EMBEDDER.identity, EMBEDDER.dimension)
    yield store
    store.close()


def test_what_is_held_is_bounded(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns and scopes that were not read of late leave, and are read again."""
    monkeypatch.setattr(talk, "HELD", 2)
    monkeypatch.setattr(talk, "SCOPES", 1)
    bench = Bench(store, lambda _embedder: store)
    keys = {scope: keys_of(bench, *told(bench, scope).turns) for scope in "ab"}
    for scope in "abab":
        assert places(store.around(scope, keys[scope][1:2], 1)) == [0, 1, 2]
    assert (len(store._talk._held), len(store._talk._orders)) == (2, 1)


def test_signals_of_turns_that_do_not_pass_come_from_their_rows(store: SqliteStore) -> None:
    """A gated turn has none, and does not hide those of the others."""
    bench = Bench(store, lambda _embedder: store)
    said = told(bench)
    keys = keys_of(bench, *said.turns)
    bench.amend(replace(said.turns[1], status="low_signal"))
    assert store.signals(TURNS, keys).keys == (keys[0], *keys[2:])


def test_nothing_is_held_after_a_reindex(store: SqliteStore) -> None:
    """Rows may have been mended."""
    bench = Bench(store, lambda _embedder: store)
    keys = keys_of(bench, *told(bench).turns)
    store.around("a", keys, 1)
    store.reindex(lambda _texts: [], lambda _done, _total: None)
    assert not store._talk._held
    assert len(store.around("a", keys, 1)) == len(keys)
