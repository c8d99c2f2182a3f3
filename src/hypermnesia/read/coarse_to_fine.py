"""The preset ``hypermem``: from topics over their episodes to their facts, as published.

Each level is ranked (:mod:`hypermnesia.read.levels`), and what it keeps leads through the
hyperedges to the candidates of the next (HyperMem, arXiv 2604.08256). So a fact without an
episode, or one whose topic does not match, is not found; the default preset has no such gate.
Which levels lead on, and how much each keeps, says :class:`~hypermnesia.engine.GraphPolicy`.

Levels have no common score. What is returned are the facts, then their episodes: the answer
context of the publication. Final scores say so by lying in one part of [0, 1] for each level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hypermnesia.engine import Engine, GraphPolicy
from hypermnesia.read.fuse import NEUTRAL_SALIENCE, reciprocal_rank_fusion
from hypermnesia.read.levels import NOTHING, UNRANKED, Ranking, channel, rank, similar
from hypermnesia.read.query import Query
from hypermnesia.store.protocol import Filter
from hypermnesia.types import Explanation, Level, Node, Step

DESCENT: tuple[Level, ...] = ("topic", "episode", "fact")
"""Levels in the order in which they are ranked."""
RETURNED: tuple[Level, ...] = ("fact", "episode")
"""Levels returned when none is asked for: what the published answer is given."""
ORDER: tuple[Level, ...] = ("fact", "episode", "turn", "topic")
"""Levels in the order in which they are returned."""


@dataclass(frozen=True, slots=True)
class Descent:
    """Where a query led.

    Attributes:
        rankings: what each ranked level kept.
        chosen: keys kept at the finest level; ``None`` = all, because no level leads anywhere.
        parents: for each key that was led to, the best of what led to it.
    """

    rankings: dict[Level, Ranking]
    chosen: Sequence[int] | None
    parents: dict[int, int]


def coarse_to_fine(
    engine: Engine, query: Query, where: Filter
) -> list[tuple[Explanation, Node, int]]:
    """Memories of the wanted levels with reasons and keys, best first.

    Turns are those of the facts that were kept, by the fact's rank and then by similarity, then
    those of the episodes.

    Raises:
        StoreError: the store cannot be read.
    """
    wanted = where.levels or RETURNED
    asked: list[Level] = ["fact" if level == "turn" else level for level in wanted]
    finest = max(asked, key=DESCENT.index)
    descent = descend(engine, query, replace(where, levels=wanted), finest)
    if "turn" in wanted:
        descent.rankings["turn"] = _turns(engine, query, where, descent)
    shown: list[Level] = [level for level in ORDER if level in wanted]
    ids = _ids(engine, where, descent)
    found: list[tuple[Explanation, Node, int]] = []
    for below, level in zip(reversed(range(len(shown))), shown, strict=True):
        ranking = descent.rankings.get(level, NOTHING)
        nodes = engine.store.nodes(replace(where, levels=(level,)), ranking.keys)
        for place, key in enumerate(ranking.keys):
            if key in nodes:
                final = (below + ranking.scores[place]) / len(shown)
                route = tuple(_route(descent, ids, key))
                reason = _explain(ranking, place, nodes[key], route, final)
                found.append((reason, nodes[key], key))
    return found


def descend(engine: Engine, query: Query, where: Filter, finest: Level) -> Descent:
    """Rank the levels that lead on, and the finest, each within what the one before led to.

    The finest level, if the filter names it, is held to the whole filter; the levels above to
    scope and time of the question alone, since an older episode may hold a newer fact.
    """
    policy, scope = engine.graph, where.scope or ""
    descent = Descent({}, None, {})
    for level in DESCENT[: DESCENT.index(finest) + 1]:
        within = None
        if descent.chosen is not None:
            within = _led_to(engine, scope, descent.chosen, level, descent.parents)
        chosen: Sequence[int] | None = within
        strict = level == finest and level in where.levels
        if strict or level == "fact" or level in policy.levels:
            seen = where if strict else Filter(where.scope, as_of=where.as_of)
            seen = replace(seen, levels=(level,), keys=within)
            descent.rankings[level] = rank(engine, query, seen, _size(policy, level))
            chosen = descent.rankings[level].keys
        descent = replace(descent, chosen=chosen)
    return descent


def reached(engine: Engine, query: Query, where: Filter) -> Filter:
    """The filter held to what the descent leads to: for searches without a flat route."""
    chosen = descend(engine, query, Filter(where.scope, as_of=where.as_of), "episode").chosen
    if chosen is None:
        return where
    links = [
        link
        for level in ("fact", "turn")
        for link in engine.store.below(where.scope or "", chosen, level)
    ]
    return replace(where, keys=(*chosen, *{link.lower for link in links}))


def _size(policy: GraphPolicy, level: Level) -> int:
    """How many of a level are kept."""
    match level:
        case "topic":
            return policy.topics
        case "episode":
            return policy.episodes
        case _:
            return policy.facts


def _led_to(
    engine: Engine, scope: str, uppers: Sequence[int], level: Level, parents: dict[int, int]
) -> tuple[int, ...]:
    """What ``uppers``, best first, lead to at a level; each is noted with the best of them."""
    place = {key: i for i, key in enumerate(uppers)}
    links = engine.store.below(scope, uppers, level)
    found = dict[int, int]()
    for link in sorted(links, key=lambda link: place[link.upper]):
        found.setdefault(link.lower, link.upper)
    parents |= found
    return tuple(found)


def _turns(engine: Engine, query: Query, where: Filter, descent: Descent) -> Ranking:
    """Turns of the facts that were kept, best fact first, then those of the episodes."""
    facts = descent.rankings["fact"].keys
    episodes = descent.rankings["episode"].keys if "episode" in descent.rankings else ()
    keys = _led_to(engine, where.scope or "", (*facts, *episodes), "turn", descent.parents)
    where = replace(where, levels=("turn",), keys=keys)
    dense = similar(engine, query, where)
    cosine = dict(zip(dense.keys, dense.scores, strict=True))
    place = {key: i for i, key in enumerate(facts)}  # all episodes' turns come last, together

    def order(key: int) -> tuple[int, float]:
        return place.get(descent.parents[key], len(facts)), -cosine.get(key, -1.0)

    best = sorted(engine.store.nodes(where, keys), key=order)
    fused = reciprocal_rank_fusion([best])
    scores = tuple(fused[key] for key in best)
    return Ranking(tuple(best), scores, fused, channel(dense), {}, UNRANKED)


def _ids(engine: Engine, where: Filter, descent: Descent) -> dict[int, str]:
    """Ids of everything that may have led to something."""
    keys = [key for ranking in descent.rankings.values() for key in ranking.keys]
    nodes = engine.store.nodes(Filter(where.scope, levels=DESCENT, statuses=()), keys)
    return {key: node.id for key, node in nodes.items()}


def _route(descent: Descent, ids: dict[int, str], key: int) -> Iterator[Step]:
    """The ranked memories that led to a key, coarsest first."""
    upper = descent.parents.get(key)
    if upper is None:
        return
    yield from _route(descent, ids, upper)
    for level, ranking in descent.rankings.items():
        if upper in ranking.keys and upper in ids:
            place = ranking.keys.index(upper)
            yield Step(level, ids[upper], place + 1, ranking.scores[place])


def _explain(
    ranking: Ranking, place: int, node: Node, route: tuple[Step, ...], final: float
) -> Explanation:
    key, relevance = ranking.keys[place], ranking.reranked.value
    return Explanation(
        dense=ranking.dense.get(key),
        lexical=ranking.lexical.get(key),
        late=None,
        fused=ranking.fused[key],
        judge=None if relevance is None else relevance[place],
        judge_backend=ranking.reranked.backend,
        degraded=ranking.reranked.degraded,
        salience=(NEUTRAL_SALIENCE if node.salience is None else node.salience) / 4,
        final=final,
        route=route,
    )
