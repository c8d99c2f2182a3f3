"""What the verbs of a write transaction share: keys, scopes held, and the change number."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from hypermnesia.errors import NotFound
from hypermnesia.store.postgres.statements import Link, execute, run, value


class Transaction:
    """An open write transaction.

    Whatever it reads or writes of a scope, it holds that scope first: writers of one scope
    follow each other, writers of different scopes do not wait.

    Args:
        connection: inside a write transaction.
    """

    def __init__(self, connection: Link) -> None:
        self._connection = connection
        self._changes: dict[int, int] = {}
        self._held: dict[int, int] = {}
        self._scopes: dict[str, int] = {}

    @property
    def changes(self) -> Mapping[int, int]:
        """The change numbers taken so far, by the number of their scope."""
        return self._changes

    def _key(self, memory_id: str) -> tuple[int, int]:
        """The key of a memory, erased ones included, and the number of its scope, now held."""
        rows = run(self._connection, "SELECT key, scope FROM memory WHERE id = %s", (memory_id,))
        if not rows:
            raise NotFound(f"no memory has the id {memory_id!r}")
        key, scope = rows[0]
        self._hold([scope])
        return key, scope

    def _scope(self, name: str) -> int:
        """The number of a scope, now held, which is made when it is new."""
        if name not in self._scopes:
            found = scope_id(self._connection, name)
            if found is None:
                # Waits for whoever else is making it, and then finds it.
                execute(
                    self._connection,
                    "INSERT INTO scope (name) VALUES (%s) ON CONFLICT (name) DO NOTHING",
                    (name,),
                )
                found = scope_id(self._connection, name)
            assert found is not None  # noqa: S101 - made above
            self._scopes[name] = found
        self._hold([self._scopes[name]])
        return self._scopes[name]

    def _hold(self, scopes: Iterable[int]) -> None:
        """Keep other writers out of scopes until the transaction ends.

        Several at once are taken in order, so that two writers cannot wait for each other.
        """
        for scope in sorted(set(scopes) - self._held.keys()):
            query = "SELECT value FROM change WHERE scope = %s FOR UPDATE"
            latest = value(self._connection, query, (scope,))
            if latest is None:
                execute(
                    self._connection,
                    "INSERT INTO change (scope, value) VALUES (%s, 0) ON CONFLICT DO NOTHING",
                    (scope,),
                )
                latest = value(self._connection, query, (scope,))
            self._held[scope] = latest or 0

    def _stamp(self, scope: int) -> int:
        """The transaction's change number in a scope, taken when first asked for."""
        if scope not in self._changes:
            self._hold([scope])
            self._changes[scope] = value(
                self._connection,
                "UPDATE change SET value = value + 1 WHERE scope = %s RETURNING value",
                (scope,),
            )
        return self._changes[scope]

    def _touch(self, scope: int, keys: Collection[int]) -> None:
        """Stamp memories whose rows stay but whose surroundings changed."""
        if keys:
            stamp = self._stamp(scope)
            execute(
                self._connection,
                "UPDATE memory SET changed = %s"
                " WHERE scope = %s AND key = ANY(%s::bigint[]) AND changed <> %s",
                (stamp, scope, list(keys), stamp),
            )


def scope_id(connection: Link, name: str) -> int | None:
    """The store's number for a scope, ``None`` when nothing was ever stored in it."""
    return value(connection, "SELECT id FROM scope WHERE name = %s", (name,))
