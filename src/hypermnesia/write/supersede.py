"""Which memories a newcomer replaces, and which newer one replaces it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from hypermnesia.engine import SUPERSEDE_NEIGHBOURS, Embedded, Engine
from hypermnesia.judge.features_values import kinds
from hypermnesia.judge.local_updates import news, update_probabilities
from hypermnesia.judge.protocol import Passage
from hypermnesia.models.product import products
from hypermnesia.store.protocol import Filter, Ranked
from hypermnesia.types import INGESTED, Matrix, Node, Status, Vector

UPDATE_NEIGHBOURS = 64
"""Nearest memories among which an earlier value is looked for, if a newcomer gives a new one.

Talk gives a value in passing: the statement it updates is often not among the nearest four.
"""

_NOTHING = np.zeros((0, 1), np.float32)


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
class _Rival:
    """A live memory that a newcomer may replace or be replaced by."""

    node: Node
    embedded: Embedded

    def text(self) -> _Text:
        """What it says."""
        return _Text(self.node.id, self.node.content)

    def passage(self) -> Passage:
        """The memory as a judge reads it; made when asked for, since few neighbours are judged."""
        return self.embedded.passage(self.node.id, said=_is_said(self.node))

    def without_tokens(self) -> Passage:
        """The same for what is told by words and sentence vectors alone."""
        dense, said = self.embedded.dense, _is_said(self.node)
        return Passage(self.node.content, dense, _NOTHING, _NOTHING[:, 0], said, self.node.id)


@dataclass(frozen=True, slots=True)
class _Text:
    """A stored memory as far as most are looked at."""

    id: str
    content: str


@dataclass(frozen=True, slots=True)
class _Shelf:
    """Stored memories that pass a filter; what is read of a row is what was asked for.

    Most neighbours of a newcomer are never looked at: others come before them. Of the farther
    ones of a newcomer that gives a new value most need no more than their texts.
    """

    engine: Engine
    where: Filter
    known: dict[int, _Rival | None] = field(default_factory=dict[int, "_Rival | None"])
    skimmed: dict[int, _Text | None] = field(default_factory=dict[int, "_Text | None"])

    def skim(self, keys: Iterable[int]) -> None:
        """Read the texts of those that were not read yet, all at once."""
        if unread := sorted({k for k in keys if k not in self.known and k not in self.skimmed}):
            self.skimmed.update(dict.fromkeys(unread))
            self.skimmed.update(
                (key, _Text(*text))
                for key, text in self.engine.store.texts(self.where, unread).items()
            )

    def text(self, key: int) -> _Text | None:
        """What one of them says; ``None`` if it does not pass or its row is damaged."""
        if key not in self.known:
            self.skim([key])
            return self.skimmed[key]
        rival = self.known[key]
        return rival and rival.text()

    def read(self, keys: Iterable[int]) -> None:
        """Read those that were not read yet, all at once."""
        if unread := sorted({key for key in keys if key not in self.known}):
            self.known.update(dict.fromkeys(unread))
            for s in self.engine.store.fetch(self.where, unread):
                self.known[s.key] = _Rival(s.node, Embedded(s.node.content, s.dense, s.tokens))

    def get(self, key: int) -> _Rival | None:
        """One of them; ``None`` if it does not pass or its row is damaged."""
        self.read([key])
        return self.known[key]


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """Those of a newcomer, the nearest first.

    Attributes:
        keys: of stored memories and, as ``~i``, places of earlier newcomers.
    """

    shelf: _Shelf
    peers: Sequence[_Rival]
    keys: Sequence[int]

    def texts(self, gone: Collection[str]) -> Iterator[tuple[int, str]]:
        """Key and content of those that nothing has replaced."""
        for key in self.keys:
            text = self.peers[~key].text() if key < 0 else self.shelf.text(key)
            if text and text.id not in gone:
                yield key, text.content

    def rivals(self, keys: Sequence[int]) -> list[_Rival]:
        """Some of them, whole; without those whose rows are damaged."""
        self.shelf.read(key for key in keys if key >= 0)
        found = (self.peers[~key] if key < 0 else self.shelf.get(key) for key in keys)
        return [rival for rival in found if rival is not None]


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
    new = [_new_kinds(engine, n) for n in competing]
    shelf = _Shelf(engine, _like(competing[0], "active"))
    stored = _nearest(engine, shelf.where, means, new)
    peers = [_Rival(n.node, n.embedded) for n in competing]
    among = products(means, means)
    order = [_merged(ranked, among[i, :i]) for i, ranked in enumerate(stored)]
    shelf.read(key for near in order for key in near[:SUPERSEDE_NEIGHBOURS] if key >= 0)
    wide = (near for near, given in zip(order, new, strict=True) if given)
    shelf.skim(key for near in wide for key in near[:UPDATE_NEIGHBOURS] if key >= 0)
    restated = engine.store.superseded(competing[0].node.scope, [n.hash for n in competing])
    for i, newcomer in enumerate(competing):
        gone = {newcomer.node.id, *plan.replacements}
        neighbours = _Neighbours(shelf, peers, order[i])
        if newcomer.hash in restated:
            plan = _reasserted(engine, newcomer, plan)
        passage = peers[i].passage()
        rivals = _judgeable(engine, passage, neighbours, gone, new[i])
        plan = _judged(engine, newcomer, passage, rivals, plan)
        plan = _inserted(engine, newcomer, passage, peers[:i], plan)
    return plan


def _judgeable(
    engine: Engine,
    newcomer: Passage,
    neighbours: _Neighbours,
    gone: Collection[str],
    given: frozenset[str],
) -> list[_Rival]:
    """The nearest rivals, and farther ones that gave a value which the newcomer updates."""
    live = neighbours.texts(gone)
    near = neighbours.rivals([key for key, _ in islice(live, SUPERSEDE_NEIGHBOURS)])
    if not given:
        return near
    farther = islice(live, UPDATE_NEIGHBOURS - SUPERSEDE_NEIGHBOURS)
    alike = [key for key, text in farther if not given.isdisjoint(kinds(text))]
    far = neighbours.rivals(alike)
    if not far:
        return near
    updated = update_probabilities([r.without_tokens() for r in (*near, *far)], newcomer)
    likely = updated[len(near) :] >= engine.supersede_threshold
    return near + [rival for rival, found in zip(far, likely, strict=True) if found]


def _new_kinds(engine: Engine, newcomer: Newcomer) -> frozenset[str]:
    """Kinds of the values that a newcomer gives as new; most give none."""
    if engine.preset == "dgui":
        return frozenset()
    said = _is_said(newcomer.node)
    return frozenset(value.kind for value, _ in news(newcomer.node.content, said=said))


def _is_said(node: Node) -> bool:
    return node.provenance.source == INGESTED


def _judged(
    engine: Engine, newcomer: Newcomer, passage: Passage, rivals: Sequence[_Rival], plan: Plan
) -> Plan:
    """The plan with what the judge says of one newcomer and its rivals."""
    open_rivals = [r for r in rivals if r.node.id not in plan.replacements]
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
    engine: Engine, newcomer: Newcomer, passage: Passage, peers: Sequence[_Rival], plan: Plan
) -> Plan:
    """The plan in which a version between two others ends the older one's validity.

    When something newer replaces the newcomer, what that had replaced before may have been
    replaced by the newcomer already.
    """
    retired = plan.replacements.get(newcomer.node.id)
    if retired is None:
        return plan
    shelf = _Shelf(engine, _like(newcomer, "superseded"))
    new = [_new_kinds(engine, newcomer)]
    (stored,) = _nearest(engine, shelf.where, _means([newcomer]), new)
    shelf.read(stored.keys)
    earlier = [
        rival
        for rival in (*filter(None, map(shelf.get, stored.keys)), *peers)
        if _successor(rival.node, plan) == retired.new.id
        and rival.node.valid_from <= newcomer.node.valid_from < retired.new.valid_from
    ]
    answer = engine.judge.supersede([r.passage() for r in earlier], passage) if earlier else None
    if answer is None or answer.value is None:
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


def _nearest(
    engine: Engine, where: Filter, means: Matrix, new: Sequence[frozenset[str]]
) -> list[Ranked]:
    """Each newcomer's nearest stored memories, by the values that it gives as new."""
    ranked = [Ranked((), ())] * len(new)
    if not engine.judge.present:
        return ranked
    # Twice as many as are judged: an earlier newcomer may have replaced some of them.
    for wide, depth in ((False, SUPERSEDE_NEIGHBOURS * 2), (True, UPDATE_NEIGHBOURS)):
        asking = [i for i, given in enumerate(new) if bool(given) == wide]
        found = engine.store.nearest(where, means[asking], depth) if asking else []
        for i, channel in zip(asking, found, strict=True):
            ranked[i] = channel
    return ranked


def _merged(stored: Ranked, peers: Vector) -> list[int]:
    """Keys of stored memories and, as ``~i``, places of earlier newcomers, the nearest first.

    Args:
        stored: nearest stored memories.
        peers: cosines of the earlier newcomers, shape ``(i,)``.
    """
    scores = np.concatenate([np.asarray(stored.scores, np.float32), peers])
    keys = np.concatenate([np.asarray(stored.keys, np.int64), ~np.arange(len(peers))])
    return keys[np.argsort(-scores, kind="stable")].tolist()


def _means(newcomers: Sequence[Newcomer]) -> Matrix:
    """The direction of each text, of any length, shape ``(n, d)``."""
    means = np.stack([n.embedded.dense.mean(axis=0) for n in newcomers])
    return means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
