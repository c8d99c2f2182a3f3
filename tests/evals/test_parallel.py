"""Several questions at once."""

from __future__ import annotations

import threading

import pytest

from hypermnesia.evals.parallel import in_order


@pytest.mark.parametrize("workers", [1, 3])
def test_results_come_in_order(workers: int) -> None:
    """Whoever is ready first."""
    assert list(in_order(str, range(20), workers)) == [str(n) for n in range(20)]


def test_workers_work_at_the_same_time() -> None:
    """Each waits for the other; alone neither would return."""
    both = threading.Barrier(2, timeout=10)
    assert sorted(in_order(lambda _: both.wait(), range(2), 2)) == [0, 1]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_after_what_was_finished_before_it(workers: int) -> None:
    """Which can be kept."""
    found = in_order(lambda number: 6 // (number - 3), range(9), workers)
    assert [next(found) for _ in range(3)] == [-2, -3, -6]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_one_worker_does_not_run_ahead() -> None:
    """What nobody asks for is not done."""
    begun: list[int] = []
    assert next(in_order(begun.append, range(9), 1)) is None
    assert begun == [0]
