"""Token buckets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from hypermnesia.serve.accounts.rate import Buckets


class Seconds:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.at


def test_a_bucket_gives_its_size_at_once_and_then_its_rate() -> None:
    """The wait that is told is the wait that is needed."""
    clock = Seconds()
    buckets = Buckets(0.5, 3, clock)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, pytest.approx(2)]
    clock.at = 1.0
    assert buckets.take("a") == pytest.approx(1)
    clock.at = 2.0
    assert buckets.take("a") == 0
    assert buckets.take("b") == 0


def test_a_bucket_never_holds_more_than_its_size() -> None:
    """However long nobody took anything."""
    clock = Seconds()
    buckets = Buckets(1, 2, clock)
    clock.at = 1e6
    assert [buckets.take("a") > 0 for _ in range(3)] == [False, False, True]


def test_a_refilled_bucket_is_full() -> None:
    """After a right password, wrong ones are forgotten."""
    buckets = Buckets(0.01, 1, Seconds())
    buckets.take("a")
    buckets.refill("a")
    assert buckets.take("a") == 0


def test_buckets_that_nobody_asks_for_make_room() -> None:
    """Memory is bounded whatever keys callers make up."""
    buckets = Buckets(0.01, 1, Seconds(), kept=2)
    for key in ("a", "b", "c"):
        assert buckets.take(key) == 0
    assert buckets.take("c") > 0
    assert buckets.take("a") == 0


def test_many_threads_get_what_there_is() -> None:
    """And no more."""
    buckets = Buckets(1, 20, Seconds())
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(buckets.take, ["a"] * 50))
    assert waits.count(0) == 20
