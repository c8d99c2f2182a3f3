"""Which topics an episode continues, what topics say of themselves, and who weighs what in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache

from hypermnesia.graph.local import words
from hypermnesia.graph.local.episode import centroid
from hypermnesia.graph.local.settings import Thresholds
from hypermnesia.graph.model import EpisodeView, TopicText, TopicView, Weighted
from hypermnesia.models.product import product
from hypermnesia.store.incidence import EpisodeRole
from hypermnesia.types import Vector

SCALE = ((0.85, 0.9), (0.7, 0.7), (0.55, 0.5))
"""Cosine to the topic's mean direction from which an episode has each weight of the scale
(HyperMem: critical, 0.7, 0.5); below all of them it is tangential."""
TANGENTIAL = 0.3
"""The lowest weight of the scale (HyperMem)."""
SUMMARY = 600
"""Characters of a topic's summary at most."""
TITLES = 3
"""Episodes that a topic's summary speaks of at most."""
TITLED = 4
"""Keywords in the title of a topic."""
SEVERAL = 3
"""Episodes from which one can be the most central."""
RETURN = timedelta(days=7)
"""Silence after which the same keywords again are a theme that recurs."""

_CONCLUDING = re.compile(
    r"\b(?:finally|finished|completed|concluded|wrapped up|graduated|ended|is over|at last)\b",
    re.IGNORECASE,
)


def match(
    episode: EpisodeView, topics: Sequence[TopicView], thresholds: Thresholds
) -> tuple[str, ...]:
    """Ids of the topics that an episode continues, the nearest first.

    A topic matches when the cosine of its nearest episode, averaged with that of its mean
    direction, reaches ``same_topic``; or ``near_topic`` with enough of the topic's keywords and,
    where speakers are known on both sides, a shared speaker. Of those that match, the nearest
    and what is about as near: else every topic of a long talk would end up with the same episodes.
    """
    found: list[tuple[float, str]] = []
    for topic in topics:
        nearness = _nearness(episode.vector, topic)
        if nearness >= thresholds.same_topic or (
            nearness >= thresholds.near_topic
            and _shares_speaker(episode, topic)
            and _shared(episode, topic) >= thresholds.shared
        ):
            found.append((-nearness, topic.id))
    found.sort()
    return tuple(name for distance, name in found if distance - found[0][0] <= thresholds.beside)


def topic_text(episodes: Sequence[EpisodeView]) -> TopicText:
    """Title, summary and keywords of a topic with at least one episode, oldest first.

    Keywords are those of most episodes, the rarer of equals. The title is the first of them; that
    of an only episode is its own. The summary names the most central episodes in their order.
    """
    middle = centroid([e.vector for e in episodes])
    order = sorted(range(len(episodes)), key=lambda i: (-float(episodes[i].vector @ middle), i))
    central = sorted(order[:TITLES])
    share = SUMMARY // len(central) - 1
    keywords = _keywords(episodes)
    named = len(episodes) > 1 and len(keywords) > 1
    return TopicText(
        title=", ".join(keywords[:TITLED]) if named else episodes[order[0]].text.title,
        summary=" ".join(_gist(episodes[i], share) for i in central),
        keywords=keywords,
        quotes=frozenset(episodes[i].id for i in central),
    )


def weigh(episodes: Sequence[EpisodeView]) -> list[Weighted]:
    """Role and weight of each episode, oldest first, in their topic.

    The weight follows the cosine to the topic's mean direction on the scale of 0.3 to 0.9. The
    first episode is initiating. A later one is concluding if it is the last and says that
    something ended, recurring if it shares two keywords with an earlier one after a week, a
    key moment if it is the most central of at least three, background if it is tangential, and
    else developing.
    """
    if not episodes:
        return []
    middle = centroid([e.vector for e in episodes])
    cosines = [float(e.vector @ middle) for e in episodes]
    weights = [next((w for floor, w in SCALE if c >= floor), TANGENTIAL) for c in cosines]
    peak = cosines.index(max(cosines)) if len(episodes) >= SEVERAL else 0
    recurring = _recurring(episodes)
    roles: list[EpisodeRole] = ["initiating"]
    for i in range(1, len(episodes)):
        if i == len(episodes) - 1 and _concludes(episodes[i]):
            roles.append("concluding")
        elif i == peak:
            roles.append("key_moment")
        elif i in recurring:
            roles.append("recurring")
        else:
            roles.append("background" if weights[i] == TANGENTIAL else "developing")
    weighed = zip(episodes, roles, weights, strict=True)
    return [Weighted(episode.id, role, weight) for episode, role, weight in weighed]


def _concludes(episode: EpisodeView) -> bool:
    said = episode.text
    return _CONCLUDING.search(f"{said.title} {said.summary}") is not None


def _recurring(episodes: Sequence[EpisodeView]) -> set[int]:
    """Places of the episodes that take up an earlier one's keywords after a silence."""
    keywords = [_folded(e.text.keywords) for e in episodes]
    return {
        i
        for i in range(1, len(episodes))
        if episodes[i].start - episodes[i - 1].end >= RETURN
        and any(len(keywords[i] & earlier) > 1 for earlier in keywords[:i])
    }


def _nearness(vector: Vector, topic: TopicView) -> float:
    nearest = float(product(topic.vectors, vector[None, :]).max())
    return (nearest + float(vector @ topic.vector)) / 2


def _shared(episode: EpisodeView, topic: TopicView) -> int:
    return len(_folded(episode.text.keywords) & _folded(topic.text.keywords))


def _shares_speaker(episode: EpisodeView, topic: TopicView) -> bool:
    theirs = {name for e in topic.episodes for name in e.participants}
    return not theirs or not episode.participants or not theirs.isdisjoint(episode.participants)


@lru_cache(maxsize=2048)
def _folded(keywords: tuple[str, ...]) -> frozenset[str]:
    """Keywords as they are compared; remembered, since a topic's episodes come back."""
    return frozenset([words.singular(words.term(word)) for word in keywords])


def _gist(episode: EpisodeView, room: int) -> str:
    """As much of an episode's summary as there is room for, else its title."""
    return words.shortened(episode.text.summary or episode.text.title, room)


def _keywords(episodes: Sequence[EpisodeView]) -> tuple[str, ...]:
    said = [" ".join(e.text.keywords) for e in episodes]
    return words.strongest(words.weights(said), said, words.KEYWORDS)
