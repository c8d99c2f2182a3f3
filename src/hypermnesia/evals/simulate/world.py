"""What a simulation is made of: memories with their truth, and questions with all their golds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

Class: TypeAlias = Literal["lexical", "semantic", "temporal", "pinpoint"]
Shape: TypeAlias = Literal["mention", "meaning", "fact", "now", "as_of", "before"]
"""How a question is asked: what mentions an identifier; what a thing is in other words; one fact
of many alike; what holds now, held on a day, or held before the value that it names."""
CLASSES: tuple[Class, ...] = ("lexical", "semantic", "temporal", "pinpoint")


@dataclass(frozen=True, slots=True)
class Row:
    """One memory as the agent stores it, with what the generator knows of it.

    Attributes:
        id: unique in the world, in the order of ``at``.
        text: what is stored.
        at: event time; no two rows share one.
        kind: sort of memory, such as ``decision``; ``subject`` and ``chatter`` among them.
        about: the one thing that it states a value of; empty for chatter.
        value: that value, or a number that tells it from others.
        was: the value before, if the text names it.
        until: when a newer value of the same thing took over; ``None`` = it still holds.
        names: identifiers in the text, whole.
        session: 0-based.
    """

    id: str
    text: str
    at: datetime
    kind: str
    about: str = ""
    value: str = ""
    was: str = ""
    until: datetime | None = None
    names: tuple[str, ...] = ()
    session: int = 0


@dataclass(frozen=True, slots=True)
class Query:
    """A question with the ids of every row that answers it.

    Attributes:
        id: unique in the world.
        text: what is searched for.
        kind: the class it is reported in.
        shape: how it is asked.
        about: the thing it asks for; for a ``mention`` the identifier.
        value: of ``before``, the value that is looked for.
        golds: what counts as found: every row that answers, but in the published workload.
        stale: rows that give another value of the same thing than what is asked for.
        as_of: the day that is asked for.
    """

    id: str
    text: str
    kind: Class
    shape: Shape
    about: str
    golds: tuple[str, ...]
    value: str = ""
    stale: tuple[str, ...] = ()
    as_of: datetime | None = None

    @property
    def filters(self) -> dict[str, object]:
        """Arguments of a search: the day, or superseded versions where history is asked for."""
        if self.shape == "before":
            return {"status": ("active", "superseded")}
        return {} if self.as_of is None else {"as_of": self.as_of}


@dataclass(frozen=True, slots=True)
class World:
    """Everything of one seed.

    Attributes:
        rows: in order of time.
        repeats: texts that are stored a second time, by the id of the row that has them.
        queries: in order of class.
    """

    seed: int
    rows: tuple[Row, ...]
    repeats: Mapping[str, datetime]
    queries: tuple[Query, ...]


def answers(row: Row, query: Query) -> bool:
    """Whether a row answers a question, by what the generator knows of both."""
    match query.shape:
        case "mention":
            return query.about in row.names
        case "meaning" | "fact":
            return row.about == query.about
        case "now":
            return row.about == query.about and row.until is None
        case "as_of":
            day = query.as_of
            current = day is not None and row.at <= day and (row.until is None or day < row.until)
            return row.about == query.about and current
        case "before":
            return row.about == query.about and query.value in {row.value, row.was}


def answering(rows: Iterable[Row], query: Query) -> tuple[str, ...]:
    """Ids of every row that answers, by looking at all of them."""
    return tuple(row.id for row in rows if answers(row, query))
