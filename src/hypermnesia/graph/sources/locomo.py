"""LoCoMo documents (Maharana et al., ACL 2024, arXiv 2402.17753): long talks in dated sessions.

Only the talk is read. ``qa``, ``observation``, ``session_summary`` and ``event_summary`` are
questions and labels derived from it, which a memory must not see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, cast

from hypermnesia.errors import InvalidInput
from hypermnesia.graph.sources.conversations import Conversation, Item, Notice, name_of
from hypermnesia.graph.sources.documents import Broken, JsonStream
from hypermnesia.graph.sources.records import Record, objects
from hypermnesia.graph.timestamps import instant

_SESSION = re.compile(r"session_(\d{1,9})", re.ASCII)
_OPENED = {"conversation": 2}
_WANTED = frozenset({"sample_id"})


def conversations(text: Iterator[str]) -> Iterator[Conversation]:
    """One conversation a document; its sessions in the order of their numbers.

    The session of a message is "session_4"; of several conversations "conv-26/session_4" with
    the ``sample_id``, or "conversation 2/session_4" without. Times are those of the sessions, in
    UTC since the data name no zone. A caption counts with or without the picture's address.

    Raises:
        Broken: after what came before the break.
    """
    held, number, broken = None, 0, None
    records = objects(JsonStream(text), _OPENED, _WANTED)
    try:
        for record in records:
            number += 1
            if held is not None:
                yield _conversation(held, number - 1, several=True)
            held = record
    except Broken as error:
        broken = error
    if held is not None:
        yield _conversation(held, number, several=number > 1)
    if broken is not None:
        raise broken


def _conversation(document: Record, number: int, *, several: bool) -> Conversation:
    match document.value:
        case {"conversation": dict() as talk, **others}:
            sample = name_of(others.get("sample_id"))
            prefix = f"{sample or f'conversation {number}'}/" if several else ""
            names = frozenset((sample,) if sample else ())
            return Conversation(names, _items(cast("dict[str, Any]", talk), prefix))
        case _:
            notice = Notice(f"document {number}", "it holds no object 'conversation'; left out")
            return Conversation(frozenset(), (notice,))


def _items(talk: Mapping[str, Any], prefix: str) -> Iterator[Item | Notice]:
    numbers = [int(match[1]) for key in talk if (match := _SESSION.fullmatch(key))]
    for number in sorted(numbers):
        session = f"session_{number}"
        turns, at = talk.get(session), None
        try:
            at = instant(talk.get(f"{session}_date_time"), "date")
        except InvalidInput as error:
            yield Notice(prefix + session, f"{error}; its turns were read without a time")
        if not isinstance(turns, list):
            yield Notice(prefix + session, "it is no list of turns; left out")
            continue
        for position, turn in enumerate(cast("list[object]", turns), start=1):
            yield _item(turn, position, prefix + session, at)


def _item(turn: object, position: int, session: str, at: datetime | None) -> Item:
    if not isinstance(turn, Mapping):
        return Item(turn, f"{session}, turn {position}")
    fields = cast("Mapping[str, Any]", turn)
    return Item(
        {
            "speaker": fields.get("speaker"),
            "content": fields.get("text"),
            "timestamp": at,
            "id": fields.get("dia_id"),
            "session": session,
            "caption": fields.get("blip_caption"),
        },
        f"{session}, turn {name_of(fields.get('dia_id')) or position}",
    )
