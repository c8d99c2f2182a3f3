"""The read path: channels -> fuse -> shortlist -> judge -> blend -> explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np

from hypermnesia.corpus.record import Recording
from hypermnesia.engine import CHANNELS, Channel, Engine, RecallRedaction
from hypermnesia.errors import InvalidInput
from hypermnesia.judge.chain import OFF, Chain
from hypermnesia.judge.protocol import Judged, is_local
from hypermnesia.models.late import packed_maxima, weighted
from hypermnesia.models.product import product
from hypermnesia.read.coarse_to_fine import coarse_to_fine
from hypermnesia.read.dialogue_signals import address
from hypermnesia.read.fuse import (
    NEUTRAL_SALIENCE,
    absolute_fusion,
    blend,
    ranking,
    reciprocal_rank_fusion,
    z_score_fusion,
)
from hypermnesia.read.pool import Pool
from hypermnesia.read.priors import allowed, with_priors
from hypermnesia.read.query import Query, heard, passage_of, understand
from hypermnesia.read.recall import masked
from hypermnesia.read.talk import TalkQuery, hear
from hypermnesia.read.trace import traced
from hypermnesia.store.protocol import Filter, Ranked
from hypermnesia.types import LEVELS, ChannelScore, Explanation, Hit, Node, Vector

SHORTLIST = 12
"""Candidates judged at least; ``max(2k, 12)`` (DGUI-HyperMem, read path)."""

_UNJUDGED: Judged[list[float]] = Judged(None, OFF, degraded=False)

ALIKE = 1000
"""Memories that one text may select at most."""


Entry: TypeAlias = tuple[Explanation, Node, int]
"""A candidate with its reasons, its row and its key."""


def search(engine: Engine, text: str, where: Filter, k: int, min_score: float) -> list[Hit]:
    """The ``k`` memories that answer best, each with its reasons.

    Raises:
        StoreError: the store cannot be read.
    """
    recording = Recording(engine, where.scope or "")
    engine = recording.engine
    participants = _participants(engine, where)
    about = address(heard(text), participants)
    query, told = understand(engine, text, about.text)
    if engine.preset == "hypermem":
        ranked = coarse_to_fine(engine, query, where)
    else:
        talk = TalkQuery(query, told, about.speaker, participants) if participants else None
        ranked = sorted(_found(engine, query, talk, where, k), key=_order, reverse=True)
    if query.degraded:
        ranked = [(replace(reason, degraded=True), node, key) for reason, node, key in ranked]
    found = [entry for entry in ranked if entry[0].final >= min_score][:k]
    detail = {"k": k, "hits": len(found)}
    keys = [key for _, _, key in found]
    engine.store.touch(where.scope or "", keys, detail, recording.rows())
    return traced(
        engine.store, where, [_hit(node, reason, engine.redact) for reason, node, _ in found]
    )


def _participants(engine: Engine, where: Filter) -> list[str]:
    """Everyone who speaks in the scope, if turns are to be ranked as talk."""
    heeded = "turn" in (where.levels or LEVELS) and _hears_talk(engine)
    return list(engine.store.speakers(where.scope or "")) if heeded else []


def _found(
    engine: Engine, query: Query, talk: TalkQuery | None, where: Filter, k: int
) -> list[Entry]:
    """The best by all channels: turns of talk ranked as talk, everything else as notes."""
    where = allowed(engine, query, where)
    if talk is None:
        return _notes(engine, query, where, k)
    found = _turns(engine, talk, replace(where, levels=("turn",)), k)
    levels = where.levels or LEVELS
    if others := tuple(level for level in levels if level != "turn"):
        found += _notes(engine, query, replace(where, levels=others), k)
    return found


def _hears_talk(engine: Engine) -> bool:
    """Whether turns are ranked as talk: not where the policy asks for another way to score."""
    whole = engine.fusion == "absolute" and set(engine.channels) == set(CHANNELS)
    heeded = engine.graph.talk and engine.graph.turns
    return engine.preset == "default" and heeded and whole


def _turns(engine: Engine, talk: TalkQuery, where: Filter, k: int) -> list[Entry]:
    """Turns in the order of talk.

    The local judge reads the vectors that the order is made of already, and turns have no
    salience: neither added anything (decision 0011). So it is not asked; a remote judge has its
    say.
    """
    found = hear(engine, talk, where)
    judge = None if engine.judge.local else engine.judge
    judged = _judged(engine, judge, talk.query, where, found.pool, found.scores, k)
    return [
        (replace(reason, final=reason.fused), node, key)
        if reason.judge_backend == OFF or is_local(reason.judge_backend)
        else (reason, node, key)
        for reason, node, key in judged
        for reason in [replace(reason, talk=found.reasons(key))]
    ]


def _notes(engine: Engine, query: Query, where: Filter, k: int) -> list[Entry]:
    """The best by all channels, then by judge and salience."""
    depth = max(2 * k, SHORTLIST) if engine.preset == "dgui" else max(engine.channel_depth, 2 * k)
    pool = gather(engine, query, where, depth)
    fused, prior = with_priors(engine, query, where, pool.keys, fuse(engine, pool))
    found = _judged(engine, engine.judge, query, where, pool, fused, k)
    if prior is None:
        return found
    said = dict(zip(pool.keys, prior.tolist(), strict=True))
    return [(replace(reason, prior=said[key]), node, key) for reason, node, key in found]


def _judged(
    engine: Engine,
    judge: Chain | None,
    query: Query,
    where: Filter,
    pool: Pool,
    fused: Vector,
    k: int,
) -> list[Entry]:
    """The shortlist with the judge's relevances, if there is one to ask, unordered."""
    best = np.argsort(-fused, kind="stable")[: max(2 * k, SHORTLIST)]
    nodes = engine.store.nodes(where, [pool.keys[i] for i in best if not np.isnan(fused[i])])
    shortlist = [int(i) for i in best if pool.keys[i] in nodes]
    if not shortlist:
        return []
    candidates = [nodes[pool.keys[i]] for i in shortlist]
    judged = _UNJUDGED
    if judge is not None:
        passages = [pool.passage(i, c) for i, c in zip(shortlist, candidates, strict=True)]
        judged = judge.relevance(query.passage, passages)
    relevances = judged.value or [None] * len(shortlist)
    saliences = [c.salience if engine.rank_salience else None for c in candidates]
    reasons = _explain(pool, fused, shortlist, saliences, relevances, judged)
    return list(zip(reasons, candidates, [pool.keys[i] for i in shortlist], strict=True))


