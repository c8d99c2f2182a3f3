"""Opening the store while the SDK is still being imported, and again after a failure."""

from __future__ import annotations

import logging
import threading

from hypermnesia.errors import HypermnesiaError
from hypermnesia.memory import Memory

log = logging.getLogger("hypermnesia")

END_OF_TIME = "9999-12-31T23:59:59+00:00"
"""A time that no event is after."""


class Opening:
    """The memory on a store, opened when it is first asked for; safe between threads."""

    def __init__(self, store: str | None) -> None:
        self._store = store
        self._memory: Memory | None = None
        self._lock = threading.Lock()

    def __call__(self) -> Memory:
        """The memory; after a failure the next call tries again.

        Raises:
            StoreError: the store cannot be opened.
            InvalidInput: a setting is wrong.
        """
        with self._lock:
            if self._memory is None:
                self._memory = Memory.open(self._store)
            return self._memory

    def warm(self) -> None:
        """Open the store and load the models ahead of the first request."""
        try:
            # A search that can find nothing loads what a search needs and touches no memory.
            self().search("warm up", since=END_OF_TIME)
        except HypermnesiaError as error:
            log.warning("the memory is not available: %s", error)

    def close(self) -> None:
        """Close the memory if it was opened."""
        with self._lock:
            if self._memory is not None:
                self._memory.close()
                self._memory = None
