"""Messages on their way in: identified, dated, guarded, in the form in which they are stored."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from hypermnesia.errors import Refused
from hypermnesia.graph.messages import Message, Rejected, parts
from hypermnesia.privacy import StoredSecrets, examine, guard, redact, screen
from hypermnesia.store.text import turn_hash
from hypermnesia.validate import MAX_CONTENT

SESSION = "conversation"
"""Session of messages that name none."""
ROOM = 2_000
"""Characters kept free for the speaker and the caption beside a message's text."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message ready to become a turn.

    Attributes:
        message: with its ``id`` and ``session`` filled in.
        at: when it was said, or the best that is known of it.
        content: ``Speaker: text [shares caption]``.
        hash: identity of the turn within the scope.
        masked: the same once a scan of the store masked its secrets, or personal data as well.
    """

    message: Message
    session: str
    turn: str
    at: datetime
    content: str
    hash: bytes
    masked: frozenset[bytes]


@dataclass(frozen=True, slots=True)
class Refusal(Rejected):
    """A message that holds prohibited material; its text went nowhere."""


@dataclass(slots=True)
class Reception:
    """Gives every message of one ingest an identity, a time and a session.

    Args:
        scope: where the turns will be kept.
        session: session of messages that name none.
        clock: time of messages that have none and follow none that has.
        secrets: what becomes of secrets in what was said.
    """

    scope: str
    session: str
    clock: datetime
    secrets: StoredSecrets = "redact"
    _latest: dict[str, datetime] = field(default_factory=dict[str, datetime])
    _cleared: set[str] = field(default_factory=set[str])
    _seen: Counter[bytes] = field(default_factory=Counter[bytes])

    def arrivals(self, messages: Iterable[Message | Rejected]) -> Iterator[Arrival | Rejected]:
        """Every message as one arrival or, when it is very long, as several."""
        for index, message in enumerate(messages):
            if isinstance(message, Rejected):
                yield message
                continue
            session = message.session or self.session
            at = message.at or self._latest.get(session, self.clock)
            self._latest[session] = at
            for part in parts(message, MAX_CONTENT - ROOM):
                try:
                    yield self._arrival(part, session, at)
                except Refused as error:
                    yield Refusal(index, _where(part, index, session), str(error))

    def _arrival(self, message: Message, session: str, at: datetime) -> Arrival:
        self._guard(message, session)
        message = self._screened(message)
        content = said(message)
        turn = message.id or self._derived_id(message, session)
        return Arrival(
            message=replace(message, id=turn, session=session),
            session=session,
            turn=turn,
            at=at if at.tzinfo else at.replace(tzinfo=UTC),
            content=content,
            hash=turn_hash(self.scope, session, turn, content),
            masked=frozenset(
                turn_hash(self.scope, session, turn, text) for text in _masked(content)
            ),
        )

    def _guard(self, message: Message, session: str) -> None:
        """Refuse secrets in the labels, too: they are stored, exported and shown as they are."""
        guard(said(message))
        if message.id is not None:
            guard(message.id)
        if session not in self._cleared:
            guard(session)
            self._cleared.add(session)

    def _screened(self, message: Message) -> Message:
        """A message as it may be stored: what it says is masked before anything is made of it."""
        text = screen(message.content, secrets=self.secrets).content
        caption = message.caption and screen(message.caption, secrets=self.secrets).content
        return replace(message, content=text, caption=caption)

    def _derived_id(self, message: Message, session: str) -> str:
        """An id made of the message itself, so that the same file gives the same ids again.

        Equal messages of a session are told apart by how often they occurred before.
        """
        when = "" if message.at is None else message.at.isoformat()
        told = "\n".join((session, message.speaker, when, message.content, message.caption or ""))
        digest = hashlib.sha256(told.encode()).digest()
        self._seen[digest] += 1
        return f"{digest.hex()[:16]}-{self._seen[digest]}"


def said(message: Message) -> str:
    """A message as a turn's content: ``Speaker: text [shares caption]``."""
    caption = f"[shares {message.caption[: ROOM // 2]}]" if message.caption else ""
    return f"{message.speaker}: {' '.join(filter(None, (message.content, caption)))}"


def _masked(content: str) -> list[str]:
    """What a scan of the store may have made of a turn, with and without its personal data."""
    bare = examine([content], personal=True).value[0]
    if bare == content:  # as of nearly all: then there are no secrets to mask, either
        return []
    return [text for text in (examine([content]).value[0], bare) if text != content]


def _where(message: Message, index: int, session: str) -> str:
    """A message's place as a person finds it: by its id, else by its 1-based number."""
    own = f"message {index + 1}" if message.id is None else f"message {message.id!r}"
    return redact(f"{own} of session {session!r}").text