def _order(entry: Entry) -> tuple[float, datetime, str]:
    """Best first; of equals the newer."""
    reason, node, _ = entry
    return reason.final, node.valid_from, node.id


def gather(engine: Engine, query: Query, where: Filter, depth: int) -> Pool:
    """Ask the channels, filtered alike, and score every candidate by those that take part."""
    finders = set(engine.channels) - {"late"} or {"dense", "lexical"}
    vector = query.vector
    asked = "dense" in finders and len(vector)
    dense = engine.store.nearest(where, vector, depth)[0] if asked else Ranked((), ())
    terms = query.terms if "lexical" in finders else ()
    lexical = engine.store.lexical(where, terms, depth) if terms else Ranked((), ())
    keys = list(dict.fromkeys((*dense.keys, *lexical.keys)))
    signals = engine.store.signals(where, keys)
    bm25 = dict(zip(lexical.keys, lexical.scores, strict=True))
    cosines = np.full(len(signals.keys), np.nan, np.float32)
    if len(vector):
        np.fmax.at(cosines, signals.owners, product(signals.dense, vector)[:, 0])
    maxima = packed_maxima(query.passage.tokens, signals.tokens)
    pool = Pool(
        keys=signals.keys,
        dense=cosines,
        lexical=np.asarray([bm25.get(key, 0.0) for key in signals.keys], np.float32),
        late=weighted(maxima, query.passage.weights),
        signals=signals,
    )
    return _heard(engine, pool)


def _heard(engine: Engine, pool: Pool) -> Pool:
    """The pool with no score from the channels that do not take part."""
    silent: dict[Channel, Vector] = {
        "dense": np.full_like(pool.dense, np.nan),
        "lexical": np.zeros_like(pool.lexical),
        "late": np.full_like(pool.late, np.nan),
    }
    return replace(pool, **{n: s for n, s in silent.items() if n not in engine.channels})


def alike(engine: Engine, text: str, where: Filter, floor: float) -> list[Node]:
    """Every memory at least this similar (cosine) to a text, the most similar first.

    Raises:
        InvalidInput: more than :data:`ALIKE` are.
        ModelError: the encoder cannot say.
        EncoderMismatch: the store waits to be re-embedded.
    """
    engine.store.claim_encoder()
    (encoding,) = engine.embedder.encode_queries([text])
    query = Query(passage_of(text, encoding), (), degraded=False)
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
    saliences: Sequence[float | None],
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
            salience=(NEUTRAL_SALIENCE if salience is None else salience) / 4,
            final=blend(float(fused[i]), salience, relevance),
        )
        for place, (i, salience, relevance) in enumerate(
            zip(shortlist, saliences, relevances, strict=True)
        )
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
