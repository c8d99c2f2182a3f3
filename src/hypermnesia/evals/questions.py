"""What the data sets have in common: questions on a talk, and what is known of their answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold.

    Attributes:
        id: unique in the data set.
        kind: the class it is reported in.
        text: as it is asked.
        answer: the gold answer; empty when the data set gives none.
        gold: ids of the turns that hold the answer; empty = not scored for retrieval.
        stale: ids of turns that give a value which no longer holds.
        answerable: false = the right answer is that it is not known.
        trap: a wrong answer that the question invites.
        rubric: what a right answer says or does, point by point.
        sessions: ids of the sessions that hold the answer, where the data set names them.
        asked: when it is asked; ``None`` = now.
        note: what was done to the gold, such as the error that an audit found in it.
    """

    id: str
    kind: str
    text: str
    answer: str
    gold: tuple[str, ...]
    stale: tuple[str, ...] = ()
    answerable: bool = True
    trap: str = ""
    rubric: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    asked: datetime | None = None
    note: str = ""
