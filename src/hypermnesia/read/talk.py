"""Finding turns of talk: candidates with what is said around them, ranked by :mod:`.dialogue`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hypermnesia.engine import Engine
from hypermnesia.language.dates import question_dates
from hypermnesia.models.late import DIMENSIONS, packed_maxima, weighted
from hypermnesia.models.product import product
from hypermnesia.read.dialogue import (
    Question,
    Rows,
    Turns,
    fused,
    neighbours,
    signals,
    weights_for,
)
from hypermnesia.read.dialogue_signals import Period
from hypermnesia.read.fuse import absolute_fusion
from hypermnesia.read.pool import Pool
from hypermnesia.read.query import Query
from hypermnesia.store.incidence import Utterance
from hypermnesia.store.protocol import Filter, Ranked, Signals
from hypermnesia.types import Matrix, Vector

DEPTH = 150
"""Turns that the words and the sentence vectors bring each."""
BESIDE = 50
"""Of these, how many bring the turns before and after. Both: ``bench/dialogue_study.py``."""
REACH = 2
"""Turns before and after that a turn's score looks at (:data:`.dialogue.WINDOW`)."""
FAR_REACH = 1
"""The same for candidates that are not among the best of a channel: they seldom rise, and there
are many of them."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Turns with their scores.

    Attributes:
        pool: the turns and their plain signals.
        scores: in [0, 1], ``(n,)``; NaN for a turn that is only heard beside a candidate.
        parts: what each signal of talk adds to the log-odds of each, by name, ``(n,)`` each;
            empty when no candidate has a turn beside it.
    """

    pool: Pool
    scores: Vector
    parts: Mapping[str, Vector]

    def reasons(self, key: int) -> dict[str, float]:
        """What each signal adds for one candidate."""
        place = self.pool.keys.index(key)
        return {name: float(values[place]) for name, values in self.parts.items()}


@dataclass(frozen=True, slots=True)
class TalkQuery:
    """What is asked of talk.

    Attributes:
        query: as it is asked.
        told: in the words of whom it is about, see :func:`.dialogue_signals.address`.
        speaker: who that is; ``None`` = anyone.
        participants: everyone who speaks in the scope.
    """

    query: Query
    told: Query
    speaker: str | None
    participants: Sequence[str]


