"""Messages as chat APIs take them: a JSON list, JSON lines, or conversations that hold messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, cast

from hypermnesia.graph.sources.conversations import Conversation, Item, Notice, name_of
from hypermnesia.graph.sources.decoding import Line, lines
from hypermnesia.graph.sources.documents import Broken, JsonStream
from hypermnesia.graph.sources.records import Record, objects

_TIMES = ("timestamp", "created_at", "create_time", "created")
_IDS = ("id", "session", "conversation_id", "title")
_CALLS = ("tool_calls", "function_call")
_NOTHING_TO_READ = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})
_OPENED = {"messages": 1}


def conversations(text: Iterator[str]) -> Iterator[Conversation]:
    """Messages, conversations ``{"messages": [...], "id"?}`` and lists of messages, in any mixture.

    Conversations without an id are told apart by their number: the first has no session, then
    come "conversation 2" and so on. A message is passed over when all it holds is a call of a
    tool, a tool's result, or thinking.

    Args:
        text: a document, or one value a line; of lines, a bad one fails alone.

    Raises:
        Broken: after what came before the break of a document.
    """
    head = next(text, "")
    whole = chain((head,), text)
    if _is_by_line(head):
        yield from _by_line(lines(whole))
    else:
        for number, record in enumerate(objects(JsonStream(whole), _OPENED), start=1):
            yield _conversation(record, number, None)


def _is_by_line(head: str) -> bool:
    """Whether the first line is a whole object, or is broken off and the second is one."""
    first, *others = head.lstrip().split("\n")[:2]
    if _is_object(first):
        return True
    goes_on = not first.startswith("{") or first.rstrip()[-1:] in "[{,:"
    return not goes_on and any(map(_is_object, others))


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _by_line(source: Iterator[Line]) -> Iterator[Conversation]:
    number = 0
    for line in source:
        where = f"line {line.number}"
        if not line.whole:
            yield _alone(Notice(where, f"the line has more than {len(line.text):,} characters"))
        elif line.text.strip():
            try:
                # In brackets, so that a list is one conversation as well.
                for record in objects(JsonStream(iter(("[", line.text, "]"))), _OPENED):
                    number += 1
                    yield _conversation(record, number, where)
            except Broken as error:
                yield _alone(Notice(where, f"the line is not JSON: {error}"))


def _conversation(record: Record, number: int, line: str | None) -> Conversation:
    match record.value:
        case {"messages": list() as messages, **others}:
            ids = [name for key in _IDS if (name := name_of(others.get(key)))]
            session = ids[0] if ids else None
        case list() as messages:
            ids, session = [], None
        case value:
            return _alone(*_items(value, None, line or f"message {number}"))
    if session is None and number > 1:
        session = f"conversation {number}"
    place = line or f"conversation {number}"
    found = cast("list[Any]", messages)
    items = (
        item
        for position, message in enumerate(found, start=1)
        for item in _items(message, session, f"{place}, message {position}")
    )
    return Conversation(frozenset(ids), items)


def _alone(*items: Item | Notice) -> Conversation:
    return Conversation(frozenset(), items)


def _items(message: object, session: str | None, where: str) -> Iterator[Item]:
    """The item of a message, or none if it holds nothing to read."""
    if not isinstance(message, Mapping):
        yield Item(message, where)
        return
    fields = cast("Mapping[str, Any]", message)
    if not _holds_nothing_to_read(fields):
        yield Item(_fields(fields, session), where)


def _fields(message: Mapping[str, Any], session: str | None) -> dict[str, Any]:
    own = message.get("session")
    return {
        "role": message.get("role"),
        "speaker": _first(message, "speaker", "name"),
        "content": _first(message, "content", "text"),
        "timestamp": _first(message, *_TIMES),
        "id": message.get("id"),
        "session": session if own is None else own,
        "caption": message.get("caption"),
    }


def _first(message: Mapping[str, Any], *names: str) -> Any:
    return next((message[name] for name in names if message.get(name) is not None), None)


def _holds_nothing_to_read(message: Mapping[str, Any]) -> bool:
    match message.get("content"):
        case None | "" | []:
            return any(message.get(call) for call in _CALLS)
        case list() as parts:
            return all(
                isinstance(part, Mapping) and _kind(part) in _NOTHING_TO_READ
                for part in cast("list[Any]", parts)
            )
        case _:
            return False


def _kind(part: Mapping[str, Any]) -> str:
    kind = part.get("type")
    return kind if isinstance(kind, str) else ""
