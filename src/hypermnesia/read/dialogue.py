"""Ranking turns of talk: what a turn says, who says it, when, and what it replies to.

A turn is not a note. Half of what it means stands in the turns around it, the speaker's name is
not in its words, and much of talk says nothing. So a query token may find its match in a
neighbour, at a discount; the turns of whoever the question names are preferred, as are those near
a date it names, answers to a matching question, and turns that name something or say when.

The sum of the parts is a log-odds over the candidates of one query. Its level means nothing by
itself and is taken from the absolute fusion of the same candidates (:func:`fused`), so that a
minimum score means for turns what it means for notes. Turns with nothing beside them are notes:
then there is no sum, and the absolute fusion stands.

``bench/dialogue_study.py`` prints what each part is worth and how the constants were found.

A little longer than most modules: it states every signal and its weight in one place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from hypermnesia.models.late import Offsets, token_maxima
from hypermnesia.models.product import product
from hypermnesia.read.dialogue_signals import (
    Days,
    Period,
    nearness,
    persons,
    style,
)
from hypermnesia.types import Matrix, Vector

Rows = npt.NDArray[np.intp]
"""Positions among the turns at hand; -1 = there is no such turn."""

WINDOW: Mapping[int, float] = {-2: 0.4, -1: 0.7, 1: 0.5, 2: 0.3}
"""Share of the turn at each offset in the match of a query token, where that turn matches better.

Per token, before the sum: adding whole neighbours' scores finds the neighbours instead."""
CONTEXT = 0.6
"""Weight of the turn before in the sentence vector, beside a turn's own of 1."""
FARTHEST = 2**31
"""Position in a session that only a damaged row has."""
LATE_SPREAD, DENSE_SPREAD = 0.047, 0.059
"""Typical standard deviations of MaxSim and cosine over 200 candidates of the bundled encoder:
what a few candidates' own spread is pulled towards."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Log-odds that each of :class:`TurnSignals` is worth."""

    late: float
    dense: float
    lexical: float
    speaker: float
    date: float
    asks: float
    follows: float
    reply: float
    names: float
    times: float


TALK = Weights(
    late=1.0,
    dense=0.2,
    lexical=1.0,
    speaker=1.0,
    date=5.0,
    asks=-0.5,
    follows=-0.5,
    reply=0.5,
    names=0.5,
    times=0.5,
)
"""Between people; fitted by ``bench/dialogue_study.py`` to LoCoMo, and rounded."""
ASSISTED = Weights(
    late=1.0,
    dense=0.3,
    lexical=1.5,
    speaker=1.0,
    date=5.0,
    asks=0.0,
    follows=0.0,
    reply=0.0,
    names=0.0,
    times=0.0,
)
"""Between one person and assistants, or one person's notes: what is said there has no idle turns
to tell from telling ones. The first four are rounded from a fit to BEAM, which names no days."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query as turns are compared with it.

    Attributes:
        tokens: token vectors, ``(q, p)``, of the question in the words of whom it is about
            (:func:`~hypermnesia.read.dialogue_signals.address`).
        weights: theirs, ``(q,)``, at least 0.
        vector: sentence vector of the question as asked, L2-normalised, ``(d,)``.
        speaker: whose turns should answer; ``None`` = anyone's.
        periods: days it names.
    """

    tokens: Matrix
    weights: Vector
    vector: Vector
    speaker: str | None = None
    periods: Sequence[Period] = ()


@dataclass(frozen=True, slots=True)
class Turns:
    """Candidate turns and those around them, each once, ``r`` in all.

    Attributes:
        texts: what was said, without the speaker.
        speakers: who said it; an empty name is no one.
        sessions: any number that turns of one session share, ``(r,)``; -1 = in no session.
        positions: the turn's place in its session, ``(r,)``.
        days: when it was said, ``(r,)``.
        dense: L2-normalised sentence vector of each, ``(r, d)``.
        tokens: their token vectors, concatenated, ``(t, p)``; none where their maxima are known.
        offsets: ``(r + 1,)``, see :func:`~hypermnesia.models.late.expand_all`.
    """

    texts: Sequence[str]
    speakers: Sequence[str]
    sessions: npt.NDArray[np.int64]
    positions: npt.NDArray[np.int64]
    days: Days
    dense: Matrix
    tokens: Matrix
    offsets: Offsets


@dataclass(frozen=True, slots=True)
class TurnSignals:
    """What speaks for and against each candidate, ``(n,)`` each.

    The last five fade with a turn's length (:attr:`.dialogue_signals.Style.brevity`).

    Attributes:
        late: MaxSim over the turn and its neighbours, in standard deviations.
        dense: cosine with the turn and the one before, in standard deviations.
        lexical: BM25 over the best BM25.
        speaker: 1 for whom the question is about, -1 for another, 0 when it is about no one.
        date: nearness to a day the question names, in [0, 1].
        asks: 1 when the turn is a question.
        follows: 1 when the turn before is one.
        reply: ``late`` of the question that the turn follows.
        names: names in it, at most two.
        times: 1 when it says when.
    """

    late: Vector
    dense: Vector
    lexical: Vector
    speaker: Vector
    date: Vector
    asks: Vector
    follows: Vector
    reply: Vector
    names: Vector
    times: Vector

    def weighted(self, weights: Weights) -> dict[str, Vector]:
        """What each signal adds to the score of each candidate, by name, ``(n,)`` each."""
        return {f.name: getattr(weights, f.name) * getattr(self, f.name) for f in fields(self)}

    def total(self, weights: Weights) -> Vector:
        """The log-odds that candidates are ordered by, ``(n,)``."""
        return np.stack(list(self.weighted(weights).values())).sum(axis=0)


