"""Masking what leaves the store, so that a secret stored once is not recalled to everyone."""

from __future__ import annotations

from dataclasses import replace

from hypermnesia.engine import RecallRedaction
from hypermnesia.privacy import redact, redact_object
from hypermnesia.types import Node


def masked(node: Node, policy: RecallRedaction) -> Node:
    """The node as it may be recalled; the same object when nothing in it was masked."""
    if policy == "off":
        return node
    personal = policy == "personal"
    content = redact(node.content, personal=personal)
    tags = tuple(redact(tag, personal=personal).text for tag in node.tags)
    metadata = redact_object(dict(node.metadata), personal=personal) if node.metadata else {}
    if not content.findings and tags == node.tags and metadata == node.metadata:
        return node
    return replace(node, content=content.text, tags=tags, metadata=metadata)
