"""A hit's explanation as bars: what each channel said, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypermnesia.types import ChannelScore, Explanation, Hit


@dataclass(frozen=True, slots=True)
class Bar:
    """One component of a score.

    Attributes:
        name: what it is called on the page.
        meaning: one line for who does not know it.
        value: length of the bar, in [0, 1]; ``None`` = the component had no say.
        rank: 1-based position in its channel.
        raw: the channel's own number, as text.
    """

    name: str
    meaning: str
    value: float | None
    rank: int | None = None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Odds:
    """What one signal of talk adds to the log-odds of a turn.

    Attributes:
        length: of the bar, in [0, 1]: its size over the largest of the hit.
        against: it speaks against the turn.
    """

    name: str
    value: float
    length: float
    against: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """A hit with its explanation in a form to be drawn."""

    hit: Hit
    bars: tuple[Bar, ...]
    odds: tuple[Odds, ...]


def scored(hits: Sequence[Hit]) -> list[Scored]:
    """The hits, each with its bars."""
    return [Scored(hit, _bars(hit.explain), _odds(hit.explain)) for hit in hits]


def _bars(explain: Explanation) -> tuple[Bar, ...]:
    judge = "relevance, as judged" + (
        "" if explain.judge is None else f" by {explain.judge_backend}"
    )
    bars = [
        _channel("meaning", "sentence vectors: cosine with the query", explain.dense),
        _channel("words", "the query's words: BM25", explain.lexical),
        _channel("tokens", "token vectors: best match of each part of the query", explain.late),
        Bar("fused", "the channels as one score", explain.fused),
        Bar("judge", judge, explain.judge),
        Bar("salience", "how much the memory matters", explain.salience),
    ]
    if explain.prior is not None:
        prior = Bar("hypergraph", "what its episodes and topics say for it", explain.prior)
        bars.insert(3, prior)
    return tuple(bars)


def _channel(name: str, meaning: str, score: ChannelScore | None) -> Bar:
    if score is None:
        return Bar(name, meaning, None)
    return Bar(name, meaning, score.normalised, score.rank, f"{score.raw:.3g}")


def _odds(explain: Explanation) -> tuple[Odds, ...]:
    most = max((abs(value) for value in explain.talk.values()), default=0) or 1
    ordered = sorted(explain.talk.items(), key=lambda item: -abs(item[1]))
    return tuple(
        Odds(name, value, abs(value) / most, value < 0) for name, value in ordered if value
    )
