"""The ``conversations.json`` of a ChatGPT data export: every conversation a tree of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, cast

from hypermnesia.graph.sources.conversations import (
    Conversation,
    Item,
    Notice,
    name_of,
    session_name,
)
from hypermnesia.graph.sources.documents import JsonStream
from hypermnesia.graph.sources.records import Record, objects

_OPENED = {"mapping": 1}
_WANTED = frozenset({"title", "current_node", "conversation_id", "id"})
_TEXTS = frozenset({"text", "multimodal_text"})
"""Contents that were said; the others are code run, pages fetched, thoughts and settings."""

_Mapping: TypeAlias = Mapping[str, Any]


def conversations(text: Iterator[str]) -> Iterator[Conversation]:
    """One conversation an element: the branch that was shown last, from its root down.

    The session is "title (id)". Hidden messages, and contents other than text, are passed over.
    Of a conversation cut off by the end of the file, the part before its first fork is read.

    Raises:
        Broken: after what came before the break.
    """
    for number, record in enumerate(objects(JsonStream(text), _OPENED, _WANTED), start=1):
        yield _conversation(record, number)


def _conversation(record: Record, number: int) -> Conversation:
    match record.value:
        case {"mapping": dict() as nodes, **others}:
            title = name_of(others.get("title"))
            own = name_of(others.get("conversation_id")) or name_of(others.get("id"))
            names = [name for name in (own, title) if name]
            tree = cast("dict[str, Any]", nodes)
            branch = (
                _shown(tree, others.get("current_node"))
                if record.complete
                else list(_down(tree, forks=False))
            )
            where = f"conversation {number}"
            if tree and not branch:
                lost = Notice(where, "no node of its 'mapping' is the first; left out")
                return Conversation(frozenset(names), (lost,))
            items = _items(branch, session_name(title, own, number), where)
            return Conversation(frozenset(names), items)
        case _:
            notice = Notice(f"conversation {number}", "it holds no object 'mapping'; left out")
            return Conversation(frozenset(), (notice,))


def _shown(nodes: _Mapping, current: object) -> list[tuple[str, object]]:
    """From the root to the current node; without one, to the last child of each node."""
    if not isinstance(current, str) or current not in nodes:
        return list(_down(nodes, forks=True))
    path = dict[str, object]()
    while isinstance(current, str) and current in nodes and current not in path:
        path[current] = nodes[current]
        current = _object(nodes[current]).get("parent")
    return list(reversed(path.items()))


def _down(nodes: _Mapping, *, forks: bool) -> Iterator[tuple[str, object]]:
    """From the root to the last child of each node, or to the first node with several."""
    names: list[Any] = [name for name, node in nodes.items() if not _object(node).get("parent")][:1]
    seen = set[str]()
    while names and (forks or len(names) == 1):
        name = names[-1]
        if not isinstance(name, str) or name not in nodes or name in seen:
            return
        seen.add(name)
        yield name, nodes[name]
        names = _list(_object(nodes[name]).get("children"))


def _items(branch: list[tuple[str, object]], session: str, where: str) -> Iterator[Item]:
    for name, node in branch:
        place = f"{where}, message {name[:80]}"
        if not isinstance(node, Mapping):
            yield Item(node, place)
            continue
        message = _object(cast("_Mapping", node).get("message"))
        fields = _fields(message, name, session)
        if fields["content"]:
            yield Item(fields, place)


def _fields(message: _Mapping, node: str, session: str) -> dict[str, Any]:
    author = _object(message.get("author"))
    return {
        "role": author.get("role"),
        "content": None if _is_hidden(message) else _content(_object(message.get("content"))),
        "timestamp": message.get("create_time"),
        "id": message.get("id") or node,
        "session": session,
    }


def _is_hidden(message: _Mapping) -> bool:
    return bool(_object(message.get("metadata")).get("is_visually_hidden_from_conversation"))


def _content(content: _Mapping) -> list[Any]:
    """Texts and descriptions of pictures, as parts that hold something."""
    found = content.get("parts") if content.get("content_type") in _TEXTS else None
    return [part for one in _list(found) if (part := _part(one))]


def _part(part: object) -> object:
    match part:
        case str():
            return part.strip()
        case {"content_type": "audio_transcription", "text": str() as text}:
            return text.strip()
        case {"metadata": {"dalle": {"prompt": str() as prompt}}}:
            return {"alt": prompt} if prompt.strip() else None
        case _:
            return None


def _object(value: object) -> _Mapping:
    return cast("_Mapping", value) if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
