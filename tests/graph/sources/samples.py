"""Small conversations written for these tests, in each schema."""

from __future__ import annotations

import io
import json
from typing import Any

from hypermnesia.graph.messages import Message, Rejected
from hypermnesia.graph.sources import read

OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": "You help with gardens."},
    {"role": "user", "content": "When do I sow beans?", "timestamp": "2024-04-02T09:00:00+02:00"},
    {"role": "assistant", "content": [{"type": "text", "text": "After the last frost."}]},
    {"role": "user", "name": "Ida", "content": 'A "frost"? {here]\n\\', "id": 7},
]

LOCOMO: dict[str, Any] = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ida",
        "speaker_b": "Tom",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ida", "dia_id": "D1:1", "text": "My beans came up."},
            {"speaker": "Tom", "dia_id": "D1:2", "text": "Look", "blip_caption": "a row of beans"},
        ],
        "session_2_date_time": "9:05 am on 10 May, 2023",
        "session_2": [
            {
                "speaker": "Ida",
                "dia_id": "D2:1",
                "text": "",
                "blip_caption": "a slug on a leaf",
                "img_url": ["https://example.org/slug.jpg"],
            },
        ],
        "session_10_date_time": "12:01 am on 1 June, 2023",
        "session_10": [{"speaker": "Tom", "dia_id": "D10:1", "text": "Harvest next week."}],
    },
    "qa": [{"question": "What ate the leaf?", "answer": "a slug", "evidence": ["D2:1"]}],
    "observation": {"session_1_observation": {"Ida": [["Ida grows beans", "D1:1"]]}},
    "session_summary": {"session_1_summary": "Ida and Tom talk of beans."},
    "event_summary": {"events_session_1": {"Ida": ["sowed beans"]}},
}


def chatgpt_node(
    name: str, role: str, text: str, parent: str | None, *children: str
) -> dict[str, Any]:
    """A node of a ChatGPT export's mapping."""
    return {
        "id": name,
        "parent": parent,
        "children": list(children),
        "message": {
            "id": name,
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": 1714986000.25,
            "content": {"content_type": "text", "parts": [text]},
            "metadata": {},
        },
    }


CHATGPT: list[dict[str, Any]] = [
    {
        "title": "Bean beds",
        "create_time": 1714986000.0,
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["a"]},
            "a": chatgpt_node("a", "system", "", "root", "b"),
            "b": chatgpt_node("b", "user", "How wide is a bed?", "a", "c"),
            "c": chatgpt_node("c", "assistant", "About a metre.", "b", "d"),
            "d": chatgpt_node("d", "user", "And the path?", "c"),
        },
        "current_node": "d",
        "conversation_id": "0f-1",
    }
]

CLAUDE: list[dict[str, Any]] = [
    {
        "uuid": "c-1",
        "name": "Compost",
        "created_at": "2024-05-01T08:00:00Z",
        "chat_messages": [
            {
                "uuid": "m-1",
                "sender": "human",
                "text": "Can I compost tea?",
                "content": [{"type": "text", "text": "Can I compost tea?"}],
                "created_at": "2024-05-01T08:00:01.5Z",
                "attachments": [],
            },
            {"uuid": "m-2", "sender": "assistant", "text": "Yes, without the bag."},
            {"uuid": "m-3", "sender": "human", "text": "", "attachments": [{"file_name": "a.pdf"}]},
        ],
    }
]

DOCUMENTS: dict[str, Any] = {
    "openai": OPENAI,
    "locomo": LOCOMO,
    "chatgpt": CHATGPT,
    "claude": CLAUDE,
}


def every(text: str | bytes, **options: Any) -> list[Message | Rejected]:
    """All that is read from a text."""
    stream = io.BytesIO(text) if isinstance(text, bytes) else io.StringIO(text, newline="")
    return list(read(stream, **options))


def messages(source: object, **options: Any) -> list[Message]:
    """The messages of a JSON value or a text, of which nothing may be rejected."""
    found = every(source if isinstance(source, str) else json.dumps(source), **options)
    assert [item for item in found if isinstance(item, Rejected)] == []
    return [item for item in found if isinstance(item, Message)]
