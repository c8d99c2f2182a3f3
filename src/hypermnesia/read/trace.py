"""What stands behind a hit: the turns that say it, and what has replaced it since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hypermnesia.store.protocol import Filter, Store
from hypermnesia.types import Hit


def traced(store: Store, where: Filter, hits: Sequence[Hit]) -> list[Hit]:
    """The hits with their ``sources`` and ``superseded_by``, in one statement for each.

    Of several sources the turn that a fact was taken from comes first, then turns that are hits
    themselves in the order of the hits, then the others in the order in which they were said.
    """
    scope = where.scope or ""
    turns = [hit.id for hit in hits if hit.level == "turn"]
    others = [hit.id for hit in hits if hit.level in {"fact", "episode"}]
    behind = store.evidence(scope, others) if others else {}
    replaced = dict(store.successors(scope, turns, where.as_of)) if turns else {}
    if where.as_of is None:  # a fact that held then was not superseded yet
        replaced |= {h.id: h.node.superseded_by for h in hits if h.node.superseded_by}
    ranks = _ranks(hit.node.provenance.turn_id for hit in hits if hit.level == "turn")
    return [
        replace(
            hit,
            sources=_best_first(hit, behind.get(hit.id, ()), ranks),
            superseded_by=replaced.get(hit.id),
        )
        for hit in hits
    ]


def _ranks(turns: Iterable[str | None]) -> dict[str | None, int]:
    return {turn: rank for rank, turn in enumerate(dict.fromkeys(turns))}


def _best_first(
    hit: Hit, behind: Sequence[str], ranks: Mapping[str | None, int]
) -> tuple[str, ...]:
    found = sorted(behind, key=lambda turn: ranks.get(turn, len(ranks)))
    return tuple(dict.fromkeys((*hit.sources, *found)))
