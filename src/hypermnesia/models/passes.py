"""Forward passes over many texts: which texts share one, and how many run at a time.

A pass on several cores waits for itself at every layer. So when there are as many passes to
make as there are cores, each runs on one of them; only fewer than that share the cores
(``docs/decisions/0023-a-forward-pass-runs-on-one-core.md``).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

PIECES = 256
"""Padded word pieces of a pass at most: bounds memory; more are no faster (``bench/passes.py``)."""
OVERHEAD = 10
"""What a pass costs beside its pieces, in pieces (``bench/passes.py``)."""

Given = TypeVar("Given")
Found = TypeVar("Found")


class Passes(Generic[Given, Found]):
    """Runs passes of one model; instances are safe to share between threads.

    Passes of different callers are made in the order of their coming, without a pause between
    the last of one and the first of the next.

    Args:
        load: makes a session of the model that uses so many threads; 0 = one a core.
        run: makes a pass, and nothing else: while a thread prepares one or takes its result apart,
            its core waits for the interpreter lock.
        threads: cores to use; 0 = all.
    """

    def __init__(
        self, load: Callable[[int], Any], run: Callable[[Any, Given], Found], threads: int
    ) -> None:
        self._load = load
        self._run = run
        self._threads = threads
        self._lock = threading.Lock()

    @cached_property
    def shared(self) -> Any:
        """The session whose passes use all cores."""
        return self._load(self._threads)

    @cached_property
    def _single(self) -> tuple[Any, ThreadPoolExecutor]:
        """The session whose passes use one core each, and threads for them."""
        return self._load(1), ThreadPoolExecutor(self._cores, "hypermnesia-pass")

    @cached_property
    def _cores(self) -> int:
        return self._threads or _available()

    def __call__(self, inputs: Sequence[Given]) -> Iterator[Found]:
        """The result of each pass, in order, as soon as it is there."""
        with self._lock:
            many = 1 < self._cores <= len(inputs)
            session, pool = self._single if many else (self.shared, None)
        run = partial(self._run, session)
        return pool.map(run, inputs) if pool else map(run, inputs)


def grouped(lengths: Sequence[int]) -> list[list[int]]:
    """Indices of texts that go through a pass together, so that all passes together cost least.

    A pass costs its longest text for each of its texts, and :data:`OVERHEAD`. Among groups of
    neighbours by length the cheapest are found one after the other, from the first text on:
    the cheapest up to a text ends in a group that begins where another cheapest one ended.

    Args:
        lengths: word pieces of each text.

    Returns:
        The longest texts first, so that concurrent passes end at about the same time.
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    costs, begins = [0] + [-1] * len(order), [0] * (len(order) + 1)
    for start, longest in enumerate(map(lengths.__getitem__, order)):
        most = max(1, PIECES // max(1, longest))
        for end in range(start + 1, min(len(order), start + most) + 1):
            cost = costs[start] + longest * (end - start) + OVERHEAD
            if costs[end] < 0 or cost < costs[end]:
                costs[end], begins[end] = cost, start
    groups, end = list[list[int]](), len(order)
    while end:
        groups.append(order[begins[end] : end])
        end = begins[end]
    return groups[::-1]


def _available() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
