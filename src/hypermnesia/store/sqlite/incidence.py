"""The hypergraph's verbs of a write transaction: places, days, citations, memberships."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from hypermnesia.errors import Conflict, InvalidInput, NotFound
from hypermnesia.store.incidence import Days, Member, Place
from hypermnesia.store.sqlite.rows import fetch_all
from hypermnesia.store.sqlite.transaction import Transaction, scope_id
from hypermnesia.types import Level

_HEADED: dict[Level, tuple[Level, ...]] = {"episode": ("fact", "turn"), "topic": ("episode",)}
"""What a hyperedge of each level may hold (HyperMem, structure); no cycle can be made of it."""

_LIVING = "(SELECT key FROM memory WHERE status <> 'deleted')"
STRAY_LINKS = {
    "turn": f"memory NOT IN {_LIVING} OR NOT EXISTS (SELECT 1 FROM session c JOIN memory m"
    " ON m.scope = c.scope WHERE c.id = turn.session AND m.key = turn.memory)",
    "day": f"memory NOT IN {_LIVING} OR NOT (first BETWEEN 1 AND last AND last <= 3652059)",
    "session": "id NOT IN (SELECT session FROM turn)",
} | {
    table: f"{one} NOT IN {_LIVING} OR {other} NOT IN {_LIVING} OR NOT EXISTS (SELECT 1"
    f" FROM memory m JOIN memory n ON n.scope = m.scope WHERE m.key = {one} AND n.key = {other})"
    for table, one, other in (("source", "fact", "turn"), ("member", "head", "node"))
}
"""By table, what no sound row of it fulfils: ends that are gone, or of different scopes."""

# What a forgotten memory takes with it: facts drawn from nothing else, heads of nothing else.
_DEPENDANTS = """SELECT d.id FROM memory m
    JOIN source s ON s.turn = m.key JOIN memory d ON d.key = s.fact AND d.scope = m.scope
    WHERE m.id IN (SELECT value FROM json_each(:latest))
    AND NOT EXISTS (SELECT 1 FROM source o JOIN memory t ON t.key = o.turn
        WHERE o.fact = s.fact
        AND t.id NOT IN (SELECT value FROM json_each(:gone)))
