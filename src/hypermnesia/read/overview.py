"""What a scope holds, and what it knows of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypermnesia.engine import Engine
from hypermnesia.read.recall import masked
from hypermnesia.store.protocol import Filter
from hypermnesia.types import MEMORY_TYPES, Hit, Node, Profile, Suggestion

HIGHLIGHTS = 5
"""Memories shown per type in a profile."""
REPEAT = 0.9
"""Cosine from which two texts with the same numbers and identifiers say the same."""
RELATED = 0.4
"""Cosine from which two texts are about the same thing."""

_MARKERS = re.compile(r"\w*\d[\w./-]*")


def overview(engine: Engine, scope: str) -> Profile:
    """Counts, time span and the most salient active memories of each type."""
    store = engine.store
    counts = store.counts(scope)
    oldest = store.list(Filter(scope), 1, None, newest=False).items
    newest = store.list(Filter(scope), 1, None).items
    highlights: dict[str, tuple[Node, ...]] = {}
    for kind in MEMORY_TYPES:
        if counts["memory_type"].get(kind):
            best = store.salient(Filter(scope, types=(kind,)), HIGHLIGHTS)
            highlights[kind] = tuple(masked(node, engine.redact) for node in best)
    return Profile(
        scope=scope,
        counts=counts["status"],
        types=counts["memory_type"],
        levels=counts["level"],
        first=oldest[0].valid_from if oldest else None,
        last=newest[0].valid_from if newest else None,
        highlights=highlights,
    )


def suggestions(content: str, hits: Sequence[Hit]) -> Suggestion:
    """Sort hits into repeats and related ones.

    Similarity decides, not position; and two texts that differ in a number or an identifier
    are never repeats, however alike they are.
    """
    repeats = [
        hit for hit in hits if _cosine(hit) >= REPEAT and _markers(hit.content) == _markers(content)
    ]
    related = [hit for hit in hits if hit not in repeats and _cosine(hit) >= RELATED]
    return Suggestion(tuple(repeats), tuple(related), known=bool(repeats or related))


def _cosine(hit: Hit) -> float:
    return hit.explain.dense.raw if hit.explain.dense else 0.0


def _markers(text: str) -> set[str]:
    return set(_MARKERS.findall(text.casefold()))
