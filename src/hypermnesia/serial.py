"""Domain values as plain JSON, and memories back from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any

from hypermnesia import validate
from hypermnesia.errors import InvalidInput
from hypermnesia.types import LEVELS, MEMORY_TYPES, STATUSES, Node, Provenance, Status


def plain(value: Any) -> Any:
    """A value of :mod:`hypermnesia.types` as JSON: times in ISO 8601, tuples as lists."""
    if value is None or isinstance(value, str | int | float):  # most of what it meets
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    match value:
        case datetime():
            return value.isoformat()
        case Mapping():
            return {str(name): plain(inner) for name, inner in value.items()}
        case tuple() | list():
            return [plain(inner) for inner in value]
        case _:
            return value


def node_from(record: Mapping[str, Any]) -> Node:
    """The node that :func:`plain` wrote, checked as strictly as new input.

    Raises:
        InvalidInput: a field is missing, unknown or out of bounds.
    """
    names = {field.name for field in fields(Node)}
    if missing := names - set(record):
        raise InvalidInput(f"the record lacks {', '.join(sorted(missing))}")
    if unknown := set(record) - names:
        raise InvalidInput(f"the record has unknown fields: {', '.join(sorted(unknown))}")
    status: Status = validate.one_of(record["status"], STATUSES[:-1], "status")
    successor = _optional_text(record["superseded_by"], "superseded_by")
    if (status == "superseded") != (successor is not None):
        raise InvalidInput("superseded_by goes with the status superseded, and only with it")
    if successor is not None and successor == record["id"]:
        raise InvalidInput("the memory is superseded by itself")
    return Node(
        id=validate.identifier(record["id"]),
        scope=validate.scope(record["scope"]),
        level=validate.one_of(record["level"], LEVELS, "level"),
        content=validate.content(record["content"]),
        memory_type=validate.one_of(record["memory_type"], MEMORY_TYPES, "type"),
        tags=validate.tags(record["tags"]),
        metadata=validate.metadata(record["metadata"]),
        salience=_optional_number(record["salience"], 4, "salience"),
        durable=_optional_number(record["durable"], 1, "durable"),
        status=status,
        superseded_by=successor,
        valid_from=_moment(record["valid_from"], "valid_from"),
        valid_until=validate.moment(record["valid_until"], "valid_until"),
        created_at=_moment(record["created_at"], "created_at"),
        updated_at=_moment(record["updated_at"], "updated_at"),
        provenance=provenance_from(record["provenance"]),
        judge=validate.label(record["judge"], "judge") or "off",
        degraded=bool(record["degraded"]),
        pinned=bool(record["pinned"]),
        access_count=validate.count(record["access_count"] or 1, 2**53, "access_count")
        if record["access_count"]
        else 0,
        accessed_at=validate.moment(record["accessed_at"], "accessed_at"),
    )


def provenance_from(record: object) -> Provenance:
    """Where a memory came from, each field checked.

    Raises:
        InvalidInput: a field is unknown, not text or too long.
    """
    if not isinstance(record, Mapping):
        raise InvalidInput("provenance must be an object")
    known = {field.name for field in fields(Provenance)}
    if unknown := set(record) - known:
        raise InvalidInput(f"provenance has unknown fields: {', '.join(sorted(map(str, unknown)))}")
    return Provenance(**{str(n): validate.label(v, f"provenance {n}") for n, v in record.items()})


def _moment(value: Any, what: str) -> datetime:
    moment = validate.moment(value, what)
    if moment is None:
        raise InvalidInput(f"{what} is missing")
    return moment


def _optional_number(value: object, highest: float, what: str) -> float | None:
    return None if value is None else validate.number(value, 0, highest, what)


def _optional_text(value: object, what: str) -> str | None:
    return None if value is None else validate.identifier(value, what)
