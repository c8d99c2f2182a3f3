"""A turn as fact extraction sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypermnesia.graph.messages import Message
from hypermnesia.graph.model import Turn
from hypermnesia.language.dates import Mention


class Said(NamedTuple):
    """What was said: a turn without its vector and place, so that equal talk is equal.

    Attributes:
        message: as it came in.
        content: ``Speaker: text [shares caption]``.
        mentions: its dates, with their places in the content.
        session: conversation or sitting.
    """

    message: Message
    content: str
    mentions: tuple[Mention, ...]
    session: str


def said_in(turns: Sequence[Turn]) -> tuple[Said, ...]:
    """What was said in some turns."""
    return tuple(Said(t.message, t.content, t.mentions, t.session) for t in turns)


def text_span(turn: Turn | Said) -> tuple[int, int]:
    """Where the message's text lies in the turn's content; empty at its end if it does not."""
    text = turn.message.content
    start = turn.content.find(text, len(turn.message.speaker)) if text else -1
    return (start, start + len(text)) if start >= 0 else (len(turn.content), len(turn.content))


def name_of(turn: Turn | Said) -> str:
    """How facts call a turn's speaker: the name, or the role as a name ("User")."""
    speaker = turn.message.speaker
    return speaker.capitalize() if speaker == turn.message.role else speaker
