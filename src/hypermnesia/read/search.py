"""The read path: channels -> fuse -> shortlist -> judge -> blend -> explain."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hypermnesia.engine import Engine, RecallRedaction
from hypermnesia.errors import InvalidInput, ModelError
from hypermnesia.judge.protocol import Judged, Passage
from hypermnesia.models.encoder import Encoding
from hypermnesia.models.late import Offsets, expand_all, maxsim, query_tokens
from hypermnesia.models.product import product
from hypermnesia.read.fuse import (
    NEUTRAL_SALIENCE,
    absolute_fusion,
    blend,
    ranking,
    reciprocal_rank_fusion,
    z_score_fusion,
)
from hypermnesia.read.recall import masked
from hypermnesia.read.trace import traced
from hypermnesia.store.lexicon import query_terms
from hypermnesia.store.protocol import Filter, Ranked, Signals
from hypermnesia.types import ChannelScore, Explanation, Hit, Matrix, Node, Vector

log = logging.getLogger("hypermnesia")

SHORTLIST = 12
"""Candidates judged at least; ``max(2k, 12)`` (DGUI-HyperMem, read path)."""

ALIKE = 1000
"""Memories that one text may select at most."""


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
        keys: the candidates, ``n`` of them.
        dense: best cosine over a memory's windows, ``(n,)``; NaN without vectors.
        lexical: BM25, ``(n,)``; 0 when no term of the query was matched.
        late: weighted MaxSim, ``(n,)``; NaN without token vectors.
        signals: the vectors that ``dense`` came from.
        tokens: the token vectors that ``late`` came from, ``(t, p)``.
        offsets: rows at which each candidate's tokens begin and end, ``(n + 1,)``.
    """

    keys: Sequence[int]
    dense: Vector
    lexical: Vector
    late: Vector
    signals: Signals
    tokens: Matrix
    offsets: Offsets

    def passage(self, place: int, text: str) -> Passage:
        """One candidate as a judge reads it, made of the vectors that are here already."""
        tokens = self.tokens[self.offsets[place] : self.offsets[place + 1]]
        dense = self.signals.dense[self.signals.owners == place]
        return Passage(text, dense, tokens, np.ones(len(tokens), np.float32))


def search(engine: Engine, text: str, where: Filter, k: int, min_score: float) -> list[Hit]:
    """The ``k`` memories that answer best, each with its reasons.

    Raises:
        StoreError: the store cannot be read.
    """
    query = understand(engine, text)
    depth = max(2 * k, SHORTLIST) if engine.preset == "dgui" else max(engine.channel_depth, 2 * k)
    pool = gather(engine, query, where, depth)
    fused = fuse(engine, pool)
    best = np.argsort(-fused, kind="stable")[: max(2 * k, SHORTLIST)]
    nodes = engine.store.nodes(where, [pool.keys[i] for i in best])
    shortlist = [int(i) for i in best if pool.keys[i] in nodes]
    if not shortlist:
        return []
    candidates = [nodes[pool.keys[i]] for i in shortlist]
    passages = [pool.passage(i, c.content) for i, c in zip(shortlist, candidates, strict=True)]
    judged = engine.judge.relevance(query.passage, passages)
    relevances = judged.value or [None] * len(shortlist)
    reasons = _explain(pool, fused, shortlist, candidates, relevances, judged)
    if query.degraded:
        reasons = [replace(reason, degraded=True) for reason in reasons]
    ordered = sorted(
        zip(reasons, candidates, shortlist, strict=True),
        key=lambda entry: (entry[0].final, entry[1].valid_from, entry[1].id),
        reverse=True,
    )
    found = [entry for entry in ordered if entry[0].final >= min_score][:k]
    detail = {"k": k, "hits": len(found)}
    engine.store.touch(where.scope or "", [pool.keys[i] for _, _, i in found], detail)
    return traced(
        engine.store, where, [_hit(node, reason, engine.redact) for reason, node, _ in found]
    )


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
    signals = engine.store.signals(where, keys)
    bm25 = dict(zip(lexical.keys, lexical.scores, strict=True))
    cosines = np.full(len(signals.keys), np.nan, np.float32)
    if len(vector):
        np.fmax.at(cosines, signals.owners, product(signals.dense, vector)[:, 0])
    tokens, offsets = expand_all(signals.tokens)
    return Pool(
        keys=signals.keys,
        dense=cosines,
        lexical=np.asarray([bm25.get(key, 0.0) for key in signals.keys], np.float32),
        late=maxsim(query.passage.tokens, query.passage.weights, tokens, offsets),
        signals=signals,
        tokens=tokens,
        offsets=offsets,
    )


def alike(engine: Engine, text: str, where: Filter, floor: float) -> list[Node]:
    """Every memory at least this similar (cosine) to a text, the most similar first.

    Raises:
        InvalidInput: more than :data:`ALIKE` are.
        ModelError: the encoder cannot say.
        EncoderMismatch: the store waits to be re-embedded.
    """
    engine.store.claim_encoder()
    encoding = engine.embedder.encode_query(text)
    query = Query(Passage(text, encoding.dense, *query_tokens(encoding)), (), degraded=False)
    (ranked,) = engine.store.nearest(where, query.vector, ALIKE + 1)
    keys = [key for key, score in zip(ranked.keys, ranked.scores, strict=True) if score >= floor]
    if len(keys) > ALIKE:
        raise InvalidInput(f"over {ALIKE:,} memories are that similar; be more specific")
    found = engine.store.nodes(where, keys)
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
            places = range(len(pool.keys))
            rankings = [ranking(places, pool.dense), ranking(places, pool.lexical)]
            fused = reciprocal_rank_fusion(rankings, (1.0, engine.lexical_weight))
            return np.asarray([fused.get(place, 0.0) for place in places], np.float32)


def _explain(
    pool: Pool,
    fused: Vector,
    shortlist: Sequence[int],
    nodes: Sequence[Node],
    relevances: Sequence[float | None],
    judged: Judged[Any],
) -> list[Explanation]:
    """Every component of the score of each shortlisted candidate."""
    dense = _channel(pool.dense, shortlist)
    lexical = _channel(np.where(pool.lexical > 0, pool.lexical, np.nan), shortlist)
    late = _channel(pool.late, shortlist)
    return [
        Explanation(
            dense=dense[place],
            lexical=lexical[place],
            late=late[place],
            fused=float(fused[i]),
            judge=relevance,
            judge_backend=judged.backend,
            degraded=judged.degraded,
            salience=(NEUTRAL_SALIENCE if node.salience is None else node.salience) / 4,
            final=blend(float(fused[i]), node.salience, relevance),
        )
        for place, (i, node, relevance) in enumerate(zip(shortlist, nodes, relevances, strict=True))
    ]


def _channel(scores: Vector, shortlist: Sequence[int]) -> list[ChannelScore | None]:
    """Rank and scores in one channel of each shortlisted candidate, ``None`` where it has none."""
    present = np.sort(scores[~np.isnan(scores)])
    if not len(present):
        return [None] * len(shortlist)
    low, spread = float(present[0]), float(present[-1]) - float(present[0])
    ranks = len(present) - np.searchsorted(present, scores, side="right") + 1
    return [
        None
        if np.isnan(scores[i])
        else ChannelScore(
            rank=int(ranks[i]),
            raw=float(scores[i]),
            normalised=(float(scores[i]) - low) / spread if spread else 1.0,
        )
        for i in shortlist
    ]


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
