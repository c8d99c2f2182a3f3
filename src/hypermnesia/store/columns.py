"""Between domain values and the columns that hold them, in any SQL store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypermnesia.store.protocol import Filter, Told
from hypermnesia.types import STATUSES, Node, Provenance

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NOWHERE = Provenance()
_ORIGINS = tuple(field.name for field in fields(Provenance))
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

_DECODER = json.JSONDecoder()

Parameters = tuple[Any, ...]

NODE_COLUMNS = """m.key, m.id, s.name, m.level, m.content, m.memory_type, m.tags, m.metadata,
    m.salience, m.durable, m.status, m.superseded_by, m.valid_from, m.valid_from_offset,
    m.valid_until, m.valid_until_offset, m.created_at, m.created_at_offset,
    m.updated_at, m.updated_at_offset, m.provenance, m.judge, m.degraded, m.pinned,
    a.count, a.last"""
"""What :func:`node_of` reads, in order; the first column is the key."""

TOLD_COLUMNS = "m.key, m.id, m.content, m.valid_from"
"""What :func:`told_of` reads, in order."""

FIELDS = (
    "id", "level", "content", "memory_type", "tags", "metadata", "salience", "durable", "status",
    "superseded_by", "valid_from", "valid_from_offset", "valid_until", "valid_until_offset",
    "created_at", "created_at_offset", "updated_at", "updated_at_offset", "provenance", "judge",
    "degraded", "pinned",
)  # fmt: skip
"""Columns that a node fills, in the order of :func:`fields_of`."""


def micros(moment: datetime) -> int:
    """Microseconds since 1970 in UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def offset(moment: datetime) -> int:
    """Seconds east of UTC."""
    delta = moment.utcoffset()
    return 0 if delta is None else int(delta.total_seconds())


def moment_of(value: int, offset_seconds: int = 0) -> datetime:
    """The aware datetime that :func:`micros` and :func:`offset` came from."""
    utc = _EPOCH + timedelta(microseconds=value)
    return utc.astimezone(timezone(timedelta(seconds=offset_seconds))) if offset_seconds else utc


def node_of(row: Parameters) -> Node:
    """A node from a row of :data:`NODE_COLUMNS`.

    Raises:
        ValueError, TypeError, OverflowError: the row is damaged.
    """
    until = None if row[14] is None else moment_of(row[14], row[15])
    # Most memories have no labels: not parsing what is empty halves the time this takes.
    metadata: Any = {} if row[7] == "{}" else _parsed(row[7])
    if not isinstance(row[4], str) or not isinstance(metadata, dict):
        raise TypeError("content is not text, or metadata no object")
    return Node(
        id=row[1],
        scope=row[2],
        level=row[3],
        content=row[4],
        memory_type=row[5],
        tags=() if row[6] == "[]" else tuple(_parsed(row[6])),
        metadata=metadata,
        salience=row[8],
        durable=row[9],
        status=row[10],
        superseded_by=row[11],
        valid_from=moment_of(row[12], row[13]),
        valid_until=until,
        created_at=moment_of(row[16], row[17]),
        updated_at=moment_of(row[18], row[19]),
        provenance=_NOWHERE if row[20] == "{}" else Provenance(**_parsed(row[20])),
        judge=row[21],
        degraded=bool(row[22]),
        pinned=bool(row[23]),
        access_count=row[24] or 0,
        accessed_at=None if row[25] is None else moment_of(row[25]),
    )


def told_of(row: Parameters) -> Told | None:
    """What a row of :data:`TOLD_COLUMNS` says; ``None`` when it is damaged."""
    _, name, content, at = row
    sound = isinstance(name, str) and isinstance(content, str) and isinstance(at, int)
    return Told(name, content, at) if sound else None


def _parsed(text: Any) -> Any:
    """JSON as this module writes it, without space round it; ``json`` reads whatever else it is."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, TypeError):
        return json.loads(text)
    return value if end == len(text) else json.loads(text)


def fields_of(node: Node) -> Parameters:
    """A node's values for :data:`FIELDS`."""
    until = node.valid_until
    return (
        node.id, node.level, node.content, node.memory_type, _json(node.tags),
        _json(node.metadata), node.salience, node.durable, node.status, node.superseded_by,
        micros(node.valid_from), offset(node.valid_from),
        None if until is None else micros(until), None if until is None else offset(until),
        micros(node.created_at), offset(node.created_at),
        micros(node.updated_at), offset(node.updated_at),
        _told(node.provenance), node.judge, int(node.degraded), int(node.pinned),
    )  # fmt: skip


def _told(provenance: Provenance) -> str:
    """What is known of where a memory came from; of most, nothing."""
    if provenance == _NOWHERE:
        return "{}"
    told = ((name, getattr(provenance, name)) for name in _ORIGINS)
    return _json({name: value for name, value in told if value})


def labels_as_stored(node: Node) -> Parameters:
    """A node's columns ``memory_type``, ``tags`` and ``metadata``."""
    return node.memory_type, _json(node.tags), _json(node.metadata)


def labels_of(node: Node) -> Iterator[tuple[str, str]]:
    """The (field, value) pairs that tag and metadata filters look up."""
    for tag in node.tags:
        yield "tags", tag
    for name, value in node.metadata.items():
        if value is None or isinstance(value, str | int | float):
            yield f"metadata.{name}", scalar(value)


def scalar(value: str | float | bool | None) -> str:
    """One spelling per JSON value, so that 1 and 1.0 are equal and 1, "1" and true are not."""
    if isinstance(value, float) and value.is_integer():
        return _json(int(value))
    return _json(value)


def visible(where: Filter) -> tuple[str, ...]:
    """Statuses a filter lets through: seen from the past, a superseded memory was active."""
    if where.as_of is not None and "active" in where.statuses:
        return tuple(dict.fromkeys((*where.statuses, "superseded")))
    return where.statuses or STATUSES[:-1]


def wanted_labels(where: Filter) -> list[tuple[str, str]]:
    """The (field, value) pairs a filter demands."""
    tags = [("tags", tag) for tag in where.tags]
    return tags + [(f"metadata.{name}", scalar(value)) for name, value in where.metadata]


def _json(value: Mapping[str, Any] | tuple[str, ...] | str | float | bool | None) -> str:
    if value == ():  # no tags, as of most memories
        return "[]"
    return _ENCODER.encode(value)
