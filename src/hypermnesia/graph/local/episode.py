"""What an episode says of itself, taken from what its turns state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hypermnesia.graph.local import words
from hypermnesia.graph.local.facts import distilled, is_picture
from hypermnesia.graph.local.said import said_in
from hypermnesia.graph.local.scene import Scene
from hypermnesia.graph.local.settings import Thresholds
from hypermnesia.graph.model import EpisodeText, FactText, Turn
from hypermnesia.types import Vector

TITLE = 80
"""Characters of a title at most."""
SENTENCES = 3
"""Statements of a summary at most."""
SENTENCE = 240
"""Characters of one of them at most; of the narrative's as well."""
NARRATIVE = 2_000
"""Characters of a narrative at most."""
RELEVANCE = 0.7
"""Share of relevance against novelty in choosing a summary (maximal marginal relevance, Carbonell
and Goldstein 1998, who take 0.7 where the reader wants the gist)."""
ADVICE = 0.8
"""Factor on an assistant's statements: the episode is about the user."""
NAMED, UNFIT = 0.15, 0.2
"""What a title gains when it begins with a person, and loses when it has to be cut."""
SHOWN = 0.7
"""Factor on what a picture shows: it goes with what is said of it."""


def episode_text(turns: Sequence[Turn], thresholds: Thresholds) -> EpisodeText:
    """Title, summary, narrative and keywords of at least one turn.

    The title is the most relevant statement, the summary up to three by maximal marginal
    relevance in the order in which they were said, the narrative all that fit. Relevance is the
    mean of a statement's weight (see :mod:`~.facts`) and the cosine of its turn to the mean
    direction of the episode, times its confidence.
    """
    scene, said = distilled(said_in(turns), thresholds)
    keywords = words.strongest(scene.theme, scene.contents, words.KEYWORDS)
    if not said:
        return _of_small_talk(turns, keywords)
    relevance = _relevance(turns, said)
    best = max(range(len(said)), key=lambda i: relevance[i] + _fitness(scene, said[i]))
    summary = sorted(_telling_most(said, relevance))
    return EpisodeText(
        title=words.shortened(said[best].content.rstrip(".!;, "), TITLE),
        summary=" ".join(_sentence(said[i].content) for i in summary),
        narrative=_narrative(said, relevance),
        keywords=keywords,
        quotes=tuple(said[i].content for i in (best, *(i for i in summary if i != best))),
    )


def _of_small_talk(turns: Sequence[Turn], keywords: tuple[str, ...]) -> EpisodeText:
    """Turns that state nothing are quoted."""
    quoted = " ".join(words.shortened(turn.content, SENTENCE) for turn in turns[:SENTENCES])
    return EpisodeText(
        title=words.shortened(turns[0].content, TITLE),
        summary=quoted,
        narrative=words.shortened(quoted, NARRATIVE),
        keywords=keywords,
        quotes=tuple(turn.content for turn in turns[:SENTENCES]),
    )


def centroid(vectors: Sequence[Vector]) -> Vector:
    """Mean direction of unit vectors, shape ``(d,)``."""
    mean = np.mean(np.stack(vectors), axis=0)
    return (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)


def _relevance(turns: Sequence[Turn], said: Sequence[FactText]) -> list[float]:
    middle = centroid([turn.vector for turn in turns])
    cosines = [max(0.0, float(turn.vector @ middle)) for turn in turns]
    return [
        (fact.weight + cosines[fact.turns[0]]) / 2 * fact.confidence * _factor(turns, fact)
        for fact in said
    ]


def _fitness(scene: Scene, fact: FactText) -> float:
    """What makes a statement a better title: it says what somebody is or does, and it fits."""
    subject = any(fact.content.startswith((f"{who} ", f"{who}'s ")) for who in scene.speakers)
    return NAMED * subject - UNFIT * (len(fact.content) > TITLE)


def _factor(turns: Sequence[Turn], fact: FactText) -> float:
    if is_picture(fact):
        return SHOWN
    return ADVICE if turns[fact.turns[0]].message.role == "assistant" else 1.0


def _telling_most(said: Sequence[FactText], relevance: Sequence[float]) -> list[int]:
    """Indices of the statements of a summary, best first."""
    chosen: list[int] = []
    left = list(range(len(said)))
    repeats = [0.0] * len(said)
    while left and len(chosen) < SENTENCES:
        best = max(left, key=lambda i: RELEVANCE * relevance[i] - (1 - RELEVANCE) * repeats[i])
        chosen.append(best)
        left.remove(best)
        for i in left:
            repeats[i] = max(repeats[i], _overlap(said[i], said[best]))
    return chosen


def _overlap(one: FactText, other: FactText) -> float:
    """Jaccard overlap of keywords."""
    a, b = ({word.casefold() for word in fact.keywords} for fact in (one, other))
    return len(a & b) / max(1, len(a | b))


def _sentence(text: str) -> str:
    line = words.shortened(text, SENTENCE)
    return line if line[-1] in ".!?\u2026\"'" else line + "."


def _narrative(said: Sequence[FactText], relevance: Sequence[float]) -> str:
    """All statements in order; the least relevant give way where they do not fit."""
    sentences = [_sentence(fact.content) for fact in said]
    room = NARRATIVE
    kept: list[int] = []
    for i in sorted(range(len(said)), key=lambda i: (-relevance[i], i)):
        if len(sentences[i]) + 1 <= room:
            kept.append(i)
            room -= len(sentences[i]) + 1
    return " ".join(sentences[i] for i in sorted(kept))
