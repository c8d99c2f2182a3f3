"""Several questions at once, for steps that wait for a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_order(work: Callable[[T], R], items: Sequence[T], workers: int) -> Iterator[R]:
    """What ``work`` makes of each item, in their order; what has not begun is left at an error.

    Args:
        work: safe to run in several threads if there are several workers.
        items: what it is given.
        workers: threads; with one nothing runs ahead of what is taken.
    """
    if workers == 1:
        yield from map(work, items)
        return
    pool = ThreadPoolExecutor(workers, "hypermnesia-eval")
    try:
        yield from pool.map(work, items)
    finally:
        pool.shutdown(cancel_futures=True)
