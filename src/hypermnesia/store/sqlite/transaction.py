"""What the verbs of a write transaction share: keys, scope numbers and the change number."""

from __future__ import annotations

import json
from collections.abc import Collection

import apsw

from hypermnesia.errors import NotFound


class Transaction:
    """An open write transaction.

    Args:
        connection: inside a write transaction.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._change = 0
        self._scopes: dict[str, int] = {}

    def _key(self, memory_id: str) -> tuple[int, int]:
        """The key of a memory, erased ones included, and the number of its scope."""
        row = self._connection.execute(
            "SELECT key, scope FROM memory WHERE id = ?", (memory_id,)
        ).fetchone()
        if row is None:
            raise NotFound(f"no memory has the id {memory_id!r}")
        return row[0], row[1]

    def _scope(self, name: str) -> int:
        """The number of a scope, which is made when it is new."""
        if name not in self._scopes:
            found = scope_id(self._connection, name)
            if found is None:
                self._connection.execute("INSERT INTO scope (name) VALUES (?)", (name,))
                found = self._connection.last_insert_rowid()
            self._scopes[name] = found
        return self._scopes[name]

    def _stamp(self) -> int:
        """The transaction's change number, taken when first asked for."""
        if not self._change:
            self._change = self._connection.execute(
                "UPDATE change_sequence SET value = value + 1 RETURNING value"
            ).get
        return self._change

    def _touch(self, keys: Collection[int]) -> None:
        """Stamp memories whose rows stay but whose surroundings changed."""
        if keys:
            stamp = self._stamp()
            self._connection.execute(
                "UPDATE memory SET changed = ? WHERE key IN (SELECT value FROM json_each(?))"
                " AND changed <> ?",
                (stamp, json.dumps(list(keys)), stamp),
            )


def scope_id(connection: apsw.Connection, name: str) -> int | None:
    """The store's number for a scope, ``None`` when nothing was ever stored in it."""
    return connection.execute("SELECT id FROM scope WHERE name = ?", (name,)).get
