"""Which memories a newcomer replaces, and which newer one replaces it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hypermnesia.engine import SUPERSEDE_NEIGHBOURS, Embedded, Engine
from hypermnesia.judge.local_updates import may_update, news, update_probabilities
from hypermnesia.models.product import products
from hypermnesia.store.protocol import Filter
from hypermnesia.types import Matrix, Node, Status
from hypermnesia.write.neighbours import (
    UPDATE_NEIGHBOURS,
    Neighbours,
    Rival,
    Shelf,
    is_said,
    merged,
    nearest,
)


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A judged and embedded memory that is about to be stored.

    Attributes:
        reason: why the gate gave it its status.
        rewrites: it is a new text for a memory that exists already.
    """

    node: Node
    hash: bytes
    embedded: Embedded
    reason: str
    rewrites: bool = False


@dataclass(frozen=True, slots=True)
class Replacement:
    """``old`` gives way to ``new`` from the new one's event time on.

    Attributes:
        probability: what the judge said, in [0, 1].
        reason: ``"judged"``, or ``"reasserted"`` when an old value was stated again.
    """

    old: Node
    new: Node
    probability: float
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Replacements by the id of the memory that gives way.

    Attributes:
        degraded: the configured judge failed and another answered.
    """

    replacements: dict[str, Replacement]
    degraded: bool


def plan_supersession(engine: Engine, newcomers: Sequence[Newcomer]) -> Plan:
    """Compare each newcomer, in order, with its nearest live neighbours.

    Earlier newcomers of the batch are neighbours too. Only active newcomers take part: a
    low-signal one never replaces anything. Of two contradicting memories the one with the
    later event time stands, whichever was stored first; at the same time the newcomer does.
    """
    plan = Plan({}, degraded=False)
    competing = [n for n in newcomers if n.node.status == "active"]
    if not competing:
        return plan
    means = _means(competing)
    wide = [_gives_news(engine, n) for n in competing]
    shelf = Shelf(engine, _like(competing[0], "active"))
    stored = nearest(engine, shelf.where, means, wide)
    peers = [Rival(n.node, n.embedded) for n in competing]
    among = products(means, means)
    order = [merged(ranked, among[i, :i]) for i, ranked in enumerate(stored)]
    looked_at = [UPDATE_NEIGHBOURS if more else SUPERSEDE_NEIGHBOURS for more in wide]
    near = (keys[:number] for keys, number in zip(order, looked_at, strict=True))
    shelf.skim(key for keys in near for key in keys if key >= 0)
    around = [
        Neighbours(shelf, peers, peer.without_tokens(), peer.told().at, keys)
        for peer, keys in zip(peers, order, strict=True)
    ]
    nearest_ones = [n.comparable(n.keys[:SUPERSEDE_NEIGHBOURS]) for n in around]
    shelf.read(key for keys in nearest_ones for key in keys if key >= 0)
    restated = engine.store.superseded(competing[0].node.scope, [n.hash for n in competing])
    for i, newcomer in enumerate(competing):
        gone = {newcomer.node.id, *plan.replacements}
        if newcomer.hash in restated:
            plan = _reasserted(engine, newcomer, plan)
        rivals = _judgeable(engine, around[i], gone, farther=wide[i])
        plan = _judged(engine, newcomer, peers[i], rivals, plan)
        plan = _inserted(engine, newcomer, peers[i], peers[:i], plan)
    return plan


def _judgeable(
    engine: Engine, neighbours: Neighbours, gone: Collection[str], *, farther: bool
) -> list[Rival]:
    """The nearest rivals, and farther ones that gave a value which the newcomer updates."""
    live = neighbours.texts(gone)
    nearest_ones = [key for key, _ in islice(live, SUPERSEDE_NEIGHBOURS)]
    near = neighbours.rivals(neighbours.comparable(nearest_ones))
    if not farther:
        return near
    new = neighbours.newcomer
    others = islice(live, UPDATE_NEIGHBOURS - SUPERSEDE_NEIGHBOURS)
    alike = [key for key, text in others if may_update(text, new.text, said=new.said)]
    far = neighbours.rivals(alike)
    if not far:
        return near
    updated = update_probabilities([r.without_tokens() for r in (*near, *far)], new)
    likely = updated[len(near) :] >= engine.supersede_threshold
    return near + [rival for rival, found in zip(far, likely, strict=True) if found]


def _gives_news(engine: Engine, newcomer: Newcomer) -> bool:
    """Whether a newcomer gives a value as new; most do not."""
    told = newcomer.node
    return engine.preset != "dgui" and bool(news(told.content, said=is_said(told)))


def _judged(
    engine: Engine, newcomer: Newcomer, peer: Rival, rivals: Sequence[Rival], plan: Plan
) -> Plan:
    """The plan with what the judge says of one newcomer and its rivals."""
    open_rivals = [r for r in rivals if r.node.id not in plan.replacements]
    if not open_rivals:
        return plan
    passage = peer.passage()
    older = [r for r in open_rivals if r.node.valid_from <= newcomer.node.valid_from]
    found = dict(plan.replacements)
    answer = engine.judge.supersede([r.passage() for r in older], passage) if older else None
    degraded = plan.degraded or (answer is not None and answer.degraded)
    for rival, p in zip(older, (answer and answer.value) or [0.0] * len(older), strict=True):
        if p >= engine.supersede_threshold:
            found[rival.node.id] = Replacement(rival.node, newcomer.node, p, "judged")
    for rival in (r for r in open_rivals if r not in older):
        reverse = engine.judge.supersede([passage], rival.passage())
        degraded = degraded or reverse.degraded
        p = reverse.value[0] if reverse.value else 0.0
        if p >= engine.supersede_threshold and newcomer.node.id not in found:
            found[newcomer.node.id] = Replacement(newcomer.node, rival.node, p, "judged")
    return Plan(found, degraded)


def _inserted(
    engine: Engine, newcomer: Newcomer, peer: Rival, peers: Sequence[Rival], plan: Plan
) -> Plan:
    """The plan in which a version between two others ends the older one's validity.

    When something newer replaces the newcomer, what that had replaced before may have been
    replaced by the newcomer already.
    """
    retired = plan.replacements.get(newcomer.node.id)
    if retired is None:
        return plan
    shelf = Shelf(engine, _like(newcomer, "superseded"))
    wide = [_gives_news(engine, newcomer)]
    (stored,) = nearest(engine, shelf.where, _means([newcomer]), wide)
    shelf.read(stored.keys)
    earlier = [
        rival
        for rival in (*filter(None, map(shelf.get, stored.keys)), *peers)
        if _successor(rival.node, plan) == retired.new.id
        and rival.node.valid_from <= newcomer.node.valid_from < retired.new.valid_from
    ]
    if not earlier:
        return plan
    answer = engine.judge.supersede([r.passage() for r in earlier], peer.passage())
    if answer.value is None:
        return plan
    found = dict(plan.replacements)
    for rival, p in zip(earlier, answer.value, strict=True):
        if p >= engine.supersede_threshold:
            found[rival.node.id] = Replacement(rival.node, newcomer.node, p, "judged")
    return Plan(found, plan.degraded or answer.degraded)


def _successor(node: Node, plan: Plan) -> str | None:
    """Id of what replaces a memory, planned or stored."""
    planned = plan.replacements.get(node.id)
    return node.superseded_by if planned is None else planned.new.id


def _reasserted(engine: Engine, newcomer: Newcomer, plan: Plan) -> Plan:
    """The plan in which a restated old value replaces what had replaced it."""
    ids = engine.store.superseded_heads(newcomer.node.scope, newcomer.hash)
    if not ids:
        return plan
    heads = engine.store.get(ids, newcomer.node.scope)
    found = dict(plan.replacements)
    for head in heads:
        taken = head.id in found or head.id == newcomer.node.id  # its own text was restated
        if not taken and head.valid_from <= newcomer.node.valid_from:
            found[head.id] = Replacement(head, newcomer.node, 1.0, "reasserted")
    return Plan(found, plan.degraded)


def _like(newcomer: Newcomer, status: Status) -> Filter:
    """What is of a newcomer's scope and level, and of this status."""
    return Filter(newcomer.node.scope, levels=(newcomer.node.level,), statuses=(status,))


def _means(newcomers: Sequence[Newcomer]) -> Matrix:
    """The direction of each text, of any length, shape ``(n, d)``."""
    means = np.stack([n.embedded.dense.mean(axis=0) for n in newcomers])
    return means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
