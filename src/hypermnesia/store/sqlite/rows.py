"""The columns of memories as this store's SQL reads and filters them."""

from __future__ import annotations

import json
from typing import Any

import apsw

from hypermnesia.store.columns import Parameters, micros, visible, wanted_labels
from hypermnesia.store.protocol import Filter

NODE_TABLES = "memory m JOIN scope s ON s.id = m.scope LEFT JOIN access a ON a.memory = m.key"


def fetch_all(connection: apsw.Connection, query: str, values: Parameters = ()) -> list[Parameters]:
    """All rows of a query; the schema, not the type checker, knows what is in them."""
    return connection.execute(query, values).fetchall()


def condition(
    where: Filter, scope: int | None, *, keyed: bool = False, labelled: bool = False
) -> tuple[str, Parameters]:
    """The SQL condition on ``memory m`` that a filter stands for, and its parameters.

    Args:
        where: the filter.
        scope: the number of its scope; ``None`` = any.
        keyed: the rows are found by their keys, or by an index of words. The plus keeps the planner
            from walking through the scope instead, all of it for a handful of rows.
        labelled: every row that passes is wanted, in no order: if the filter names labels, the
            rows are found by these.
    """
    labels = wanted_labels(where)
    labelled = labelled and scope is not None and bool(labels)
    keyed = keyed or labelled or where.keys is not None
    parts = ["1"] if scope is None else ["+m.scope = ?" if keyed else "m.scope = ?"]
    values: list[Any] = [] if scope is None else [scope]

    def one_of(column: str, allowed: tuple[str, ...]) -> None:
        parts.append(f"{column} IN ({', '.join('?' * len(allowed))})")
        values.extend(allowed)

    one_of("m.status", visible(where))
    if where.levels:
        one_of("m.level", where.levels)
    if where.types:
        one_of("m.memory_type", where.types)
    for field, value in labels:
        held = "l.field = ? AND l.value = ?"
        parts.append(
            f"m.key IN (SELECT l.memory FROM label l WHERE l.scope = ? AND {held})"
            if labelled
            else "EXISTS (SELECT 1 FROM label l WHERE l.scope = m.scope"
            f" AND {held} AND l.memory = m.key)"
        )
        values += [scope, field, value] if labelled else [field, value]
    if where.since is not None:
        parts.append("m.valid_from >= ?")
        values.append(micros(where.since))
    if where.until is not None:
        parts.append("m.valid_from <= ?")
        values.append(micros(where.until))
    if where.as_of is not None:
        parts.append("m.valid_from <= ? AND (m.valid_until IS NULL OR m.valid_until > ?)")
        values += [micros(where.as_of)] * 2
    if where.keys is not None:
        parts.append("m.key IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(where.keys))
    return " AND ".join(parts), tuple(values)
