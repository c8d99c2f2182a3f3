"""The read path: channels -> fuse -> shortlist -> judge -> blend -> explain."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hypermnesia.engine import Engine, RecallRedaction
from hypermnesia.errors import ModelError
from hypermnesia.judge.protocol import Judged, Passage
from hypermnesia.models.encoder import Encoding
from hypermnesia.models.late import expand_all, maxsim, query_tokens
from hypermnesia.read.fuse import (
    NEUTRAL_SALIENCE,
    absolute_fusion,
    blend,
    ranking,
    reciprocal_rank_fusion,
    z_score_fusion,
)
from hypermnesia.read.lexicon import query_terms
from hypermnesia.read.recall import masked
from hypermnesia.store.protocol import Filter, Ranked, Stored
from hypermnesia.types import ChannelScore, Explanation, Hit, Matrix, Node, Vector

log = logging.getLogger("hypermnesia")

SHORTLIST = 12
"""Candidates judged at least; ``max(2k, 12)`` (DGUI-HyperMem, read path)."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search text as the channels take it.

    Attributes:
        passage: with the vectors a judge reads; none when the encoder failed.
        terms: for the lexical channel.
        degraded: the encoder failed, so only the lexical channel can answer.
    """

    passage: Passage
    terms: tuple[str, ...]
    degraded: bool

    @property
    def vector(self) -> Matrix:
        """The query's direction as one row, ``(1, d)``, or no row."""
        dense = self.passage.dense
        mean = dense.mean(axis=0, keepdims=True) if len(dense) else dense
        return mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)


@dataclass(frozen=True, slots=True)
class Pool:
    """What the channels found, with every signal for every candidate.

    Attributes:
        stored: the candidates, ``n`` of them.
        passages: the same, as a judge reads them.
        dense: cosine to the query, ``(n,)``; NaN without vectors.
        lexical: BM25, ``(n,)``; 0 when no term of the query was matched.
        late: weighted MaxSim, ``(n,)``; NaN without token vectors.
    """

    stored: Sequence[Stored]
    passages: Sequence[Passage]
    dense: Vector
    lexical: Vector
    late: Vector


def search(engine: Engine, text: str, where: Filter, k: int, min_score: float) -> list[Hit]:
    """The ``k`` memories that answer best, each with its reasons.

    Raises:
        StoreError: the store cannot be read.
    """
    query = understand(engine, text)
    depth = max(2 * k, SHORTLIST) if engine.preset == "dgui" else max(engine.channel_depth, 2 * k)
    pool = gather(engine, query, where, depth)
    if not pool.stored:
        return []
    fused = fuse(engine, pool)
    shortlist = [int(i) for i in np.argsort(-fused, kind="stable")[: max(2 * k, SHORTLIST)]]
    judged = engine.judge.relevance(query.passage, [pool.passages[i] for i in shortlist])
    relevances = judged.value or [None] * len(shortlist)
    hits = [
        _hit(
            pool.stored[i].node,
            _explain(pool, i, float(fused[i]), relevance, judged, degraded=query.degraded),
            engine.redact,
        )
        for i, relevance in zip(shortlist, relevances, strict=True)
    ]
    hits.sort(key=lambda hit: (hit.score, hit.node.valid_from, hit.id), reverse=True)
    found = [hit for hit in hits if hit.score >= min_score][:k]
    keys = {pool.stored[i].node.id: pool.stored[i].key for i in shortlist}
    detail = {"k": k, "hits": len(found)}
    engine.store.touch(where.scope or "", [keys[hit.id] for hit in found], detail)
    return found


def understand(engine: Engine, text: str) -> Query:
    """Encode a query; when the encoder cannot, the terms alone are left."""
    try:
        encoding, degraded = engine.embedder.encode_query(text), False
    except ModelError as error:
        log.warning("searching by words alone: %s", error)
        empty = np.zeros((0, engine.embedder.dimension), np.float32)
        encoding, degraded = Encoding(empty, np.zeros(0, np.int32), empty), True
    tokens, weights = query_tokens(encoding)
    return Query(Passage(text, encoding.dense, tokens, weights), query_terms(text), degraded)


