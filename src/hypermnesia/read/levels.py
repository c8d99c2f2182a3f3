"""One level of the published coarse-to-fine retrieval (HyperMem, arXiv 2604.08256).

BM25 by the level's own statistics and the cosine with propagated embeddings, fused by reciprocal
ranks, and optionally reranked. A scope that holds little of a large store has the whole store's
BM25 statistics instead, see :mod:`hypermnesia.store.sqlite.postings`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hypermnesia.engine import Engine, passage_of
from hypermnesia.errors import ModelError
from hypermnesia.judge.protocol import Judged
from hypermnesia.models.product import product
from hypermnesia.read.fuse import reciprocal_rank_fusion
from hypermnesia.read.query import Query
from hypermnesia.store.protocol import Filter, Ranked
from hypermnesia.types import ChannelScore, Vector

log = logging.getLogger("hypermnesia")


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a level answers to a query.

    Attributes:
        keys: the best of the level, best first.
        scores: what they are ordered by, in [0, 1], falling: relevance, or else ``fused``.
        fused: reciprocal ranks fused, in [0, 1], by key.
        dense: the dense channel (raw = cosine with the propagated embedding), by key.
        lexical: the lexical channel (raw = BM25), by key.
        reranked: relevance of each of ``keys``, if they were reranked, and by whom.
    """

    keys: tuple[int, ...]
    scores: tuple[float, ...]
    fused: Mapping[int, float]
    dense: Mapping[int, ChannelScore]
    lexical: Mapping[int, ChannelScore]
    reranked: Judged[list[float]]


UNRANKED: Judged[list[float]] = Judged(None, "off", degraded=False)
"""Nobody was asked to rerank."""
NOTHING = Ranking((), (), {}, {}, {}, UNRANKED)
"""What a level answers that leads nowhere and was not looked at."""


def rank(engine: Engine, query: Query, where: Filter, size: int) -> Ranking:
    """The best ``size`` memories of the one level that ``where`` names.

    Raises:
        StoreError: the store cannot be read.
    """
    most = engine.graph.candidates
    dense = similar(engine, query, where)
    dense = Ranked(dense.keys[:most], dense.scores[:most])
    lexical = engine.store.lexical(where, query.terms, most)
    fused = reciprocal_rank_fusion([dense.keys, lexical.keys])
    keys = sorted(fused, key=fused.__getitem__, reverse=True)
    relevance, reranked = _reranked(engine, query, where, keys)
    scores = fused if relevance is None else relevance
    best = sorted((k for k in keys if k in scores), key=scores.__getitem__, reverse=True)[:size]
    shown = None if relevance is None else [relevance[key] for key in best]
    return Ranking(
        keys=tuple(best),
        scores=tuple(scores[key] for key in best),
        fused=fused,
        dense=channel(dense),
        lexical=channel(lexical),
        reranked=Judged(shown, reranked.backend, reranked.degraded),
    )


def similar(engine: Engine, query: Query, where: Filter) -> Ranked:
    """Everything of the one level that passes, by cosine with its propagated embedding.

    A memory that takes no part in propagation, such as a superseded one that is seen from the
    past, has its own embedding's.
    """
    if not len(query.vector):
        return Ranked((), ())
    policy, (level,) = engine.graph, where.levels
    graph = engine.store.propagated(where.scope or "", level, policy.lam, weighted=policy.weights)
    every = max(policy.candidates, len(graph.keys if where.keys is None else where.keys))
    (raw,) = engine.store.nearest(where, query.vector, every)
    cosines = dict(zip(raw.keys, raw.scores, strict=True))
    rows = np.flatnonzero(np.isin(np.asarray(graph.keys, np.int64), raw.keys))
    found = graph.propagated[rows]
    lengths = np.maximum(np.linalg.norm(found, axis=1), 1e-12)
    moved = (product(found, query.vector)[:, 0] / lengths).tolist()
    cosines |= {graph.keys[row]: cosine for row, cosine in zip(rows, moved, strict=True)}
    keys = sorted(cosines, key=cosines.__getitem__, reverse=True)
    return Ranked(tuple(keys), tuple(cosines[key] for key in keys))


def channel(ranked: Ranked) -> dict[int, ChannelScore]:
    """Rank and scores by key."""
    if not ranked.keys:
        return {}
    low = min(ranked.scores)
    spread = max(ranked.scores) - low
    return {
        key: ChannelScore(place, score, (score - low) / spread if spread else 1.0)
        for place, (key, score) in enumerate(zip(ranked.keys, ranked.scores, strict=True), start=1)
    }


def _reranked(
    engine: Engine, query: Query, where: Filter, keys: Sequence[int]
) -> tuple[dict[int, float] | None, Judged[list[float]]]:
    """Relevance by key, ``None`` when the fused order stands, and who gave it or failed to."""
    if engine.graph.rerank == "off" or not keys:
        return None, UNRANKED
    place = {key: i for i, key in enumerate(keys)}
    stored = sorted(engine.store.fetch(where, keys), key=lambda item: place[item.key])
    if engine.graph.rerank == "judge":
        judged = engine.judge.relevance(query.passage, [passage_of(item) for item in stored])
    else:
        judged = _scored(engine, query.passage.text, [item.node.content for item in stored])
    if judged.value is None:
        return None, judged
    found = {item.key: value for item, value in zip(stored, judged.value, strict=True)}
    return found, judged


def _scored(engine: Engine, query: str, texts: Sequence[str]) -> Judged[list[float]]:
    """What the reranker says; when it cannot, the fused order stands."""
    if engine.reranker is None:
        return UNRANKED
    try:
        scores = np.asarray(engine.reranker.scores(query, texts), np.float32)
    except ModelError as error:
        log.warning("the order of the channels stands: %s", error)
        return Judged(None, "off", degraded=True)
    return Judged(_bounded(scores).tolist(), "reranker", degraded=False)


def _bounded(scores: Vector) -> Vector:
    """Scores in [0, 1] as they are; others are taken to be logits."""
    if not len(scores) or (scores.min() >= 0 and scores.max() <= 1):
        return scores
    return (1 / (1 + np.exp(-np.clip(scores, -30, 30)))).astype(np.float32)