def hear(engine: Engine, asked: TalkQuery, where: Filter) -> Heard:
    """Find and score the turns that answer.

    Args:
        engine: whose store holds them.
        asked: the question.
        where: which turns may answer; others may still be heard beside them.
    """
    query, told, participants = asked.query, asked.told, asked.participants
    lexical = engine.store.lexical(where, query.terms, DEPTH)
    vector = told.vector
    dense = engine.store.nearest(where, vector, DEPTH)[0] if len(vector) else Ranked((), ())
    found = _around(engine, where, lexical, dense)
    held = engine.store.signals(Filter(where.scope, levels=("turn",)), list(found.turns))
    turns = _turns(held, [found.turns[key] for key in held.keys])
    candidates = _candidates(where, found, held, turns)
    maxima = packed_maxima(told.passage.tokens, held.tokens)
    late = weighted(maxima, told.passage.weights)
    pool = _pool(query, held, turns, candidates, lexical, late)
    scores = absolute_fusion(pool.late, pool.dense, pool.lexical)
    question = Question(
        tokens=told.passage.tokens,
        weights=told.passage.weights,
        vector=query.vector[0] if len(query.vector) else np.zeros(turns.dense.shape[1], np.float32),
        speaker=asked.speaker,
        periods=[
            Period(m.first, m.last, not m.year_known) for m in question_dates(query.passage.text)
        ],
    )
    heard = signals(question, turns, candidates, pool.lexical[candidates], participants, maxima)
    if heard is None:
        return Heard(pool, _spread(candidates, scores[candidates], len(scores)), {})
    weights = weights_for(participants)
    ranked = fused(heard.total(weights), scores[candidates])
    parts = heard.weighted(weights).items()
    return Heard(
        pool=pool,
        scores=_spread(candidates, ranked, len(scores)),
        parts={name: _spread(candidates, part, len(scores)) for name, part in parts},
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What the channels found, the best of it, and every turn that is heard, those included."""

    keys: Sequence[int]
    best: Sequence[int]
    turns: Mapping[int, Utterance]


def _around(engine: Engine, where: Filter, *channels: Ranked) -> _Found:
    """The channels' turns and those beside them."""
    scope = where.scope or ""
    keys = dict.fromkeys(key for channel in channels for key in channel.keys)
    best = {key for channel in channels for key in channel.keys[:BESIDE]}
    near = engine.store.around(scope, sorted(best), REACH + 1)
    far = engine.store.around(scope, [key for key in keys if key not in best], FAR_REACH)
    return _Found(list(keys), list(best), {turn.key: turn for turn in (*near, *far)})


def _candidates(where: Filter, found: _Found, held: Signals, turns: Turns) -> Rows:
    """Rows of the turns that compete.

    The neighbours of the best are candidates, too: an answer may share no word with the question
    that it answers. A filter might not let them pass, so under one they only lend their words.
    """
    keys = np.asarray(held.keys, np.int64)
    chosen = np.isin(keys, found.keys)
    if where == Filter(where.scope, levels=where.levels):
        best, at = np.isin(keys, found.best), neighbours(turns)
        for beside in (at[-1][best], at[1][best]):
            chosen[beside[beside >= 0]] = True
    return np.flatnonzero(chosen)


def _turns(held: Signals, heard: Sequence[Utterance]) -> Turns:
    """Everything that is heard, in the order of its vectors; token vectors stay packed."""
    places = [said.place for said in heard]
    names = [place.session for place in places]
    sessions = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return Turns(
        texts=[
            said.content.removeprefix(f"{place.speaker}: ")
            for said, place in zip(heard, places, strict=True)
        ],
        speakers=[place.speaker for place in places],
        sessions=np.array([sessions[name] for name in names], np.int64),
        positions=np.array([place.position for place in places], np.int64),
        days=np.array([said.at.toordinal() for said in heard], np.int64),
        dense=_means(held),
        tokens=np.zeros((0, DIMENSIONS), np.float32),
        offsets=np.zeros(len(heard) + 1, np.int64),
    )


def _pool(
    query: Query, held: Signals, turns: Turns, candidates: Rows, lexical: Ranked, late: Vector
) -> Pool:
    """All turns as the judge and the explanations take them; only candidates have scores."""
    count = len(held.keys)
    bm25 = dict(zip(lexical.keys, lexical.scores, strict=True))
    cosines = np.full(count, np.nan, np.float32)
    if len(query.vector):
        cosines = product(turns.dense, query.vector)[:, 0]
    return Pool(
        keys=held.keys,
        dense=_spread(candidates, cosines[candidates], count),
        lexical=np.asarray([bm25.get(key, 0.0) for key in held.keys], np.float32),
        late=_spread(candidates, late[candidates], count),
        signals=held,
    )


def _means(held: Signals) -> Matrix:
    """Mean direction of each memory, L2-normalised, ``(n, d)``; zeros where it has no vector."""
    sums = np.zeros((len(held.keys), held.dense.shape[1]), np.float32)
    owners, starts = np.unique(held.owners, return_index=True)
    if len(owners) == len(held.owners):
        sums[owners] = held.dense
    elif len(owners):
        sums[owners] = np.add.reduceat(held.dense, starts, axis=0)
    return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)


def _spread(rows: Rows, values: Vector, count: int) -> Vector:
    """One value for each of the rows, NaN for the others, ``(count,)``."""
    spread = np.full(count, np.nan, np.float32)
    spread[rows] = values
    return spread
