"""How the hypergraph takes part in the default preset: heads that match speak for what they hold.

A soft hierarchy: HyperMem (arXiv 2604.08256) lets nothing through that no retrieved head holds,
here a head that matches speaks for its members and one that does not says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hypermnesia.engine import Engine
from hypermnesia.read.coarse_to_fine import reached
from hypermnesia.read.fuse import NO_LATE, absolute_fusion
from hypermnesia.read.query import Query
from hypermnesia.store.incidence import Link
from hypermnesia.store.protocol import Filter
from hypermnesia.types import LEVELS, Vector

DEPTH = 3
"""Steps from a topic over an episode and a fact to a turn."""


def allowed(engine: Engine, query: Query, where: Filter) -> Filter:
    """What the policy lets a search of the default preset look at."""
    if engine.preset != "default":
        return where
    if not engine.graph.turns:
        levels = tuple(level for level in where.levels or LEVELS if level != "turn")
        where = replace(where, levels=levels) if levels else replace(where, keys=())
    return where if engine.graph.flat else reached(engine, query, where)


def with_priors(
    engine: Engine, query: Query, where: Filter, keys: Sequence[int], fused: Vector
) -> tuple[Vector, Vector | None]:
    """The fused scores of the keys, lifted by their priors, and the priors; ``(n,)`` both.

    The priors are ``None`` when the policy asks for none: then the scores are as they were.
    """
    if engine.preset != "default" or not engine.graph.prior or not engine.graph.levels:
        return fused, None
    scores = _heads(engine, query, where)
    links = engine.store.above(where.scope or "", keys) if scores else []
    found = priors(keys, links, scores, weighted=engine.graph.weights)
    return lifted(fused, found, engine.graph.prior), found


def priors(
    keys: Sequence[int], links: Sequence[Link], scores: Mapping[int, float], *, weighted: bool
) -> Vector:
    """``max over the heads of a memory of weight * score(head)``, in [0, 1], shape ``(n,)``.

    A head's score is its own or its own prior, whichever is greater: a topic speaks for what its
    episodes hold.

    Args:
        keys: the candidates, ``n`` of them.
        links: what leads to them (:meth:`~hypermnesia.store.incidence.IncidenceReader.above`).
        scores: of the heads for the query, in [0, 1]; heads without one have 0.
        weighted: false = every member belongs to its heads in full.
    """
    found: dict[int, float] = {}
    for _ in range(DEPTH):
        for link in links:
            head = max(scores.get(link.upper, 0.0), found.get(link.upper, 0.0))
            passed = link.weight * head if weighted else head
            found[link.lower] = max(found.get(link.lower, 0.0), passed)
    return np.asarray([found.get(key, 0.0) for key in keys], np.float32)


def lifted(fused: Vector, prior: Vector, weight: float) -> Vector:
    """``logistic(logit(fused) + weight * prior)``: scores in [0, 1], shape ``(n,)``.

    Args:
        fused: in [0, 1], shape ``(n,)``.
        prior: in [0, 1], shape ``(n,)``; 0 leaves a score as it is.
        weight: log-odds that a prior of 1 adds.
    """
    odds = np.exp(weight * prior)
    return (fused * odds / (1 - fused + fused * odds)).astype(np.float32)


def _heads(engine: Engine, query: Query, where: Filter) -> dict[int, float]:
    """Scores in [0, 1] of the heads that match, each among those of its level.

    By cosine and words alone: reading their token vectors costs as much as the search itself. An
    older head may hold what a filter asks for, so of the filter only scope and time of the
    question apply.
    """
    scores: dict[int, float] = {}
    for level in engine.graph.levels:
        seen = Filter(where.scope, levels=(level,), as_of=where.as_of)
        cosines: dict[int, float] = {}
        for ranked in engine.store.nearest(seen, query.vector, engine.channel_depth):
            cosines = dict(zip(ranked.keys, ranked.scores, strict=True))
        words = engine.store.lexical(seen, query.terms, engine.channel_depth)
        bm25 = dict(zip(words.keys, words.scores, strict=True))
        keys = list(cosines | bm25)
        dense = np.asarray([cosines.get(key, np.nan) for key in keys], np.float32)
        lexical = np.asarray([bm25.get(key, 0.0) for key in keys], np.float32)
        fused = absolute_fusion(dense, dense, lexical, NO_LATE)
        scores |= dict(zip(keys, fused.tolist(), strict=True))
    return scores
