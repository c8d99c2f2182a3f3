"""What every reader of a format yields: conversations of items, not yet checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Item:
    """One message as a source holds it.

    Attributes:
        fields: what :func:`~hypermnesia.graph.messages.message_of` takes, if the source is sound.
        where: its place as a person finds it.
    """

    fields: Any
    where: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that could not be read but is no message."""

    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """Items in the order of the talk.

    Attributes:
        names: ids and titles by which a caller may select it.
        items: consumed once.
    """

    names: frozenset[str]
    items: Iterable[Item | Notice]


def name_of(value: object) -> str | None:
    """An id or title as text, or ``None`` where the source has none."""
    match value:
        case bool():
            return None
        case str() | int():
            return str(value).strip() or None
        case _:
            return None


def session_name(title: str | None, own: str | None, number: int) -> str:
    """A session's name: titles are readable but repeat, ids are not but do not."""
    title = title and title[:200]
    if title and own:
        return f"{title} ({own})"
    return own or title or f"conversation {number}"
