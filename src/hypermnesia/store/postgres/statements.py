"""Statements on an open connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, TypeAlias, cast

from psycopg import Connection

from hypermnesia.store.columns import Parameters

Link: TypeAlias = Connection[Parameters]
"""An open connection whose rows are tuples."""
Values: TypeAlias = Sequence[Any] | Mapping[str, Any]
"""Parameters of a statement, by position or by name."""


def run(
    connection: Link, query: str, values: Values = (), *,
    binary: bool = False,
) -> list[Parameters]:  # fmt: skip
    """All rows of a query; the schema, not the type checker, knows what is in them."""
    return connection.execute(cast("LiteralString", query), values, binary=binary).fetchall()


def value(connection: Link, query: str, values: Values = ()) -> Any:
    """The first column of the first row, ``None`` when there is none."""
    row = connection.execute(cast("LiteralString", query), values).fetchone()
    return None if row is None else row[0]


def execute(connection: Link, query: str, values: Values = ()) -> None:
    """Run a statement whose result nobody needs: in a pipeline it is sent, and not waited for."""
    connection.execute(cast("LiteralString", query), values)


def affected(connection: Link, query: str, values: Values = ()) -> int:
    """Run a statement and tell how many rows it changed."""
    cursor = connection.execute(cast("LiteralString", query), values)
    if cursor.pgresult is None:
        with connection.pipeline():  # one inside another: its end waits for every result
            pass
    return cursor.rowcount
