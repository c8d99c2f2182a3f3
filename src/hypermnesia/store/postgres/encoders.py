"""Which encoder a store is embedded by."""

from __future__ import annotations

from hypermnesia.store.postgres.dense import index_chunks
from hypermnesia.store.postgres.schema import LOCK
from hypermnesia.store.postgres.statements import Link, execute, value

ADOPTING = "SELECT value FROM setting WHERE name = 'encoder'"
"""Reads the identity of the store's encoder; no row in a new store."""


def hold(connection: Link, *, alone: bool = False) -> None:
    """Keep the store's encoder from being changed until the transaction ends.

    Args:
        connection: in a write transaction.
        alone: to change it: waits until no other transaction writes vectors.
    """
    shared = "" if alone else "_shared"
    execute(
        connection,
        f"SELECT pg_advisory_xact_lock{shared}(%s, hashtext(current_schema()))",
        (LOCK + 2,),
    )


def adopted(connection: Link) -> str | None:
    """Identity of the store's encoder, ``None`` in a new store."""
    return value(connection, ADOPTING)


def adopt(connection: Link, identity: str, dimension: int) -> int:
    """Record the encoder as the store's own, index its vectors, and return its number."""
    execute(
        connection,
        "INSERT INTO setting (name, value) VALUES ('encoder', %s)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (identity,),
    )
    execute(
        connection,
        "INSERT INTO encoder (identity, dimension) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (identity, dimension),
    )
    number = encoder_number(connection, identity)
    index_chunks(connection, number, dimension)
    return number


def encoder_number(connection: Link, identity: str) -> int:
    """The number of an encoder that was adopted."""
    return value(connection, "SELECT id FROM encoder WHERE identity = %s", (identity,))
