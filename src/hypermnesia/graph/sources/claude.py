"""The ``conversations.json`` of a Claude data export: conversations with ``chat_messages``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from hypermnesia.graph.sources.conversations import (
    Conversation,
    Item,
    Notice,
    name_of,
    session_name,
)
from hypermnesia.graph.sources.documents import JsonStream
from hypermnesia.graph.sources.records import objects

_OPENED = {"chat_messages": 1}
_WANTED = frozenset({"uuid", "name"})


def conversations(text: Iterator[str]) -> Iterator[Conversation]:
    """One conversation an element; the session is "name (uuid)".

    Messages without a text (mere attachments, calls of tools) are passed over.

    Raises:
        Broken: after what came before the break.
    """
    for number, record in enumerate(objects(JsonStream(text), _OPENED, _WANTED), start=1):
        yield _conversation(record.value, number)


def _conversation(value: object, number: int) -> Conversation:
    where = f"conversation {number}"
    match value:
        case {"chat_messages": list() as messages, **others}:
            name, own = name_of(others.get("name")), name_of(others.get("uuid"))
            session = session_name(name, own, number)
            items = _items(cast("list[object]", messages), session, where)
            return Conversation(frozenset(filter(None, (name, own))), items)
        case _:
            notice = Notice(where, "it holds no list 'chat_messages'; left out")
            return Conversation(frozenset(), (notice,))


def _items(messages: list[object], session: str, where: str) -> Iterator[Item]:
    for position, message in enumerate(messages, start=1):
        place = f"{where}, message {position}"
        if not isinstance(message, Mapping):
            yield Item(message, place)
            continue
        fields = cast("Mapping[str, Any]", message)
        content = _content(fields)
        if content != "":
            yield Item(
                {
                    "role": fields.get("sender"),
                    "content": content,
                    "timestamp": fields.get("created_at"),
                    "id": fields.get("uuid"),
                    "session": session,
                },
                place,
            )


def _content(message: Mapping[str, Any]) -> object:
    """The texts among the content's parts; older exports have the text alone."""
    found = message.get("content")
    parts = cast("list[Any]", found) if isinstance(found, list) else []
    texts = [
        text
        for part in parts
        if isinstance(part, Mapping) and (text := _text(cast("Mapping[str, Any]", part)))
    ]
    if texts:
        return "\n".join(texts)
    text = message.get("text", "")
    return text.strip() if isinstance(text, str) else text


def _text(part: Mapping[str, Any]) -> str:
    text = part.get("text") if part.get("type") == "text" else None
    return text.strip() if isinstance(text, str) else ""
