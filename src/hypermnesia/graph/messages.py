"""What an ingest takes: messages, as callers pass them and as files hold them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias, cast, get_args

from hypermnesia import validate
from hypermnesia.errors import InvalidInput
from hypermnesia.graph.timestamps import instant
from hypermnesia.plain import plain_text

Role: TypeAlias = Literal["user", "assistant", "system", "tool"]
ROLES: tuple[Role, ...] = get_args(Role)

MAX_MESSAGE = 4_000_000
"""Characters of one message; :func:`parts` cuts what a memory cannot hold as a whole."""

_SAME_ROLE: Mapping[str, Role] = {"developer": "system", "function": "tool", "human": "user"}
"""Other names of the four roles, in the chat APIs' newer and older wordings."""
_TEXT_PARTS = ("text", "input_text", "output_text")
_BREAKS = tuple(
    re.compile(form)
    for form in (r"\n\s*\n", r"\n", r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])", r"\s+")
)
"""Where a long message is cut, best first: paragraph, line, sentence, word."""


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance of a conversation.

    Attributes:
        speaker: who says it: a name, or the role where no name is known.
        content: the text, trimmed; empty only beside a caption.
        role: the speaker's part in a chat with an assistant; ``None`` among people.
        at: when it was said, aware, with the offset as given; ``None`` when unknown.
        id: the message's id where it comes from.
        session: which conversation or sitting it belongs to.
        caption: what a picture sent along shows.
    """

    speaker: str
    content: str
    role: Role | None = None
    at: datetime | None = None
    id: str | None = None
    session: str | None = None
    caption: str | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """Something in a source that was not read as it stands; the rest goes on.

    Attributes:
        index: 0-based place among the items of the source.
        where: the place as a person finds it: "line 12", "session_3, turn D3:4".
        message: what is wrong, and what was or can be done.
    """

    index: int
    where: str
    message: str


def message_of(item: Mapping[str, Any] | Message, index: int) -> Message:
    """A message from what a caller passed.

    Args:
        item: ``content`` and ``role`` or ``speaker``; optionally ``timestamp`` (ISO 8601, Unix
            seconds or milliseconds, a datetime), ``id``, ``session`` and ``caption``. The content
            may be a list of parts as in chat APIs: texts are joined, an image's ``alt`` is a
            caption, other parts are passed over. An unknown role is the speaker's name.
        index: 0-based place in the list, for the error.

    Raises:
        InvalidInput: a field is missing, of the wrong type or not storable; it is named.
    """
    try:
        return parsed(item)
    except InvalidInput as error:
        raise InvalidInput(f"message {index}: {error}") from None


def parsed(item: object) -> Message:
    """The same as :func:`message_of`, with errors that do not tell the place.

    Raises:
        InvalidInput: see :func:`message_of`.
    """
    if isinstance(item, Message):
        return parsed(_fields(item))
    if not isinstance(item, Mapping):
        raise InvalidInput(f"a message must be an object, not {type(item).__name__}")
    fields = cast("Mapping[str, Any]", item)
    speaker, role = _speaker(fields)
    content, shown = _content(fields.get("content"))
    caption = _text(fields.get("caption"), "caption") or shown
    if not content and not caption:
        raise InvalidInput("the content is empty; a message needs a text or a caption")
    return Message(
        speaker=speaker,
        content=content,
        role=role,
        at=instant(fields.get("timestamp")),
        id=_label(fields.get("id"), "id"),
        session=_label(fields.get("session"), "session"),
        caption=caption or None,
    )


def parts(message: Message, limit: int = validate.MAX_CONTENT) -> Iterator[Message]:
    """The message itself, or pieces of at most ``limit`` characters that tell the same.

    Pieces end where a paragraph, a line, a sentence or a word does, in this order, as long as
    that leaves at least half of what would fit. The first keeps id and caption; the ids of the
    others end in ``#2``, ``#3`` and so on.
    """
    rest, number = message.content, 1
    while len(rest) > limit:
        end = _cut(rest, limit)
        yield _part(message, rest[:end].rstrip(), number)
        rest, number = rest[end:].lstrip(), number + 1
    if rest or number == 1:
        yield _part(message, rest, number)


def _part(message: Message, content: str, number: int) -> Message:
    if number == 1:
        return message if content == message.content else replace(message, content=content)
    own = None if message.id is None else f"{message.id}#{number}"
    return replace(message, content=content, id=own, caption=None)


def _cut(text: str, limit: int) -> int:
    for form in _BREAKS:
        ends = [match.end() for match in form.finditer(text, limit // 2, limit)]
        if ends:
            return ends[-1]
    return limit


def _fields(message: Message) -> dict[str, Any]:
    return {
        "speaker": message.speaker,
        "role": message.role,
        "content": message.content,
        "timestamp": message.at,
        "id": message.id,
        "session": message.session,
        "caption": message.caption,
    }


def _speaker(fields: Mapping[str, Any]) -> tuple[str, Role | None]:
    name = _label(fields.get("speaker"), "speaker")
    given = _label(fields.get("role"), "role")
    role = _role(given or name or "")
    speaker = name or role or given
    if speaker is None:
        raise InvalidInput("neither 'role' nor 'speaker' says who speaks; pass one of them")
    return speaker, role


def _role(text: str) -> Role | None:
    text = text.lower()
    found: Role | None = next((role for role in ROLES if role == text), None)
    return found or _SAME_ROLE.get(text)


def _content(value: object) -> tuple[str, str]:
    """The text of a message, and what its pictures show."""
    if not isinstance(value, list | tuple):
        return _text(value, "content"), ""
    texts, captions = list[str](), list[str]()
    for part in cast("list[object]", value):
        match part:
            case str():
                texts.append(_text(part, "content"))
            case {"type": kind, "text": text} if kind in _TEXT_PARTS:
                texts.append(_text(text, "content"))
            case {"alt": alt} | {"image_url": {"alt": alt}}:
                captions.append(_text(alt, "caption"))
            case _:
                pass  # sounds, files, calls of tools: nothing to read
    return _bounded("\n".join(filter(None, texts))), _bounded("\n".join(filter(None, captions)))


def _text(value: object, what: str) -> str:
    return "" if value is None else _bounded(plain_text(value, what).strip(), what)


def _bounded(text: str, what: str = "content") -> str:
    if len(text) > MAX_MESSAGE:
        raise InvalidInput(
            f"the {what} has {len(text):,} characters, at most {MAX_MESSAGE:,} are read; split it"
        )
    return text


def _label(value: object, what: str) -> str | None:
    """A short text; chats number their messages, so a whole number is one too."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        value = str(value)
    if value is None:
        return None
    return validate.label(plain_text(value, what).strip(), what)