def gather(engine: Engine, query: Query, where: Filter, depth: int) -> Pool:
    """Ask both channels, filtered alike, and score every candidate by every signal."""
    vector = query.vector
    dense = engine.store.nearest(where, vector, depth)[0] if len(vector) else Ranked((), ())
    lexical = engine.store.lexical(where, query.terms, depth)
    keys = list(dict.fromkeys((*dense.keys, *lexical.keys)))
    stored = engine.store.fetch(where, keys)
    bm25 = dict(zip(lexical.keys, lexical.scores, strict=True))
    tokens, offsets = expand_all([s.tokens for s in stored])
    return Pool(
        stored=stored,
        passages=[
            Passage(
                s.node.content,
                s.dense,
                tokens[offsets[i] : offsets[i + 1]],
                np.ones(offsets[i + 1] - offsets[i], np.float32),
            )
            for i, s in enumerate(stored)
        ],
        dense=_cosines(stored, vector),
        lexical=np.asarray([bm25.get(s.key, 0.0) for s in stored], np.float32),
        late=maxsim(query.passage.tokens, query.passage.weights, tokens, offsets),
    )


def _cosines(stored: Sequence[Stored], vector: Matrix) -> Vector:
    """Best cosine over each memory's windows; NaN where there is no vector."""
    if not len(vector):
        return np.full(len(stored), np.nan, np.float32)
    return np.asarray(
        [float((s.dense @ vector[0]).max()) if len(s.dense) else np.nan for s in stored],
        np.float32,
    )


def alike(engine: Engine, text: str, where: Filter, floor: float) -> list[Node]:
    """Every memory at least this similar (cosine) to a text, the most similar first."""
    query = understand(engine, text)
    ranked = engine.store.nearest(where, query.vector, 1000)[0] if len(query.vector) else None
    if ranked is None:
        return []
    keys = [key for key, score in zip(ranked.keys, ranked.scores, strict=True) if score >= floor]
    found = {stored.key: stored.node for stored in engine.store.fetch(where, keys)}
    return [found[key] for key in keys if key in found]


def fuse(engine: Engine, pool: Pool) -> Vector:
    """One score in [0, 1] per candidate, shape ``(n,)``; see :mod:`hypermnesia.read.fuse`."""
    match engine.fusion:
        case "absolute":
            return absolute_fusion(pool.late, pool.dense, pool.lexical)
        case "z_score":
            channels = (pool.late, pool.dense, pool.lexical)
            return z_score_fusion(channels, (1.0, 1.0, engine.lexical_weight))
        case "rrf":
            places = range(len(pool.stored))
            rankings = [ranking(places, pool.dense), ranking(places, pool.lexical)]
            fused = reciprocal_rank_fusion(rankings, (1.0, engine.lexical_weight))
            return np.asarray([fused.get(place, 0.0) for place in places], np.float32)


def _explain(
    pool: Pool,
    i: int,
    fused: float,
    relevance: float | None,
    judged: Judged[Any],
    *,
    degraded: bool,
) -> Explanation:
    salience = pool.stored[i].node.salience
    level = NEUTRAL_SALIENCE if salience is None else salience
    return Explanation(
        dense=_channel(pool.dense, i),
        lexical=_channel(np.where(pool.lexical > 0, pool.lexical, np.nan), i),
        late=_channel(pool.late, i),
        fused=fused,
        judge=relevance,
        judge_backend=judged.backend,
        degraded=judged.degraded or degraded,
        salience=level / 4,
        final=blend(fused, salience, relevance),
    )


def _channel(scores: Vector, i: int) -> ChannelScore | None:
    """A candidate's rank and scores in one channel, ``None`` where it has none."""
    if np.isnan(scores[i]):
        return None
    present = scores[~np.isnan(scores)]
    low, high = float(present.min()), float(present.max())
    spread = (float(scores[i]) - low) / (high - low) if high > low else 1.0
    return ChannelScore(int((present > scores[i]).sum()) + 1, float(scores[i]), spread)


def _hit(stored: Node, explain: Explanation, policy: RecallRedaction) -> Hit:
    node = masked(stored, policy)
    turn = stored.provenance.turn_id
    return Hit(
        id=node.id,
        content=node.content,
        level=node.level,
        score=explain.final,
        explain=explain,
        node=node,
        redacted=node is not stored,
        sources=(turn,) if turn else (),
    )
