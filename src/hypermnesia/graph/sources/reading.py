"""From a file or stream to messages: which format it is, and what every format has in common."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO, TypeAlias, cast, get_args

from hypermnesia import validate
from hypermnesia.errors import InvalidInput
from hypermnesia.graph.distinct import Distinct
from hypermnesia.graph.messages import Message, Rejected, parsed, parts
from hypermnesia.graph.sources import chatgpt, claude, locomo, openai, transcript
from hypermnesia.graph.sources.conversations import Conversation, Item, Notice
from hypermnesia.graph.sources.decoding import pieces
from hypermnesia.graph.sources.documents import Broken, JsonStream, Unreadable

Format: TypeAlias = Literal["openai", "locomo", "chatgpt", "claude", "transcript"]
FORMATS: tuple[Format, ...] = get_args(Format)
"""The formats that can be read, by name."""

STDIN = "-"
"""The source that stands for standard input."""
HEAD = 1 << 18
"""Characters looked at to tell the format."""
_SHOWN = 60
_SIGNS: Mapping[str, Format] = {
    "mapping": "chatgpt",
    "current_node": "chatgpt",
    "chat_messages": "claude",
    "conversation": "locomo",
    "qa": "locomo",
    "sample_id": "locomo",
    "observation": "locomo",
    "event_summary": "locomo",
    "session_summary": "locomo",
    "messages": "openai",
    "role": "openai",
    "speaker": "openai",
    "content": "openai",
    "uuid": "claude",
}
"""Members of the first object that give a format away, the surest first."""
_JSON = re.compile(r"\{|\[\s*(?:[\[{\]]|$)")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_MENDED = (
    "characters that no store can hold (NUL, half of a surrogate pair) were replaced by U+FFFD,"
    " here and further on; the messages were kept"
)
_BROKEN_BYTES = (
    "bytes that are not in the encoding were replaced by U+FFFD, here and further on; the"
    " messages were kept"
)


def read(
    source: str | Path | BinaryIO | TextIO,
    format: str | None = None,  # noqa: A002 - what it is called wherever a user names it
    *,
    select: str | None = None,
) -> Iterator[Message | Rejected]:
    """The messages of a source, as they come; what cannot be read is told and passed over.

    Nothing that holds text is left out silently. Bytes and characters that no store can hold are
    replaced by U+FFFD and reported once. A message longer than a memory is yielded in
    :func:`~hypermnesia.graph.messages.parts`; one whose id came before in its session is told
    apart or rejected by :class:`~hypermnesia.graph.distinct.Distinct`. Of a document that breaks
    off, everything before the break is yielded, then one :class:`Rejected` names the place.

    Args:
        source: a path, ``"-"`` for standard input, or a stream, which need not seek and stays
            open. Transcripts and JSON lines are read in the memory of one message, documents in
            that of one conversation.
        format: one of :data:`FORMATS`; ``None`` tells it from the beginning.
        select: read only the conversation of this id or title.

    Raises:
        InvalidInput: as iteration begins: the source cannot be read or has no known format; as
            it ends: no conversation is named ``select``.
    """
    chosen: Format | None = None if format is None else validate.one_of(format, FORMATS, "format")
    with _opened(source) as stream:
        yield from _Reading(select).messages(stream, chosen)


def detect(head: str | bytes) -> Format:
    """The name of the format that a text begins like.

    Args:
        head: as much of the beginning as is at hand; :data:`HEAD` characters are looked at.

    Raises:
        InvalidInput: it is none; the message repeats the first 60 characters.
    """
    stream = io.BytesIO(head) if isinstance(head, bytes) else io.StringIO(head)
    text = "".join(pieces(stream, _unheeded))[:HEAD].lstrip("\ufeff \t\r\n")
    if _JSON.match(text):
        found = _json_format(text)
    else:
        found = "transcript" if transcript.is_transcript(text) else None
    if found is None:
        raise InvalidInput(
            f"this is not any known format: {text[:_SHOWN]!r}; name it with --format"
            f" ({', '.join(FORMATS)})"
        )
    return found


def _json_format(text: str) -> Format | None:
    """By the members of the first object; a document cut off before any tells is messages."""
    names = set[str]()
    try:
        stream = JsonStream(iter((text,)))
        if stream.peek() == "[":
            next(stream.items(), None)
        if stream.peek() != "{":
            return "openai"
        for name in stream.members():
            if name != "conversation" or stream.peek() == "{":
                names.add(name)
            stream.skip()
        cut_off = False
    except Broken:
        cut_off = True
    found: Format | None = next(
        (format_ for sign, format_ in _SIGNS.items() if sign in names), None
    )
    return "openai" if found is None and cut_off else found


def _unheeded(_byte: int) -> None:
    """Bytes that are not in the encoding do not tell the format."""


def _conversations(format_: Format, text: Iterator[str]) -> Iterator[Conversation]:
    match format_:
        case "openai":
            return openai.conversations(text)
        case "locomo":
            return locomo.conversations(text)
        case "chatgpt":
            return chatgpt.conversations(text)
        case "claude":
            return claude.conversations(text)
        case "transcript":
            return transcript.conversations(text)


class _Reading:
    """One pass over one source: counts items and remembers what was reported."""

    def __init__(self, select: str | None) -> None:
        self._select = select
        self._selected = select is None
        self._index = 0
        self._distinct = Distinct()
        self._broken_byte: int | None = None
        self._mended = False

    def messages(
        self, stream: BinaryIO | TextIO, format_: Format | None
    ) -> Iterator[Message | Rejected]:
        """See :func:`read`."""
        text = pieces(stream, self._heed)
        head = _head(text)
        if not any(piece.strip() for piece in head):
            yield self._rejected("line 1", "there is nothing to read")
            return
        format_ = format_ or detect("".join(head))
        try:
            for conversation in _conversations(format_, chain(("".join(head),), text)):
                yield from self._conversation(conversation)
            yield from self._bytes_notice()
        except Broken as error:
            yield from self._bytes_notice()
            yield self._rejected(error.where, f"{error}; only what comes before was read")
        if not self._selected:
            raise InvalidInput(f"no conversation is named {str(self._select)[:_SHOWN]!r}")

    def _conversation(self, conversation: Conversation) -> Iterator[Message | Rejected]:
        if self._select is not None and self._select not in conversation.names:
            return
        self._selected = True
        for item in conversation.items:
            yield from self._bytes_notice()
            if isinstance(item, Notice):
                yield self._rejected(item.where, item.message)
            else:
                yield from self._item(item)

    def _item(self, item: Item) -> Iterator[Message | Rejected]:
        try:
            message, mended = _message(item.fields)
        except InvalidInput as error:
            yield self._rejected(item.where, str(error))
            return
        own = self._distinct.admit(message)
        if own is None:
            yield self._rejected(item.where, "the same message came before; left out")
            return
        if mended and not self._mended:
            self._mended = True
            yield Rejected(self._index, item.where, _MENDED)
        self._index += 1
        yield from parts(own)

    def _heed(self, byte: int) -> None:
        self._broken_byte = byte

    def _bytes_notice(self) -> Iterator[Rejected]:
        if self._broken_byte is not None:
            yield Rejected(self._index, f"byte {self._broken_byte}", _BROKEN_BYTES)
            self._broken_byte = None

    def _rejected(self, where: str, message: str) -> Rejected:
        self._index += 1
        return Rejected(self._index - 1, where, message)


@contextmanager
def _opened(source: str | Path | BinaryIO | TextIO) -> Generator[BinaryIO | TextIO]:
    """A stream to read; what was opened here is closed.

    Raises:
        InvalidInput: it cannot be opened or read.
    """
    try:
        if source == STDIN:
            yield sys.stdin.buffer
        elif isinstance(source, str | Path):
            with _file(Path(source)) as file:
                yield file
        else:
            yield source
    except (OSError, UnicodeError) as error:
        name = source if isinstance(source, str | Path) else "the stream"
        reason = error.strerror if isinstance(error, OSError) else "it is not in its encoding"
        raise InvalidInput(f"{name} cannot be read ({reason})") from error


def _file(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except ValueError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read (not a file name)") from error


def _head(text: Iterator[str]) -> list[str]:
    head, size = list[str](), 0
    while size < HEAD and (piece := next(text, None)) is not None:
        head.append(piece)
        size += len(piece)
    return head


def _message(fields: object) -> tuple[Message, bool]:
    """The message, and whether characters had to be replaced."""
    _refuse_unreadable(fields)
    try:
        return parsed(fields), False
    except InvalidInput:
        mended = _mended(fields)
        if mended == fields:
            raise
        return parsed(mended), True


def _refuse_unreadable(fields: object) -> None:
    if isinstance(fields, Unreadable):
        raise InvalidInput(f"the message cannot be read: {fields.reason}")
    if isinstance(fields, Mapping):
        for name, value in cast("Mapping[str, object]", fields).items():
            if isinstance(value, Unreadable):
                raise InvalidInput(f"the {name} cannot be read: {value.reason}")


def _mended(value: Any) -> Any:
    """JSON with what no store can hold replaced; its depth was bounded as it was read."""
    match value:
        case str():
            return _UNSTORABLE.sub("\ufffd", value)
        case list():
            return [_mended(inner) for inner in cast("list[Any]", value)]
        case Mapping():
            return {name: _mended(inner) for name, inner in cast("dict[str, Any]", value).items()}
        case _:
            return value
