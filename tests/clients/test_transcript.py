"""What is remembered of a transcript."""

from __future__ import annotations

from pathlib import Path

import pytest

from hypermnesia.clients.transcript import messages
from hypermnesia.errors import InvalidInput
from tests.clients.transcripts import FACT, line, session, write


def test_what_was_said_is_taken_and_nothing_else(tmp_path: Path) -> None:
    """No thinking, tools, subagents, reminders, commands or summaries."""
    found = list(messages(write(tmp_path / "t.jsonl", session())))
    assert [(one["role"], one["id"], one["content"]) for one in found] == [
        ("user", "u2", "What carries our billing events?"),
        ("assistant", "u6", "I remember:\n\n\nSo retries belong into NATS, too."),
        ("user", "u9", "We decided to keep failed invoices for thirty days."),
    ]
    assert found[0]["timestamp"] == "2026-11-30T09:02:00.000Z"


def test_what_was_recalled_is_not_stored_again(tmp_path: Path) -> None:
    """Neither from the tool, nor from the hook, nor from the agent that repeats it."""
    text = str(list(messages(write(tmp_path / "t.jsonl", session()))))
    assert FACT not in text


def test_what_a_person_says_is_kept_though_it_is_known(tmp_path: Path) -> None:
    """People mean what they say."""
    records = [*session(), line("user", FACT, 10)]
    assert list(messages(write(tmp_path / "t.jsonl", records)))[-1]["content"] == FACT


@pytest.mark.parametrize(
    "record",
    [
        None, 1, [], {}, {"type": "user"}, {"type": "user", "message": None},
        {"type": "user", "message": {"content": 5}}, {"type": "assistant", "message": "x"},
        {"type": "assistant", "message": {"content": [None, 3, {"type": "text", "text": 4}]}},
        {"type": "user", "message": {"content": ""}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": []}]}},
    ],
)  # fmt: skip
def test_a_record_of_another_shape_is_passed_over(tmp_path: Path, record: object) -> None:
    """The format is not promised to stay."""
    path = write(tmp_path / "t.jsonl", [record, line("user", "hello there", 1)])
    assert [one["content"] for one in messages(path)] == ["hello there"]


def test_a_missing_transcript_says_so(tmp_path: Path) -> None:
    """By its name."""
    with pytest.raises(InvalidInput, match=r"none\.jsonl"):
        list(messages(tmp_path / "none.jsonl"))