UNION SELECT d.id FROM memory m
    JOIN member e ON e.node = m.key JOIN memory d ON d.key = e.head AND d.scope = m.scope
    WHERE m.id IN (SELECT value FROM json_each(:latest))
    AND NOT EXISTS (SELECT 1 FROM member o JOIN memory n ON n.key = o.node
        WHERE o.head = e.head
        AND n.id NOT IN (SELECT value FROM json_each(:gone)))"""


@dataclass(frozen=True, slots=True)
class End:
    """A memory at one end of a row."""

    key: int
    scope: int
    level: Level


class IncidenceWrites(Transaction):
    """Changes the hypergraph; see :class:`~hypermnesia.store.incidence.IncidenceWriter`.

    Whatever is touched is stamped with the change number, so that caches catch up.

    Args:
        connection: inside a write transaction.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        # Nobody else writes meanwhile, so what was looked up once holds until something is erased.
        self._memories: dict[str, End] = {}
        self._sessions: dict[tuple[int, str], int] = {}
        self._touched: set[int] = set()
        # Inserted by this transaction, and not placed or dated yet.
        self._bare: set[int] = set()

    def end(self, scope: str, session: str) -> int:
        """The position after the last turn of a session, 0 when it has none."""
        return self._connection.execute(
            "SELECT coalesce(max(t.position) + 1, 0) FROM turn t JOIN session c ON c.id = t.session"
            " WHERE c.scope = ? AND c.name = ?",
            (scope_id(self._connection, scope), session),
        ).get

    def place(self, turn: str, place: Place, days: Sequence[Days]) -> None:
        """Say where a turn stands and which days it speaks of."""
        (end,) = self._ends([turn], "turn")
        taken = self._connection.execute(
            "SELECT m.id FROM session c JOIN turn t ON t.session = c.id"
            " JOIN memory m ON m.key = t.memory WHERE c.scope = ? AND c.name = ?"
            " AND t.position = ? AND m.key <> ?",
            (end.scope, place.session, place.position, end.key),
        ).get
        if taken is not None:
            raise Conflict(
                f"turn {taken} stands at position {place.position} of the session already;"
                " place the other one after the session's end"
            )
        bare = self._was_bare(end.key)
        if not bare:
            self._displace(end.key)
        self._connection.execute(
            "INSERT INTO turn (session, position, memory, speaker) VALUES (?, ?, ?, ?)",
            (self._session(end.scope, place.session), place.position, end.key, place.speaker),
        )
        self._speaks_of(end.key, days, bare=bare)

    def date(self, fact: str, days: Sequence[Days]) -> None:
        """Say which days a fact speaks of."""
        (end,) = self._ends([fact], "fact")
        self._speaks_of(end.key, days, bare=self._was_bare(end.key))

    def cite(self, fact: str, turns: Sequence[str]) -> None:
        """Add source turns to a fact."""
        (head,) = self._ends([fact], "fact")
        for end in self._ends(turns, "turn", scope=head.scope):
            self._connection.execute(
                "INSERT OR IGNORE INTO source (fact, turn) VALUES (?, ?)", (head.key, end.key)
            )
            if self._connection.changes():
                self._stamp_once([head.key, end.key])

    def join(self, members: Sequence[Member]) -> None:
        """Put nodes into hyperedges; an existing membership gets the new role and weight."""
        for member in members:
            if not 0 <= member.weight <= 1:
                raise InvalidInput(
                    f"the weight of {member.node} in {member.head} is {member.weight};"
                    " give one in [0, 1]"
                )
        heads = self._ends([member.head for member in members], *_HEADED)
        self._look_up([member.node for member in members])
        for member, head in zip(members, heads, strict=True):
            (node,) = self._ends([member.node], *_HEADED[head.level], scope=head.scope)
            self._connection.execute(
                "INSERT INTO member (head, node, role, weight) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (head, node)"
                " DO UPDATE SET role = excluded.role, weight = excluded.weight"
                " WHERE role <> excluded.role OR weight <> excluded.weight",
                (head.key, node.key, member.role, member.weight),
            )
            if self._connection.changes():
                self._stamp_once([head.key, node.key])

    def leave(self, head: str, nodes: Sequence[str]) -> None:
        """Take nodes out of a hyperedge."""
        (edge,) = self._ends([head], *_HEADED)
        for node in self._ends(nodes, *_HEADED[edge.level], scope=edge.scope):
            self._connection.execute(
                "DELETE FROM member WHERE head = ? AND node = ?", (edge.key, node.key)
            )
            if self._connection.changes():
                self._stamp_once([edge.key, node.key])

    def dependants(self, ids: Sequence[str]) -> list[str]:
        """Ids of what stands on these memories alone."""
        return dependants(self._connection, ids)

    def _detach(self, key: int) -> None:
        """Remove everything that the hypergraph knows of a memory."""
        self._displace(key)
        self._connection.execute("DELETE FROM day WHERE memory = ?", (key,))
        self._memories.clear()
        self._bare.discard(key)
        touched: set[int] = set()
        for table, one, other in (("member", "head", "node"), ("source", "fact", "turn")):
            for end, far in ((one, other), (other, one)):
                rows = fetch_all(
                    self._connection,
                    f"DELETE FROM {table} WHERE {end} = ? RETURNING {far}",
                    (key,),
                )
                touched |= {row[0] for row in rows}
        self._touch(touched)

    def _displace(self, key: int) -> None:
        """Take a turn out of its session, and the session's name away with its last turn."""
        session = self._connection.execute(
            "DELETE FROM turn WHERE memory = ? RETURNING session", (key,)
        ).get
        if session is not None:
            self._sessions.clear()
            self._connection.execute(
                "DELETE FROM session WHERE id = ?"
                " AND NOT EXISTS (SELECT 1 FROM turn WHERE session = ?)",
                (session, session),
            )

    def _session(self, scope: int, name: str) -> int:
        if (scope, name) not in self._sessions:
            self._connection.execute(
                "INSERT OR IGNORE INTO session (scope, name) VALUES (?, ?)", (scope, name)
            )
            self._sessions[scope, name] = self._connection.execute(
                "SELECT id FROM session WHERE scope = ? AND name = ?", (scope, name)
            ).get
        return self._sessions[scope, name]

    def _begun(self, memory_id: str, end: End) -> None:
        """Note a memory that was inserted just now: nothing of it needs be looked up or undone."""
        self._memories[memory_id] = end
        self._touched.add(end.key)  # its row has the change number
        self._bare.add(end.key)

    def _was_bare(self, key: int) -> bool:
        """Whether a memory stood nowhere and spoke of no day until now."""
        bare = key in self._bare
        self._bare.discard(key)
        return bare

    def _speaks_of(self, key: int, days: Sequence[Days], *, bare: bool) -> None:
        if not bare:
            self._connection.execute("DELETE FROM day WHERE memory = ?", (key,))
        self._connection.executemany(
            "INSERT OR IGNORE INTO day (memory, first, last) VALUES (?, ?, ?)",
            [(key, d.first.toordinal(), d.last.toordinal()) for d in days],
        )
        self._stamp_once([key])

    def _stamp_once(self, keys: Sequence[int]) -> None:
        """Stamp memories that this transaction has not stamped for their surroundings yet."""
        fresh = [key for key in keys if key not in self._touched]
        self._touch(fresh)
        self._touched.update(fresh)

    def _ends(self, ids: Sequence[str], *levels: Level, scope: int | None = None) -> list[End]:
        """The memories with these ids, which must be of one of the levels (and in the scope)."""
        self._look_up(ids)
        known = {memory_id: self._memories.get(memory_id) for memory_id in ids}
        found = {i: end for i, end in known.items() if end and scope in (None, end.scope)}
        for memory_id in ids:
            if memory_id not in found:
                within = "" if scope is None else " in this scope"
                raise NotFound(f"no memory has the id {memory_id!r}{within}")
            if found[memory_id].level not in levels:
                raise InvalidInput(
                    f"memory {memory_id} is a {found[memory_id].level}, not a {' or '.join(levels)}"
                )
        return [found[memory_id] for memory_id in ids]

    def _look_up(self, ids: Sequence[str]) -> None:
        """Note what is known of the memories with these ids, as far as there are any."""
        if unread := [memory_id for memory_id in ids if memory_id not in self._memories]:
            rows = fetch_all(
                self._connection,
                "SELECT id, key, scope, level FROM memory"
                " WHERE id IN (SELECT value FROM json_each(?)) AND status <> 'deleted'",
                (json.dumps(unread),),
            )
            self._memories |= {row[0]: End(*row[1:]) for row in rows}


def dependants(connection: apsw.Connection, ids: Sequence[str]) -> list[str]:
    """Ids of the facts drawn from nothing but these memories, of the heads of nothing else, and
    of what in turn stands on those alone, the nearest first.
    """  # noqa: D205 - one sentence
    gone, latest = dict.fromkeys(ids), list(ids)
    found: list[str] = []
    while latest:
        rows = connection.execute(
            _DEPENDANTS, {"latest": json.dumps(latest), "gone": json.dumps(list(gone))}
        )
        latest = [row[0] for row in rows if row[0] not in gone]
        gone |= dict.fromkeys(latest)
        found += latest
    return found
