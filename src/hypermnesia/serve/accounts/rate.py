"""Token buckets: bursts are fine, floods are not."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

KEPT = 10_000
"""Buckets kept; the one that was asked longest ago makes room."""


class Buckets:
    """One bucket for each key, in this process.

    Args:
        rate: tokens that flow in a second.
        size: tokens that a bucket holds, so the longest burst.
        clock: seconds; only differences count.
        kept: most buckets.
    """

    def __init__(
        self,
        rate: float,
        size: float,
        clock: Callable[[], float] = time.monotonic,
        kept: int = KEPT,
    ) -> None:
        self._rate = rate
        self._size = size
        self._clock = clock
        self._kept = kept
        self._lock = threading.Lock()
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> float:
        """Take a token.

        Returns:
            0, or, when there was none, seconds until there will be one.
        """
        with self._lock:
            now = self._clock()
            level, at = self._levels.pop(key, (self._size, now))
            level = min(self._size, level + (now - at) * self._rate)
            wait = 0.0 if level >= 1 else (1 - level) / self._rate
            self._levels[key] = (level if wait else level - 1, now)
            if len(self._levels) > self._kept:
                self._levels.popitem(last=False)
            return wait

    def refill(self, key: str) -> None:
        """Forget what was taken."""
        with self._lock:
            self._levels.pop(key, None)
