"""Where an episode ends: gaps in time, new themes, and words that announce them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hypermnesia.graph.local import cues, words
from hypermnesia.graph.local.said import text_span
from hypermnesia.graph.local.settings import Thresholds
from hypermnesia.graph.model import Boundary, Turn

READ = 1_000
"""Characters of a turn that are looked at, at its beginning or its end."""
LEAST_COHESION = 0.2
"""Cosine among recent turns below which their theme is too loose to measure by."""
LONE_COHESION = 0.3
"""The same of a single turn, which has nothing to be compared with."""
GAP, ANNOUNCED, GREETED, PARTED, ANSWERED = 0.4, 0.3, 0.25, 0.2, -0.2
"""Evidence that each sign is worth at most; see :func:`evidence`."""
SHORT, LONG = -0.45, 0.3
"""The same of an episode that has hardly begun, and of one twice as long as it should be."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for or against an end.

    Attributes:
        theme: how new the incoming turn's theme is, in [0, 1]; 0 where it says too little.
        gap: time since the last turn, as a share of the gap that separates themes, in [0, 1].
        announced: the turn announces another subject.
        greeted: it begins with a greeting.
        parted: somebody took leave just before.
        answered: it answers a question of the turn before.
        exchanges: how many the episode has.
    """

    theme: float
    gap: float
    announced: bool
    greeted: bool
    parted: bool
    answered: bool
    exchanges: float


def boundary(episode: Sequence[Turn], incoming: Turn, thresholds: Thresholds) -> Boundary:
    """Whether an episode of at least one turn ends before the incoming one.

    Across the gap, a new theme always ends it, and so does a greeting. Otherwise the
    :func:`evidence` decides, but an assistant's answer stays with what it answers. A turn that
    says too little to have a theme ("Yeah!") stays as well, and where something may have begun
    with it the question waits for the next one. The confidence is the distance of the evidence
    from the threshold, from one half upwards.
    """
    spoken = _has_theme(incoming, thresholds)
    signs = signs_of(episode, incoming, thresholds, spoken=spoken)
    if signs.gap >= 1 and (signs.greeted or signs.announced or signs.theme >= thresholds.novel):
        return Boundary(ends=True, waits=False, confidence=1.0)
    if incoming.message.role in {"assistant", "tool"}:
        return Boundary(ends=False, waits=False, confidence=1.0)
    total = evidence(signs, thresholds)
    ends = total >= thresholds.end
    begun = signs.gap >= 1 or signs.announced or signs.greeted or signs.parted
    confidence = min(1.0, 0.5 + abs(total - thresholds.end))
    return Boundary(ends, waits=begun and not (ends or spoken), confidence=round(confidence, 4))


def evidence(signs: Signs, thresholds: Thresholds) -> float:
    """The sum of all signs.

    The newness of the theme; up to 0.4 for silence; 0.3 for an announcement, 0.25 for a greeting,
    0.2 after a leave-taking; -0.2 for an answer; from -0.45 to 0 while the episode has fewer
    exchanges than it should, and up to 0.3 when it has more.
    """
    total = signs.theme + GAP * signs.gap
    total += ANNOUNCED * signs.announced + GREETED * signs.greeted + PARTED * signs.parted
    total += ANSWERED * signs.answered
    if signs.exchanges < thresholds.fewest:
        total += SHORT * (1 - signs.exchanges / thresholds.fewest)
    return total + LONG * min(1.0, max(0.0, signs.exchanges / thresholds.most - 1))


def signs_of(
    episode: Sequence[Turn], incoming: Turn, thresholds: Thresholds, *, spoken: bool
) -> Signs:
    """The signs at one place; ``spoken``: the incoming turn says enough to have a theme."""
    last = episode[-1]
    said, before = _beginning(incoming), _ending(last)
    recent = episode[-thresholds.window :]
    voices = len({turn.message.speaker for turn in (*recent, incoming)})
    other = incoming.message.speaker != last.message.speaker
    silence = max(0.0, (incoming.at - last.at) / thresholds.gap)
    return Signs(
        theme=_newness(recent, incoming) if spoken else 0.0,
        gap=min(1.0, silence),
        announced=cues.turns_to_another_subject(said),
        greeted=cues.greets(said) and not _greeted_back(episode, before),
        parted=cues.closes(before) and not cues.closes(said),
        answered=other and silence < 1 and before.rstrip().endswith("?"),
        exchanges=len(episode) / min(voices, 2),
    )


def _newness(recent: Sequence[Turn], incoming: Turn) -> float:
    """How new the theme of a turn is beside the recent ones, in [0, 1].

    The mean of two halves: ``1 - s / u``, where s is its mean cosine to the recent turns and u
    the mean cosine among these (a similarity counts relative to those round it, as in
    TextTiling, Hearst 1997); and the share of its telling words' rarity that is in none of them.
    """
    vectors = np.stack([turn.vector for turn in recent])
    count = len(vectors)
    usual = LONE_COHESION
    if count > 1:
        total = vectors.sum(axis=0)
        usual = max(LEAST_COHESION, (float(total @ total) - count) / (count * (count - 1)))
    similarity = float(np.mean(vectors @ incoming.vector))
    shift = min(1.0, max(0.0, 1 - similarity / usual))
    return (shift + _share_of_new_words(recent, incoming)) / 2


def _share_of_new_words(recent: Sequence[Turn], incoming: Turn) -> float:
    known = {word for turn in recent for word in words.telling_of(turn.content[:READ])}
    said = {word: words.rarity(word) for word in words.telling_of(incoming.content[:READ])}
    return sum(r for word, r in said.items() if word not in known) / (sum(said.values()) or 1.0)


def _has_theme(turn: Turn, thresholds: Thresholds) -> bool:
    return len(words.telling_of(turn.content[:READ])) >= thresholds.telling_turn


def _greeted_back(episode: Sequence[Turn], before: str) -> bool:
    """Whether a greeting is the answer to one that opened the episode."""
    return len(episode) == 1 and cues.greets(before)


def _beginning(turn: Turn) -> str:
    start, end = text_span(turn)
    return turn.content[start : min(end, start + READ)]


def _ending(turn: Turn) -> str:
    start, end = text_span(turn)
    return turn.content[max(start, end - READ) : end]
