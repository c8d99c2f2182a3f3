"""What ChatGPT and Claude hand out to those who ask for their data."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import Any

from hypermnesia.graph.messages import Message, Rejected
from tests.graph.sources.samples import CHATGPT, CLAUDE, chatgpt_node, every, messages


def forked() -> dict[str, Any]:
    """A conversation whose answer "c" was asked for again, as "c2"."""
    found: dict[str, Any] = copy.deepcopy(CHATGPT[0])
    found["mapping"]["b"]["children"] = ["c", "c2"]
    found["mapping"]["c2"] = chatgpt_node("c2", "assistant", "Four feet.", "b")
    return found


def test_a_chatgpt_conversation_is_read_from_its_root_to_the_current_node() -> None:
    """Empty nodes are no messages; the session has title and id."""
    found = messages(CHATGPT)
    assert [(m.role, m.content) for m in found] == [
        ("user", "How wide is a bed?"),
        ("assistant", "About a metre."),
        ("user", "And the path?"),
    ]
    assert {m.session for m in found} == {"Bean beds (0f-1)"}
    assert [m.id for m in found] == ["b", "c", "d"]
    assert found[0].at == datetime(2024, 5, 6, 9, 0, 0, 250_000, tzinfo=UTC)


def test_the_branch_shown_last_is_the_conversation() -> None:
    """Other answers of a fork were thrown away by the user."""
    assert [m.content for m in messages([{**forked(), "current_node": "c2"}])][1:] == ["Four feet."]
    assert [m.content for m in messages([{**forked(), "current_node": "d"}])][1:] == [
        "About a metre.",
        "And the path?",
    ]
    without = forked()
    del without["current_node"]
    assert [m.content for m in messages([without])][-1] == "Four feet."


def test_hidden_messages_thoughts_and_code_are_passed_over() -> None:
    """Speech and pictures' descriptions are kept."""
    export = copy.deepcopy(CHATGPT)
    nodes: dict[str, Any] = export[0]["mapping"]
    nodes["b"]["message"]["metadata"]["is_visually_hidden_from_conversation"] = True
    nodes["c"]["message"]["content"] = {"content_type": "thoughts", "thoughts": [{"content": "x"}]}
    nodes["d"]["message"]["content"] = {
        "content_type": "multimodal_text",
        "parts": [
            {"content_type": "audio_transcription", "text": "Draw it."},
            {"content_type": "image_asset_pointer", "metadata": {"dalle": {"prompt": "a path"}}},
            {"content_type": "image_asset_pointer", "metadata": None},
        ],
    }
    assert [(m.content, m.caption) for m in messages(export)] == [("Draw it.", "a path")]


def test_a_tree_that_runs_in_a_circle_ends() -> None:
    """Upwards from the current node, and downwards without one."""
    export = forked()
    export["mapping"]["root"]["parent"] = "d"
    assert len(messages([export])) == 3
    nodes = {
        "a": chatgpt_node("a", "user", "hi", None, "b"),
        "b": chatgpt_node("b", "user", "ho", "a", "a"),
    }
    assert [m.content for m in messages([{"mapping": nodes}])] == ["hi", "ho"]


def test_a_tree_without_a_root_is_told() -> None:
    """What cannot be put in order is not left out silently."""
    nodes = {
        "a": chatgpt_node("a", "user", "hi", "b", "b"),
        "b": chatgpt_node("b", "user", "ho", "a", "a"),
    }
    lost, kept = every(
        json.dumps([{"mapping": nodes}, {"title": "empty", "mapping": {}}, forked()])
    )[:2]
    assert isinstance(lost, Rejected)
    assert (lost.where, "left out" in lost.message) == ("conversation 1", True)
    assert isinstance(kept, Message)


def test_a_damaged_node_is_told() -> None:
    """What hangs below it is read."""
    text = json.dumps(CHATGPT).replace('"c": {', '"c": {"deep": ' + "[" * 99 + "]" * 99 + ",", 1)
    found = every(text)
    assert [m.content for m in found if isinstance(m, Message)] == ["And the path?"]
    assert [m.where for m in found if isinstance(m, Rejected)] == ["conversation 1, message c"]


def test_a_fork_is_not_guessed_at_when_the_file_breaks_off() -> None:
    """Which branch was shown stands behind the tree."""
    text = json.dumps([forked()])
    *found, last = every(text[: text.index('"current_node"') - 2])
    assert [m.content for m in found if isinstance(m, Message)] == ["How wide is a bed?"]
    assert isinstance(last, Rejected)


def test_claude_conversations_are_read() -> None:
    """Texts from parts or, in older exports, alone; attachments are no messages."""
    assert messages(CLAUDE) == [
        Message(
            "user",
            "Can I compost tea?",
            "user",
            datetime(2024, 5, 1, 8, 0, 1, 500_000, tzinfo=UTC),
            "m-1",
            "Compost (c-1)",
        ),
        Message("assistant", "Yes, without the bag.", "assistant", None, "m-2", "Compost (c-1)"),
    ]


def test_conversations_are_selected_by_id_or_title() -> None:
    """In either export; foreign elements are told."""
    assert len(messages(CHATGPT, select="Bean beds")) == len(messages(CHATGPT, select="0f-1")) == 3
    assert len(messages(CLAUDE, select="Compost")) == len(messages(CLAUDE, select="c-1")) == 2
    for export in (CHATGPT, CLAUDE):
        found = every(json.dumps([*export, {"title": "empty"}, 5]))
        assert [m.where for m in found if isinstance(m, Rejected)] == [
            "conversation 2",
            "conversation 3",
        ]
