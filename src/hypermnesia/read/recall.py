"""Masking what leaves the store, so that a secret stored once is not recalled to everyone."""

from __future__ import annotations

from dataclasses import replace

from hypermnesia.engine import RecallRedaction
from hypermnesia.privacy import redact_object
from hypermnesia.store.protocol import Event
from hypermnesia.types import Node


def masked(node: Node, policy: RecallRedaction) -> Node:
    """The node as it may be recalled; the same object when nothing in it was masked."""
    if policy == "off":
        return node
    # One walk over all of it: a secret found in the text is masked in a tag as well.
    # Not as a mapping: its keys would be searched too, and a field's name may be the secret.
    whole = [node.content, list(node.tags), dict(node.metadata)]
    shown = redact_object(whole, personal=policy == "personal")
    if shown == whole:
        return node
    content, tags, metadata = shown
    return replace(node, content=content, tags=tuple(tags), metadata=metadata)


def masked_event(event: Event, policy: RecallRedaction) -> Event:
    """The log entry as it may be shown: former texts are masked like current ones."""
    if policy == "off":
        return event
    return replace(event, detail=redact_object(event.detail, personal=policy == "personal"))