def signals(
    question: Question,
    turns: Turns,
    candidates: Rows,
    lexical: Vector,
    participants: Sequence[str] = (),
    maxima: Matrix | None = None,
) -> TurnSignals | None:
    """Weigh candidates among the turns at hand.

    Args:
        question: what is asked.
        turns: the candidates and the turns around them; a neighbour that is not there counts as
            absent, never as an error.
        candidates: which of ``turns`` compete, ``(n,)``.
        lexical: BM25 of each candidate, at least 0, ``(n,)``.
        participants: names that tell nothing when a turn mentions them.
        maxima: :func:`~hypermnesia.models.late.token_maxima` of the question over ``turns``, when
            they are known already, ``(q, r)``.

    Returns:
        ``None`` when no candidate has a turn beside it: these are notes, no turns of talk.
    """
    at = neighbours(turns)
    if all((rows[candidates] < 0).all() for rows in at.values()):
        return None
    styles = list(map(style, turns.texts))
    short = _floats([told.brevity for told in styles])
    asking = _floats([told.asks for told in styles])
    if maxima is None:
        maxima = token_maxima(question.tokens, turns.tokens, turns.offsets)
    late = _standard(_matches(question, maxima, at, short), candidates, LATE_SPREAD)
    cosines = product(_context(turns, at[-1], short), question.vector[None, :])[:, 0]
    dense = _standard(cosines, candidates, DENSE_SPREAD)
    follows = short * _there(asking, at[-1])
    known = {word for name in participants for word in name.casefold().split()}
    competing = [styles[i] for i in candidates.tolist()]
    return TurnSignals(
        late=late[candidates],
        dense=dense[candidates],
        lexical=lexical / max(float(lexical.max(initial=0.0)), 1e-9),
        speaker=_spoken_by(question.speaker, turns.speakers)[candidates],
        date=nearness(question.periods, turns.days[candidates]),
        asks=(short * asking)[candidates],
        follows=follows[candidates],
        reply=(follows * _there(late, at[-1]))[candidates],
        names=short[candidates] * _floats([told.news(known) for told in competing]),
        times=short[candidates] * _floats([told.says_when for told in competing]),
    )


def weights_for(participants: Sequence[str]) -> Weights:
    """:data:`TALK` when two persons or more take part, else :data:`ASSISTED`."""
    return TALK if len(persons(participants)) > 1 else ASSISTED


def fused(total: Vector, flat: Vector) -> Vector:
    """Scores in [0, 1] in the order of ``total``; the best is as good as the best of ``flat``.

    Args:
        total: log-odds that mean something only beside each other, ``(n,)``.
        flat: absolute scores in [0, 1] of the same candidates, ``(n,)``.
    """
    if not len(total):
        return flat
    best = float(np.clip(flat.max(), 1e-6, 1 - 1e-6))
    level = np.log(best / (1 - best))
    return (1 / (1 + np.exp(np.clip(total.max() - total - level, -30, 30)))).astype(np.float32)


def neighbours(turns: Turns) -> dict[int, Rows]:
    """For each offset of :data:`WINDOW`, the row of the turn so far from each, ``(r,)``."""
    count = len(turns.sessions)
    if not count:
        return {offset: np.zeros(0, np.intp) for offset in WINDOW}
    steps = np.minimum(turns.positions - turns.positions.min(), FARTHEST)
    width = int(steps.max()) + 2 * max(map(abs, WINDOW)) + 1  # no session reaches into the next
    places = turns.sessions * width + steps
    order = np.argsort(places, kind="stable")
    found: dict[int, Rows] = {}
    for offset in WINDOW:
        after = np.searchsorted(places, places + offset, side="right", sorter=order)
        beside = order[np.maximum(after - 1, 0)]
        there = (places[beside] == places + offset) & (turns.sessions >= 0)
        found[offset] = np.where(there, beside, -1)
    return found


def _matches(question: Question, maxima: Matrix, at: Mapping[int, Rows], short: Vector) -> Vector:
    """MaxSim in which a query token may be found in a neighbour, ``(r,)``."""
    total = float(question.weights.sum())
    if not total:
        return np.zeros(len(short), np.float32)
    own = np.nan_to_num(maxima)
    best = own
    for offset, share in WINDOW.items():
        shares = np.where(at[offset] < 0, 0, share * short).astype(np.float32)
        best = np.maximum(best, own + shares * (own[:, at[offset]] - own))
    return np.einsum("q,qr->r", question.weights / total, best)


def _context(turns: Turns, before: Rows, short: Vector) -> Matrix:
    """Sentence vectors that know the turn before, L2-normalised, ``(r, d)``."""
    shares = np.where(before < 0, 0, CONTEXT * short).astype(np.float32)
    mixed = turns.dense + shares[:, None] * turns.dense[before]
    return mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9)


def _standard(values: Vector, candidates: Rows, spread: float) -> Vector:
    """Standard scores of all by the candidates' mean and their spread, half a typical one."""
    among = values[candidates]
    return ((values - among.mean()) / np.sqrt((among.var() + spread**2) / 2)).astype(np.float32)


def _there(values: Vector, rows: Rows) -> Vector:
    """The values of other turns, 0 where there is no such turn."""
    return np.where(rows < 0, 0, values[rows]).astype(np.float32)


def _spoken_by(speaker: str | None, speakers: Sequence[str]) -> Vector:
    """1 for a speaker's turns, -1 for those of others, 0 where it is not known."""
    if speaker is None:
        return np.zeros(len(speakers), np.float32)
    wanted = speaker.casefold()
    sides = {name: float(name.casefold() == wanted) * 2 - 1 for name in set(speakers) if name}
    return _floats([sides.get(name, 0.0) for name in speakers])


def _floats(values: Sequence[float]) -> Vector:
    return np.array(values, np.float32)
