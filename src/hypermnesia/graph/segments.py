"""Streams of turns cut into episodes, each continuing where its session stopped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from hypermnesia.engine import Embedded, Engine
from hypermnesia.graph.constructor import Constructor
from hypermnesia.graph.limits import must_split
from hypermnesia.graph.model import Boundary, Turn
from hypermnesia.graph.stored import talk_of
from hypermnesia.identity import new_id

CONTEXT = 2
"""Turns before the new ones that fact extraction sees, to know what an answer answers."""
PATIENCE = 2
"""Turns that may wait for the next one to tell where they belong."""


@dataclass(slots=True)
class Segment:
    """An episode under construction.

    Attributes:
        id: memory id of the episode.
        turns: all its turns, in order.
        stored: how many of them the store has already.
        closed: a later turn of the session began another episode.
        told: vectors of its turns and of what they state, by their words.
        changed_at: of its row when it was read or written last; ``None`` while there is none.
    """

    id: str
    turns: list[Turn]
    stored: int
    closed: bool = False
    told: dict[str, Embedded] = field(default_factory=dict[str, Embedded])
    changed_at: datetime | None = None

    @property
    def is_new(self) -> bool:
        """Whether the store does not know the episode yet."""
        return not self.stored

    @property
    def fresh(self) -> list[Turn]:
        """Turns that are to be stored."""
        return self.turns[self.stored :]


@dataclass(slots=True)
class Session:
    """The end of a session's talk.

    Attributes:
        open: the episode that further turns may continue.
        next_position: of its next turn.
        waiting: turns of which the next one must tell whether they begin an episode.
    """

    open: Segment | None
    next_position: int
    waiting: list[Turn] = field(default_factory=list[Turn])


@dataclass(slots=True)
class Segmenter:
    """Cuts the turns of any number of sessions into episodes.

    Args:
        engine: whose store knows how the sessions ended.
        constructor: decides where an episode ends.
        scope: of the turns.
    """

    engine: Engine
    constructor: Constructor
    scope: str
    _sessions: dict[str, Session] = field(default_factory=dict[str, Session])

    def next_position(self, session: str) -> int:
        """Position of the session's next turn."""
        return self._session(session).next_position

    def extend(self, turns: Iterable[Turn]) -> list[Segment]:
        """The episodes that these turns belong to, in order; an open one may be continued later."""
        touched: dict[str, Segment] = {}
        for turn in turns:
            session = self._session(turn.session)
            session.next_position = turn.position + 1
            session.waiting.append(turn)
            verdict = self._verdict(session)
            if verdict.waits:
                continue
            if verdict.ends:
                _close(session, touched)
            _continue(session, touched)
        for session in self._sessions.values():
            if session.waiting:  # nothing more is at hand to tell
                _continue(session, touched)
        return list(touched.values())

    def keep(self, segments: Iterable[Segment]) -> None:
        """Note that these were stored, and let go of what no later turn can reach."""
        for segment in segments:
            segment.stored = len(segment.turns)

    def forget_sessions(self, but: set[str]) -> None:
        """Let go of sessions that did not speak lately; they are read back when they do."""
        self._sessions = {name: s for name, s in self._sessions.items() if name in but}

    def start_over(self) -> None:
        """Let go of all sessions: somebody else changed what was read of them."""
        self._sessions = {}

    def _verdict(self, session: Session) -> Boundary:
        """Whether the first of the waiting turns begins an episode, seen from the last of them."""
        if session.open is None:
            return Boundary(ends=False, waits=False, confidence=1.0)
        incoming = session.waiting[-1]
        turns = session.open.turns
        if must_split([*turns, *session.waiting[:-1]], incoming):
            return Boundary(ends=True, waits=False, confidence=1.0)
        verdict = self.constructor.boundary(turns, incoming)
        long = len(session.waiting) > PATIENCE
        return replace(verdict, waits=False) if long else verdict

    def _session(self, name: str) -> Session:
        if name not in self._sessions:
            self._sessions[name] = self._read_back(name)
        return self._sessions[name]

    def _read_back(self, name: str) -> Session:
        """Where the store says that the session stopped."""
        store = self.engine.store
        last = store.tail(self.scope, name, 1)
        if not last:
            return Session(None, 0)
        position = last[0].place.position + 1
        heads = [m.head for m in store.heads(self.scope, [last[0].node.id])]
        # Before its talk is read, so that a change between the two does not go unnoticed.
        episodes = [e for e in store.get(heads[:1], self.scope) if e.status != "deleted"]
        if not episodes:
            return Session(None, position)
        (episode,) = episodes
        turns, told = talk_of(self.engine, self.scope, episode.id)
        open_one = Segment(episode.id, turns, len(turns), told=told, changed_at=episode.updated_at)
        return Session(open_one, position)


def _close(session: Session, touched: dict[str, Segment]) -> None:
    if session.open is not None:
        session.open.closed = True
        touched[session.open.id] = session.open
        session.open = None


def _continue(session: Session, touched: dict[str, Segment]) -> None:
    """Let the waiting turns join the open episode, or begin one."""
    if session.open is None:
        session.open = Segment(new_id(), [], 0)
    session.open.turns += session.waiting
    session.waiting = []
    touched[session.open.id] = session.open
