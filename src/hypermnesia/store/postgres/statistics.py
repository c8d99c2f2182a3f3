"""What the planner knows of a store that has just grown.

PostgreSQL counts a table's rows when autovacuum comes round, once a minute at best. Until then it
takes a scope for a handful of rows, and compares every labelled memory with every other to find
their vectors: ten thousand memories are enough for a search that outlasts its time limit.
"""

from __future__ import annotations

import logging
import threading

from hypermnesia.errors import StoreError
from hypermnesia.store.postgres.connection import Connections

log = logging.getLogger("hypermnesia")

SMALL = 500
"""Memories that are found quickly whatever the planner thinks."""
_COUNT = "ANALYZE (SKIP_LOCKED) memory, label, vectors, chunk, document, posting, member, turn, day"
_KNOWN = "SELECT reltuples FROM pg_class WHERE oid = 'memory'::regclass"


class Statistics:
    """Has the rows counted when this process has written as many as were known before.

    That is so at every doubling, so a store that grows to a million is counted eleven times.

    Args:
        connections: where to write.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._lock = threading.Lock()
        self._written = 0
        self._due = SMALL

    def grown(self, memories: int) -> None:
        """Tell that so many memories were committed; never fails what was committed."""
        with self._lock:
            self._written += memories
            if self._written < self._due:
                return
            written, self._written = self._written, 0
            try:
                self._due = max(SMALL, round(self._counted(written)))
            except StoreError as error:  # what was written stands, and autovacuum will come
                log.info("rows not counted: %s", error)

    def _counted(self, written: int) -> float:
        """Rows that the planner knows of, counted if it knew of no more than were written."""
        with self._connections.alone() as connection:
            known = next(tuples for (tuples,) in connection.execute(_KNOWN))
            if known > written:
                return known
            connection.execute(_COUNT)
            return next(tuples for (tuples,) in connection.execute(_KNOWN))
