"""What a store holds, as one flat mapping, so that two moments can be compared row by row.

Left out is what is not promised to survive: counters of recalls, and logged searches.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from torture.opening import Reading

Image: TypeAlias = Mapping[str, tuple[Any, ...]]
"""By ``kind:id``, the values of a row."""

LEVEL, STATUS, CONTENT, SUCCESSOR = 0, 1, 2, 3
"""Places in a ``memory`` row; after them come type, labels, times and whether it is pinned."""

_KINDS: Mapping[str, tuple[str, int]] = {
    "memory": (
        "SELECT m.id, m.level, m.status, m.content, m.superseded_by, m.memory_type, m.tags,"
        " m.metadata, m.valid_from, m.valid_until, m.created_at, m.updated_at, m.pinned"
        " FROM memory m",
        1,
    ),
    "member": (
        "SELECT h.id, n.id, e.role, e.weight FROM member e JOIN memory h ON h.key = e.head"
        " JOIN memory n ON n.key = e.node",
        2,
    ),
    "source": (
        "SELECT f.id, t.id FROM source x JOIN memory f ON f.key = x.fact"
        " JOIN memory t ON t.key = x.turn",
        2,
    ),
    "turn": (
        "SELECT m.id, c.name, t.position, t.speaker FROM turn t JOIN session c ON c.id = t.session"
        " JOIN memory m ON m.key = t.memory",
        1,
    ),
    "outbox": ("SELECT o.id, o.state FROM outbox o WHERE o.use_case <> 'rerank'", 1),
    "consent": ("SELECT s.name FROM consent c JOIN scope s ON s.id = c.scope", 1),
}
"""Queries, and how many columns make up an id. Keys are unique in a store of one scope."""


def image_of(reading: Reading) -> dict[str, tuple[Any, ...]]:
    """Everything that a store of one scope holds."""
    return {
        ":".join((kind, *map(str, row[:width]))): tuple(row[width:])
        for kind, (query, width) in _KINDS.items()
        for row in reading.fetch(query)
    }


def changes(before: Image, after: Image) -> dict[str, list[Any] | None]:
    """Rows that differ, as they are afterwards; ``None`` where one is gone. Fit for JSON."""
    new: dict[str, list[Any] | None] = {
        key: list(row) for key, row in after.items() if before.get(key) != row
    }
    return new | {key: None for key in before if key not in after}


def changed(
    before: Image, difference: Mapping[str, list[Any] | None]
) -> dict[str, tuple[Any, ...]]:
    """The image that :func:`changes` led to."""
    after = dict(before)
    for key, row in difference.items():
        if row is None:
            after.pop(key, None)
        else:
            after[key] = tuple(row)
    return after


def memories(image: Image) -> dict[str, tuple[Any, ...]]:
    """The rows of memories, by id, tombstones included."""
    return {
        key.removeprefix("memory:"): row for key, row in image.items() if key.startswith("memory:")
    }


def dumped(value: Any) -> str:
    """A line of JSON."""
    return json.dumps(value, ensure_ascii=False)
