"""What a model is shown: turns, episodes and topics under short ids, as data that is no prompt.

Texts of users travel as JSON between two marks. In JSON a quote or a line break cannot end the
text, and ``<`` is written as an escape, so that no text can write the closing mark either.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hypermnesia.graph.local.said import name_of
from hypermnesia.graph.local.words import shortened
from hypermnesia.graph.model import EpisodeView, TopicView, Turn

PIECE = 8_000
"""Bytes of talk in one prompt at most: some 2,000 to 3,000 tokens in any script, since tokenizers
work on bytes. That leaves room for instructions and answer in a context of 8,192 tokens."""
FRAME = 80
"""Bytes that a turn's id, speaker and time take beside its text."""
WIDEST = 4
"""Bytes of a character at most."""
GIST = 400
"""Characters of the summary by which an episode or topic is shown."""
TITLES = 5
"""Latest episodes by whose titles a topic is shown."""

_OPEN, _CLOSE = "<data>", "</data>"
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A turn, or as much of a long one as fits.

    Attributes:
        position: of the turn in its episode.
        text: what is shown of it.
    """

    position: int
    text: str


def block(data: Mapping[str, Any]) -> str:
    """Data between marks that nothing inside can write."""
    written = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return f"{_OPEN}\n{written}\n{_CLOSE}"


def said(turn: Turn) -> str:
    """A turn's text and caption, without its speaker."""
    return turn.content.removeprefix(f"{turn.message.speaker}: ")


def pieces(turns: Sequence[Turn], limit: int = PIECE) -> list[list[Excerpt]]:
    """Turns in portions of at most ``limit`` bytes of UTF-8, frames included.

    They are filled from the first turn on, so that those of an episode that grows stay the same.
    """
    portions: list[list[Excerpt]] = []
    room = 0
    for excerpt in _excerpts(turns, limit):
        length = FRAME + len(excerpt.text.encode("utf-8", "replace"))
        if length > room:
            portions.append([])
            room = limit
        portions[-1].append(excerpt)
        room -= length
    return portions


def _excerpts(turns: Sequence[Turn], limit: int) -> Iterator[Excerpt]:
    longest = limit - FRAME
    for position, turn in enumerate(turns):
        text = said(turn)
        step = longest if text.isascii() else max(longest // WIDEST, 1)
        for start in range(0, max(len(text), 1), step):
            yield Excerpt(position, text[start : start + step])


def shown_turn(turn: Turn, text: str) -> dict[str, str]:
    """A turn with its speaker and time; the time is left out where it was only assumed."""
    time = {} if turn.message.at is None else {"time": moment(turn.at)}
    return {"speaker": name_of(turn), **time, "text": text}


def shown_episode(episode: EpisodeView) -> dict[str, Any]:
    """An episode by what it says of itself."""
    return {
        "title": episode.text.title,
        "summary": shortened(episode.text.summary, GIST),
        "keywords": list(episode.text.keywords),
        "participants": list(episode.participants),
        "from": moment(episode.start),
        "to": moment(episode.end),
    }


def shown_topic(topic: TopicView) -> dict[str, Any]:
    """A topic by what it says of itself, and by the titles of its latest episodes."""
    return {
        "title": topic.text.title,
        "summary": shortened(topic.text.summary, GIST),
        "keywords": list(topic.text.keywords),
        "episodes": [episode.text.title for episode in topic.episodes[-TITLES:]],
    }


def numbered(letter: str, shown: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Items under the ids ``letter`` 1, 2, ..."""
    return [{"id": f"{letter}{i}", **item} for i, item in enumerate(shown, 1)]


def moment(at: datetime) -> str:
    """A time as a person writes it, in the zone in which it was said."""
    return f"{_DAYS[at.weekday()]} {at:%Y-%m-%d %H:%M}"
