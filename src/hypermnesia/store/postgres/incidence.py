"""The hypergraph's verbs of a write transaction: places, days, citations, memberships."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypermnesia.errors import Conflict, InvalidInput, NotFound
from hypermnesia.store.incidence import Days, Member, Place
from hypermnesia.store.postgres.statements import Link, affected, execute, run, value
from hypermnesia.store.postgres.transaction import Transaction
from hypermnesia.types import Level

_HEADED: dict[Level, tuple[Level, ...]] = {"episode": ("fact", "turn"), "topic": ("episode",)}
"""What a hyperedge of each level may hold (HyperMem, structure); no cycle can be made of it."""

# What a forgotten memory takes with it: facts drawn from nothing else, heads of nothing else.
_DEPENDANTS = """SELECT d.id FROM memory m
    JOIN source s ON s.scope = m.scope AND s.turn = m.key
    JOIN memory d ON d.scope = s.scope AND d.key = s.fact
    WHERE m.id = ANY(%(latest)s::text[])
    AND NOT EXISTS (SELECT 1 FROM source o
        JOIN memory t ON t.scope = o.scope AND t.key = o.turn
        WHERE o.scope = s.scope AND o.fact = s.fact AND t.id <> ALL(%(gone)s::text[]))
UNION SELECT d.id FROM memory m
    JOIN member e ON e.scope = m.scope AND e.node = m.key
    JOIN memory d ON d.scope = e.scope AND d.key = e.head
    WHERE m.id = ANY(%(latest)s::text[])
    AND NOT EXISTS (SELECT 1 FROM member o
        JOIN memory n ON n.scope = o.scope AND n.key = o.node
        WHERE o.scope = e.scope AND o.head = e.head AND n.id <> ALL(%(gone)s::text[]))"""


@dataclass(frozen=True, slots=True)
class _End:
    """A memory at one end of a row."""

    key: int
    scope: int
    level: Level


class IncidenceWrites(Transaction):
    """Changes the hypergraph; see :class:`~hypermnesia.store.incidence.IncidenceWriter`.

    Whatever is touched is stamped with the change number, so that caches catch up.
    """

    def end(self, scope: str, session: str) -> int:
        """The position after the last turn of a session, 0 when it has none."""
        return value(
            self._connection,
            "SELECT coalesce(max(t.position) + 1, 0) FROM session c"
            " JOIN turn t ON t.scope = c.scope AND t.session = c.id"
            " WHERE c.scope = %s AND c.name = %s",
            (self._scope(scope), session),
        )

    def place(self, turn: str, place: Place, days: Sequence[Days]) -> None:
        """Say where a turn stands and which days it speaks of."""
        (end,) = self._ends([turn], "turn")
        taken = value(
            self._connection,
            "SELECT m.id FROM session c JOIN turn t ON t.scope = c.scope AND t.session = c.id"
            " JOIN memory m ON m.scope = t.scope AND m.key = t.memory"
            " WHERE c.scope = %s AND c.name = %s AND t.position = %s AND m.key <> %s",
            (end.scope, place.session, place.position, end.key),
        )
        if taken is not None:
            raise Conflict(
                f"turn {taken} stands at position {place.position} of the session already;"
                " place the other one after the session's end"
            )
        self._displace(end)
        execute(
            self._connection,
            "INSERT INTO turn (scope, session, position, memory, speaker)"
            " VALUES (%s, %s, %s, %s, %s)",
            (
                end.scope,
                self._session(end.scope, place.session),
                place.position,
                end.key,
                place.speaker,
            ),
        )
        self._speaks_of(end, days)

    def date(self, fact: str, days: Sequence[Days]) -> None:
        """Say which days a fact speaks of."""
        (end,) = self._ends([fact], "fact")
        self._speaks_of(end, days)

    def cite(self, fact: str, turns: Sequence[str]) -> None:
        """Add source turns to a fact."""
        (head,) = self._ends([fact], "fact")
        for end in self._ends(turns, "turn", scope=head.scope):
            added = affected(
                self._connection,
                "INSERT INTO source (scope, fact, turn) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                (head.scope, head.key, end.key),
            )
            if added:
                self._touch(head.scope, [head.key, end.key])

    def join(self, members: Sequence[Member]) -> None:
        """Put nodes into hyperedges; an existing membership gets the new role and weight."""
        for member in members:
            if not 0 <= member.weight <= 1:
                raise InvalidInput(
                    f"the weight of {member.node} in {member.head} is {member.weight};"
                    " give one in [0, 1]"
                )
        heads = self._ends([member.head for member in members], *_HEADED)
        for member, head in zip(members, heads, strict=True):
            (node,) = self._ends([member.node], *_HEADED[head.level], scope=head.scope)
            changed = affected(
                self._connection,
                "INSERT INTO member AS e (scope, head, node, role, weight)"
                " VALUES (%s, %s, %s, %s, %s) ON CONFLICT (scope, head, node)"
                " DO UPDATE SET role = excluded.role, weight = excluded.weight"
                " WHERE e.role <> excluded.role OR e.weight <> excluded.weight",
                (head.scope, head.key, node.key, member.role, member.weight),
            )
            if changed:
                self._touch(head.scope, [head.key, node.key])

    def leave(self, head: str, nodes: Sequence[str]) -> None:
        """Take nodes out of a hyperedge."""
        (edge,) = self._ends([head], *_HEADED)
        for node in self._ends(nodes, *_HEADED[edge.level], scope=edge.scope):
            gone = affected(
                self._connection,
                "DELETE FROM member WHERE scope = %s AND head = %s AND node = %s",
                (edge.scope, edge.key, node.key),
            )
            if gone:
                self._touch(edge.scope, [edge.key, node.key])

    def dependants(self, ids: Sequence[str]) -> list[str]:
        """Ids of what stands on these memories alone."""
        return dependants(self._connection, ids)

    def _detach(self, scope: int, key: int) -> None:
        """Remove everything that the hypergraph knows of a memory."""
        self._displace(_End(key, scope, "turn"))
        execute(self._connection, "DELETE FROM day WHERE scope = %s AND memory = %s", (scope, key))
        touched: set[int] = set()
        for table, one, other in (("member", "head", "node"), ("source", "fact", "turn")):
            for end, far in ((one, other), (other, one)):
                rows = run(
                    self._connection,
                    f"DELETE FROM {table} WHERE scope = %s AND {end} = %s RETURNING {far}",
                    (scope, key),
                )
                touched |= {row[0] for row in rows}
        self._touch(scope, touched)

    def _displace(self, end: _End) -> None:
        """Take a turn out of its session, and the session's name away with its last turn."""
        session = value(
            self._connection,
            "DELETE FROM turn WHERE scope = %s AND memory = %s RETURNING session",
            (end.scope, end.key),
        )
        if session is not None:
            execute(
                self._connection,
                "DELETE FROM session c WHERE c.scope = %s AND c.id = %s AND NOT EXISTS"
                " (SELECT 1 FROM turn t WHERE t.scope = c.scope AND t.session = c.id)",
                (end.scope, session),
            )

    def _session(self, scope: int, name: str) -> int:
        execute(
            self._connection,
            "INSERT INTO session (scope, name) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (scope, name),
        )
        query = "SELECT id FROM session WHERE scope = %s AND name = %s"
        return value(self._connection, query, (scope, name))

    def _speaks_of(self, end: _End, days: Sequence[Days]) -> None:
        execute(
            self._connection,
            "DELETE FROM day WHERE scope = %s AND memory = %s",
            (end.scope, end.key),
        )
        if days:
            execute(
                self._connection,
                "INSERT INTO day (scope, memory, first, last)"
                " SELECT %s, %s, * FROM unnest(%s::integer[], %s::integer[])"
                " ON CONFLICT DO NOTHING",
                (
                    end.scope,
                    end.key,
                    [d.first.toordinal() for d in days],
                    [d.last.toordinal() for d in days],
                ),
            )
        self._touch(end.scope, [end.key])

    def _ends(self, ids: Sequence[str], *levels: Level, scope: int | None = None) -> list[_End]:
        """The memories with these ids, which must be of one of the levels (and in the scope)."""
        query = (
            "SELECT id, key, scope, level FROM memory"
            " WHERE id = ANY(%s::text[]) AND status <> 'deleted'"
        )
        rows = run(self._connection, query, (list(ids),))
        if missing := {row[2] for row in rows} - self._held.keys():
            self._hold(missing)
            rows = run(self._connection, query, (list(ids),))  # as it stands, now that it stays
        found = {row[0]: _End(*row[1:]) for row in rows if scope in (None, row[2])}
        for memory_id in ids:
            if memory_id not in found:
                within = "" if scope is None else " in this scope"
                raise NotFound(f"no memory has the id {memory_id!r}{within}")
            if found[memory_id].level not in levels:
                raise InvalidInput(
                    f"memory {memory_id} is a {found[memory_id].level}, not a {' or '.join(levels)}"
                )
        return [found[memory_id] for memory_id in ids]


def dependants(connection: Link, ids: Sequence[str]) -> list[str]:
    """Ids of the facts drawn from nothing but these memories, of the heads of nothing else, and
    of what in turn stands on those alone, the nearest first.
    """  # noqa: D205 - one sentence
    gone, latest = dict.fromkeys(ids), list(ids)
    found: list[str] = []
    while latest:
        rows = run(connection, _DEPENDANTS, {"latest": latest, "gone": list(gone)})
        latest = [row[0] for row in rows if row[0] not in gone]
        gone |= dict.fromkeys(latest)
        found += latest
    return found
