"""Grouping texts into forward passes, and running those at the same time."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.models.passes import OVERHEAD, PIECES, Passes, grouped

LENGTHS = st.lists(st.integers(1, 2 * PIECES), max_size=9)


def cost(groups: list[list[int]], lengths: list[int]) -> int:
    """What grouping minimises."""
    return sum(max(lengths[i] for i in group) * len(group) + OVERHEAD for group in groups)


def cheapest(ordered: list[int]) -> int:
    """By trying every way to cut a list, the longest first, into groups."""
    best = 0 if not ordered else None
    for first in range(1, len(ordered) + 1):
        if first > 1 and ordered[0] * first > PIECES:
            break
        rest = cheapest(ordered[first:])
        total = ordered[0] * first + OVERHEAD + rest
        best = total if best is None else min(best, total)
    assert best is not None
    return best


@given(LENGTHS)
def test_every_text_is_in_one_group_and_all_groups_together_cost_least(lengths: list[int]) -> None:
    """Compared with every other way to cut the ordered list."""
    groups = grouped(lengths)
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    assert all(len(g) == 1 or max(lengths[i] for i in g) * len(g) <= PIECES for g in groups)
    assert cost(groups, lengths) == cheapest(sorted(lengths, reverse=True))


@given(LENGTHS)
def test_the_longest_come_first(lengths: list[int]) -> None:
    """So that concurrent passes end at about the same time."""
    ordered = [lengths[i] for group in grouped(lengths) for i in group]
    assert all(a >= b for a, b in pairwise(ordered))


class Model:
    """Counts sessions, and tells which one made a pass; a pass waits for its neighbours."""

    def __init__(self, at_once: int = 1) -> None:
        self.loaded: list[int] = []
        self.barrier = threading.Barrier(at_once)

    def load(self, threads: int) -> int:
        """A session is the number of its threads."""
        self.loaded.append(threads)
        return threads

    def run(self, session: int, given: str) -> str:
        """A pass; it goes on once as many as should be under way are."""
        self.barrier.wait(timeout=10)
        if given == "bad":
            raise ValueError(given)
        return f"{given} on {session}"


def test_as_many_passes_as_cores_run_at_once_on_one_core_each() -> None:
    """The barrier lets none of them through before there are three."""
    model = Model(at_once=3)
    passes = Passes(model.load, model.run, threads=3)
    assert list(passes("abcdef")) == [f"{name} on 1" for name in "abcdef"]
    assert list(passes("ghi")) == [f"{name} on 1" for name in "ghi"]
    assert model.loaded == [1]


def test_fewer_passes_than_cores_share_them() -> None:
    """One after the other, each on all of them."""
    model = Model()
    passes = Passes(model.load, model.run, threads=3)
    assert list(passes("ab")) == ["a on 3", "b on 3"]
    assert list(passes("")) == []
    assert model.loaded == [3]


def test_a_single_core_needs_a_single_session() -> None:
    """Two sessions would hold the weights twice."""
    model = Model()
    passes = Passes(model.load, model.run, threads=1)
    assert list(passes("abc")) == ["a on 1", "b on 1", "c on 1"]
    assert model.loaded == [1]


def test_what_a_pass_raises_reaches_the_caller_and_the_next_call_works() -> None:
    """No thread is lost to it."""
    model = Model()
    passes = Passes(model.load, model.run, threads=2)
    with pytest.raises(ValueError, match="bad"):
        list(passes(["a", "bad", "c"]))
    assert list(passes("de")) == ["d on 1", "e on 1"]


def test_a_result_is_there_before_the_last_pass_is_made() -> None:
    """So that it is taken apart meanwhile, and not by a thread that could make passes."""
    model, went_on = Model(), threading.Event()

    def run(session: int, given: str) -> str:
        assert given != "b" or went_on.wait(timeout=10)
        return model.run(session, given)

    found = Passes(model.load, run, threads=2)("ab")
    assert next(found) == "a on 1"
    went_on.set()
    assert list(found) == ["b on 1"]


def test_callers_do_not_wait_for_each_other_to_end() -> None:
    """The last pass of one and the first of the next run at the same time."""
    model = Model(at_once=2)
    passes = Passes(model.load, model.run, threads=2)

    def made(given: str) -> list[str]:
        return list(passes(given))

    with ThreadPoolExecutor(2) as callers:  # of three passes each, one is left over
        first, second = callers.map(made, ("abc", "def"), timeout=20)
    assert first + second == [f"{name} on 1" for name in "abcdef"]


def test_an_encoder_takes_its_sessions_and_threads_along() -> None:
    """At once, not when cycles are collected: until then each would keep its weights, twice."""
    before = set(threading.enumerate())
    gc.collect()
    gc.disable()
    try:
        encoder = OnnxEncoder(threads=2)
        encoder.encode(["The potter sailed to Lisbon and told nobody there of it. " * 4] * 12)
        threads = set(threading.enumerate()) - before
        gone = weakref.ref(encoder)
        del encoder
        assert gone() is None
    finally:
        gc.enable()
    assert len(threads) == 2
    end = time.monotonic() + 10
    while any(thread.is_alive() for thread in threads) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(thread.is_alive() for thread in threads)


def test_an_encoder_finds_the_same_on_any_number_of_cores(encoder: OnnxEncoder) -> None:
    """Texts of many lengths, so that they come back from many passes, in their order."""
    said = "the potter sailed to Lisbon and told nobody there of a kiln " * 3
    texts = [said[: 7 * length + 3] for length in (9, 1, 17, 3, 20, 5, 13, 2) * 4]
    alone, together = encoder.encode(texts), OnnxEncoder(threads=2).encode(texts)
    for one, other in zip(alone, together, strict=True):
        assert one.pieces.tolist() == other.pieces.tolist()
        np.testing.assert_allclose(one.dense, other.dense, atol=1e-5)
        np.testing.assert_allclose(one.tokens, other.tokens, atol=1e-4)
