"""What construction makes of messages, before it is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from hypermnesia.graph.messages import Message
from hypermnesia.language.dates import Mention
from hypermnesia.store.incidence import EpisodeRole, FactRole
from hypermnesia.types import Matrix, Vector


@dataclass(frozen=True, slots=True)
class Turn:
    """A message with everything that construction reads of it.

    Attributes:
        id: the turn's memory id.
        message: as it came in; ``message.id`` is the external turn id.
        at: when it was said; the neighbours' time, or the ingest's, when the message has none.
        content: ``Speaker: text [shares caption]``, what is stored and indexed.
        session: conversation or sitting.
        position: 0-based within the session.
        mentions: date phrases of the text, resolved against ``at``.
        vector: mean direction of its embedding, shape ``(d,)``.
    """

    id: str
    message: Message
    at: datetime
    content: str
    session: str
    position: int
    mentions: tuple[Mention, ...]
    vector: Vector


@dataclass(frozen=True, slots=True)
class Boundary:
    """Whether an episode ends before an incoming turn.

    Attributes:
        ends: the incoming turn begins a new episode.
        waits: too little is known to tell; ask again with the next turn.
        confidence: in [0, 1].
    """

    ends: bool
    waits: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class EpisodeText:
    """What an episode says of itself: title, summary and narrative of its turns.

    Attributes:
        quotes: the statements or turns whose words title and summary are, as a whole; none when
            they are in words of their own.
    """

    title: str
    summary: str
    narrative: str
    keywords: tuple[str, ...]
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactText:
    """One statement that stands on its own.

    Attributes:
        content: speaker named, first person resolved, dates kept beside their phrases.
        turns: positions, within the episode's turns, of those that say it, first the main one.
        span: character offsets of the statement in the main turn's ``content``, when it is a
            part of it word for word but for what was resolved; its vectors can then be taken
            from the turn's own.
        mentions: its date phrases, resolved.
        where: place named, if any.
        keywords: telling words.
        queries: questions that it answers.
        confidence: in [0, 1].
        role: part it plays in its episode.
        weight: weight of that membership, in [0, 1].
    """

    content: str
    turns: tuple[int, ...]
    span: tuple[int, int] | None
    mentions: tuple[Mention, ...]
    where: str | None
    keywords: tuple[str, ...]
    queries: tuple[str, ...]
    confidence: float
    role: FactRole
    weight: float


@dataclass(frozen=True, slots=True)
class EpisodeView:
    """A stored episode as topic aggregation sees it.

    Attributes:
        id: its memory id.
        text: what it says of itself.
        participants: speakers.
        start: time of its first turn.
        end: time of its last turn.
        vector: mean direction of its embedding, shape ``(d,)``.
        tokens: its compressed token vectors.
        similarity: cosine to the episode that is being placed, 1 for that one itself.
    """

    id: str
    text: EpisodeText
    participants: tuple[str, ...]
    start: datetime
    end: datetime
    vector: Vector
    tokens: bytes = b""
    similarity: float = 1.0


@dataclass(frozen=True, slots=True)
class TopicText:
    """What a topic says of itself.

    Attributes:
        quotes: ids of the episodes whose words the summary is; none when it is in its own.
    """

    title: str
    summary: str
    keywords: tuple[str, ...]
    quotes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TopicView:
    """A stored topic with the episodes that it heads.

    Attributes:
        tell: makes its text; most topics are matched without it.
        episodes: one or more.
        vectors: theirs, shape ``(n, d)``.
        vector: their mean direction, shape ``(d,)``.
    """

    id: str
    tell: Callable[[], TopicText]
    episodes: tuple[EpisodeView, ...]
    vectors: Matrix
    vector: Vector

    @property
    def text(self) -> TopicText:
        """Title, summary and keywords."""
        return self.tell()


@dataclass(frozen=True, slots=True)
class Weighted:
    """Role and weight in [0, 1] of an episode in a topic."""

    episode: str
    role: EpisodeRole
    weight: float
