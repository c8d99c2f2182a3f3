"""The rows that propagated embeddings are made of; see :mod:`hypermnesia.store.propagation`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import apsw

from hypermnesia.store.sqlite.rows import fetch_all
from hypermnesia.types import Level

_CHANGED = """SELECT m.key, CASE m.status WHEN 'active' THEN v.dense END
    FROM memory m LEFT JOIN vectors v ON v.memory = m.key
        AND v.encoder = (SELECT id FROM encoder WHERE identity = ?)
    WHERE m.scope = ? AND m.level = ? AND m.changed > ? ORDER BY m.key"""

_MEMBERSHIPS = """SELECT m.key, e.head, e.weight
    FROM memory m JOIN member e ON e.node = m.key
    WHERE m.scope = ? AND m.level = ? AND m.changed > ? AND e.weight BETWEEN 0 AND 1"""


@dataclass(frozen=True, slots=True)
class SqlitePropagationRows:
    """Rows of one scope under one encoder.

    Attributes:
        connection: in a snapshot.
        scope: number of the scope.
        identity: the encoder whose vectors are propagated.
    """

    connection: apsw.Connection
    scope: int
    identity: str

    def latest(self) -> int:
        """Change number of the scope's latest modification."""
        return self.connection.execute(
            "SELECT coalesce(max(changed), 0) FROM memory WHERE scope = ?", (self.scope,)
        ).get

    def changed(self, level: Level, since: int) -> list[tuple[Any, ...]]:
        """Key and vectors of the level's memories changed since, by rising key."""
        values = (self.identity, self.scope, level, since)
        return fetch_all(self.connection, _CHANGED, values)

    def memberships(self, level: Level, since: int) -> list[tuple[Any, ...]]:
        """Key, head and weight of every membership of those memories."""
        return fetch_all(self.connection, _MEMBERSHIPS, (self.scope, level, since))
