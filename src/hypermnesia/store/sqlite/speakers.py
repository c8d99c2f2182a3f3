"""Who speaks in a scope, counted once for as long as nothing changes there."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import apsw

from hypermnesia.store.sqlite.rows import fetch_all

_LATEST = "SELECT coalesce(max(changed), 0) FROM memory WHERE scope = ?"
_SPEAKERS = """SELECT t.speaker, count(*) FROM session c JOIN turn t ON t.session = c.id
    WHERE c.scope = ? GROUP BY t.speaker"""


class Speakers:
    """Counts of turns by speaker, in step with the rows; safe to share between threads.

    Every search of talk asks who takes part, and counting goes through all turns of the scope.
    Whatever places or removes a turn also stamps its row, so the scope's latest change number
    tells whether a count still holds, whichever process made the change.
    """

    def __init__(self) -> None:
        self._counted: dict[int, tuple[int, Mapping[str, int]]] = {}
        self._lock = threading.Lock()

    def of(self, connection: apsw.Connection, scope: int) -> Mapping[str, int]:
        """Every speaker of a scope with the number of turns; ``connection`` is in a snapshot."""
        latest: int = connection.execute(_LATEST, (scope,)).get
        with self._lock:
            counted = self._counted.get(scope)
        if counted is None or counted[0] != latest:
            rows = fetch_all(connection, _SPEAKERS, (scope,))
            counted = latest, dict[str, int](rows)
            with self._lock:
                self._counted[scope] = counted
        return counted[1]
