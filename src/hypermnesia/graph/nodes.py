"""The rows that construction adds beside facts: turns, episodes and topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hypermnesia.types import Level, Node, Provenance

TOLD = frozenset(
    ("title", "summary", "narrative", "keywords", "participants", "start", "end", "open")
)
"""Metadata of a head that construction tells, anew whenever what it holds changes."""
UNJUDGED = "off"
"""Judge of what is kept whatever anybody thinks of it."""


def unjudged(
    level: Level,
    memory_id: str,
    scope: str,
    content: str,
    at: datetime,
    metadata: Mapping[str, Any],
    provenance: Provenance | None = None,
) -> Node:
    """A turn, episode or topic: always active, never gated.

    A turn is evidence, and heads only say what they hold together; neither is a claim that a
    judge could find worthless or wrong.
    """
    now = datetime.now(UTC)
    return Node(
        id=memory_id,
        scope=scope,
        level=level,
        content=content,
        memory_type="conversation",
        tags=(),
        metadata=metadata,
        salience=None,
        durable=None,
        status="active",
        superseded_by=None,
        valid_from=at,
        valid_until=None,
        created_at=now,
        updated_at=now,
        provenance=provenance or Provenance(),
        judge=UNJUDGED,
        degraded=False,
        pinned=False,
        access_count=0,
        accessed_at=None,
    )


def retold(known: Node, content: str, at: datetime, metadata: Mapping[str, Any]) -> Node:
    """An episode or topic that says something else now; what users put on its row stays."""
    own = {name: value for name, value in known.metadata.items() if name not in TOLD}
    return replace(
        known,
        content=content,
        valid_from=at,
        metadata=own | dict(metadata),
        updated_at=datetime.now(UTC),
    )
