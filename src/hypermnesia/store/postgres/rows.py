"""The columns of memories as this store's SQL reads and filters them."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from pgvector import HalfVector

from hypermnesia.store.columns import (
    NODE_COLUMNS,
    Parameters,
    labels_of,
    micros,
    node_of,
    visible,
    wanted_labels,
)
from hypermnesia.store.protocol import Filter
from hypermnesia.types import Matrix, Node

log = logging.getLogger("hypermnesia")

NODE_TABLES = """memory m JOIN scope s ON s.id = m.scope
    LEFT JOIN access a ON a.scope = m.scope AND a.memory = m.key"""
SELECT = f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES}"
"""Up to, not including, ``WHERE``; read by :func:`~hypermnesia.store.columns.node_of`."""

# halfvec_send gives two 16-bit numbers and then the values, the high byte first.
DENSE = """(SELECT string_agg(substr(halfvec_send(c.dense), 5), ''::bytea ORDER BY c.number)
    FROM chunk c WHERE c.scope = m.scope AND c.memory = m.key AND c.encoder = v.encoder)"""
"""All vectors of a memory, one after the other, as :func:`native` takes them."""
VECTOR_TABLES = "memory m LEFT JOIN vectors v ON v.scope = m.scope AND v.memory = m.key"


def condition(where: Filter, scope: int | None) -> tuple[str, Parameters]:
    """The SQL condition on ``memory m`` that a filter stands for, and its parameters."""
    parts = ["true"] if scope is None else ["m.scope = %s"]
    values: list[Any] = [] if scope is None else [scope]

    def one_of(column: str, allowed: Sequence[object], kind: str) -> None:
        parts.append(f"{column} = ANY(%s::{kind}[])")
        values.append(list(allowed))

    one_of("m.status", visible(where), "text")
    if where.levels:
        one_of("m.level", where.levels, "text")
    if where.types:
        one_of("m.memory_type", where.types, "text")
    for field, value in wanted_labels(where):
        parts.append(
            "EXISTS (SELECT 1 FROM label l WHERE l.scope = m.scope AND l.digest = %s"
            " AND l.memory = m.key)"
        )
        values.append(digest(field, value))
    if where.since is not None:
        parts.append("m.valid_from >= %s")
        values.append(micros(where.since))
    if where.until is not None:
        parts.append("m.valid_from <= %s")
        values.append(micros(where.until))
    if where.as_of is not None:
        parts.append("m.valid_from <= %s AND (m.valid_until IS NULL OR m.valid_until > %s)")
        values += [micros(where.as_of)] * 2
    if where.keys is not None:
        one_of("m.key", where.keys, "bigint")
    return " AND ".join(parts), tuple(values)


def digest(field: str, value: str) -> bytes:
    """What a tag or a metadata value is looked up by, 16 bytes."""
    return hashlib.blake2b(f"{field}\0{value}".encode(), digest_size=16).digest()


def digests(node: Node) -> list[bytes]:
    """The digests of all that a memory can be filtered by."""
    return list(dict.fromkeys(digest(field, value) for field, value in labels_of(node)))


def halves(dense: Matrix) -> list[HalfVector]:
    """Vectors as they are sent, in the precision that is stored."""
    return [HalfVector(row) for row in dense.astype(np.float16)]


def native(blob: bytes | None) -> bytes | None:
    """The vectors that :data:`DENSE` read, as float16 in this machine's order of bytes."""
    return None if blob is None else np.frombuffer(blob, ">f2").astype(np.float16).tobytes()


def sound(rows: Iterable[Parameters]) -> list[tuple[Node, Parameters]]:
    """The nodes with their rows; a row that cannot be read as one is logged and left out."""
    found: list[tuple[Node, Parameters]] = []
    for row in rows:
        try:
            found.append((node_of(row), row))
        except (ValueError, TypeError, AttributeError, OverflowError):
            log.warning("memory row %d is damaged; run `hypermnesia check`", row[0])
    return found
