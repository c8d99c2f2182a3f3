"""Long talks in the schema of LoCoMo."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.errors import InvalidInput
from hypermnesia.graph.messages import Message, Rejected
from hypermnesia.graph.sources import read
from tests.graph.sources.samples import LOCOMO, every, messages


def test_sessions_come_in_the_order_of_their_numbers() -> None:
    """Session 10 comes after session 2, wherever the file has it."""
    talk = dict(reversed(LOCOMO["conversation"].items()))
    found = messages({**LOCOMO, "conversation": talk})
    assert [message.id for message in found] == ["D1:1", "D1:2", "D2:1", "D10:1"]
    assert [message.session for message in found] == [
        *("session_1", "session_1", "session_2", "session_10")
    ]


def test_a_turn_keeps_its_speaker_time_and_caption() -> None:
    """The session's time is UTC; a caption counts without a picture's address, too."""
    found = messages(LOCOMO)
    assert found[1] == Message(
        speaker="Tom",
        content="Look",
        at=datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
        id="D1:2",
        session="session_1",
        caption="a row of beans",
    )
    assert found[2].caption == "a slug on a leaf"
    assert found[3].at == datetime(2023, 6, 1, 0, 1, tzinfo=UTC)


def test_questions_and_labels_are_never_read() -> None:
    """They are made from the talk and would give answers away."""
    poisoned = {
        key: value if key in ("sample_id", "conversation") else "POISON"
        for key, value in LOCOMO.items()
    }
    assert messages(poisoned) == messages(LOCOMO)


def test_several_conversations_are_told_apart_and_one_can_be_selected() -> None:
    """By sample id; one without is told apart by its number."""
    other = {"conversation": {"session_1": LOCOMO["conversation"]["session_1"]}}
    found = messages([LOCOMO, other])
    assert {message.session for message in found} == {
        "talk-1/session_1",
        "talk-1/session_2",
        "talk-1/session_10",
        "conversation 2/session_1",
    }
    assert len({(message.session, message.id) for message in found}) == len(found) == 6
    assert [m.id for m in messages([other, LOCOMO], select="talk-1")] == [m.id for m in found[:4]]
    assert messages([LOCOMO]) == messages(LOCOMO)


def test_an_unknown_sample_id_is_refused() -> None:
    """Rather than ingesting nothing without a word."""
    with pytest.raises(InvalidInput, match="'talk-9'"):
        messages(LOCOMO, select="talk-9")


def test_a_bad_turn_or_date_is_told_and_the_rest_read() -> None:
    """The place is named as the data name it."""
    talk: dict[str, Any] = {
        "session_1_date_time": "some day",
        "session_1": [
            {"speaker": "Ida", "dia_id": "D1:1", "text": "one"},
            {"speaker": "Ida", "dia_id": "D1:2", "text": " "},
            "turn",
        ],
        "session_2": None,
        "session_3": [],
        "session_4_date_time": "1:56 pm on 8 May, 2023",
        "session_5": [{"speaker": "Ida", "dia_id": "D5:1", "text": "five"}],
    }
    found = every(json.dumps({"conversation": talk}))
    assert [(m.content, m.at) for m in found if isinstance(m, Message)] == [
        ("one", None),
        ("five", None),
    ]
    assert [item.where for item in found if isinstance(item, Rejected)] == [
        "session_1",
        "session_1, turn D1:2",
        "session_1, turn 3",
        "session_2",
    ]


def test_ten_thousand_sessions_are_read() -> None:
    """In order, each with its own turn."""
    talk = {f"session_{n}": [{"speaker": "Ida", "text": f"turn {n}"}] for n in range(10_000, 0, -1)}
    found = messages({"conversation": talk})
    assert [message.content for message in found] == [f"turn {n}" for n in range(1, 10_001)]


def test_a_document_without_a_talk_is_told() -> None:
    """When the format was named, or another document gave it away."""
    found = every(json.dumps([LOCOMO, {"sample_id": "x"}, {"conversation": 5}]))
    assert [item.where for item in found if isinstance(item, Rejected)] == [
        "document 2",
        "document 3",
    ]


def test_real_conversations_have_as_many_messages_as_turns() -> None:
    """Nothing is lost or added; every time is read."""
    path = Path(os.environ.get("HYPERMNESIA_DEV_DATA") or ".") / "locomo-dev.json"
    if "HYPERMNESIA_DEV_DATA" not in os.environ or not path.is_file():
        pytest.skip("HYPERMNESIA_DEV_DATA names no folder with locomo-dev.json")
    documents = json.loads(path.read_text("utf-8"))
    expected = {
        f"{document['sample_id']}/{key}": len(turns)
        for document in documents
        for key, turns in document["conversation"].items()
        if isinstance(turns, list)
    }
    counted = dict.fromkeys(expected, 0)
    for message in read(path):
        assert isinstance(message, Message)
        assert message.at is not None
        counted[str(message.session)] += 1
    assert counted == expected
