"""Data of comparisons: LoCoMo, BEAM, and lines of texts and questions."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.material import collections

LOCOMO = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "9:00 am on 3 May, 2026",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I moved to Lisbon."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red boat"},
        ],
    },
    "qa": [
        {"question": "Where does Ana live?", "answer": "Lisbon", "category": 4,
         "evidence": ["D1:1"]},
        {"question": "What is Ben's cat called?", "adversarial_answer": "Miso", "category": 5,
         "evidence": ["D1:2"]},
    ],
}  # fmt: skip
BEAM = {
    "conversation": 7,
    "turns": [
        {"id": 0, "role": "user", "time_anchor": "March-15-2026", "content": "Launch is in May."},
        {"id": 1, "role": "assistant", "time_anchor": None, "content": "Noted."},
        {"id": 2, "role": "user", "time_anchor": None, "content": "Launch slipped to June."},
    ],
    "questions": [
        {"id": "u", "type": "knowledge_update", "question": "When is the launch?",
         "answer": "June", "rubric": [], "evidence": {"original_info": [0], "updated_info": [2]}},
        {"id": "a", "type": "abstention", "question": "Who pays?", "answer": "unknown",
         "rubric": [], "evidence": None},
    ],
}  # fmt: skip
TEXTS: list[dict[str, Any]] = [
    {"id": "a", "text": "Billing uses Kafka.", "at": "2026-01-05"},
    {"id": "b", "text": "I moved to Lisbon.", "speaker": "Ana", "session": "s1"},
    {"id": "c", "text": "Billing uses NATS."},
    {"question": "What does billing use?", "gold": ["c"], "stale": ["a"], "class": "update"},
    {"question": "Nobody knows?", "gold": []},
]


def written(path: Path, values: list[Any]) -> Path:
    """JSON lines."""
    path.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")
    return path


def test_a_locomo_talk_is_a_collection_of_its_turns(tmp_path: Path) -> None:
    """Captions belong to the text; a question that the talk does not answer is left out."""
    (found,) = collections([written(tmp_path / "locomo.json", [LOCOMO])])

    assert found.name == "talk-1"
    assert [item.id for item in found.items] == ["D1:1", "D1:2"]
    assert found.items[1].text == "Ben: Look! [shares a red boat]"
    assert found.items[0].at == datetime(2026, 5, 3, 9, tzinfo=UTC)
    assert [(q.text, q.gold) for q in found.questions] == [("Where does Ana live?", ("D1:1",))]


def test_a_systems_own_view_of_a_turn_says_the_same_as_its_text(tmp_path: Path) -> None:
    """What is ingested as an utterance holds speaker, words, caption and time of the text."""
    (found,) = collections([written(tmp_path / "locomo.json", [LOCOMO])])

    said = found.items[1].said
    assert said is not None
    assert (said.id, said.speaker, said.content, said.caption) == (
        "D1:2", "Ben", "Look!", "a red boat",
    )  # fmt: skip
    assert said.at == found.items[1].at


def test_a_beam_conversation_tells_outdated_turns_from_gold(tmp_path: Path) -> None:
    """The original statement of an update is stale; an abstention is left out."""
    (found,) = collections([written(tmp_path / "7.json", [BEAM])])

    assert [item.text for item in found.items][:2] == ["user: Launch is in May.",
                                                       "assistant: Noted."]  # fmt: skip
    assert [(q.id, q.gold, q.stale) for q in found.questions] == [("u", ("2",), ("0",))]


def test_lines_hold_texts_and_questions(tmp_path: Path) -> None:
    """A text with a speaker is an utterance; a question without gold is left out."""
    (found,) = collections([written(tmp_path / "own.jsonl", TEXTS)])

    assert found.name == "own"
    assert [(i.id, i.text, i.said is not None) for i in found.items] == [
        ("a", "Billing uses Kafka.", False),
        ("b", "Ana: I moved to Lisbon.", True),
        ("c", "Billing uses NATS.", False),
    ]
    assert found.items[0].at == datetime(2026, 1, 5, tzinfo=UTC)
    (question,) = found.questions
    assert (question.kind, question.gold, question.stale) == ("update", ("c",), ("a",))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"id": "d"}, r"'text' of own.jsonl, object 6"),
        ({"id": "a", "text": "again"}, r"'id' of own.jsonl, object 6 is 'a', as of an earlier"),
        ({"id": "d", "text": "x", "at": "someday"}, r"own.jsonl, object 6: .*at"),
        ({"question": "Who?", "gold": ["zz"]}, r"'gold' of own.jsonl, object 6 names 'zz'"),
        ({"question": "Who?", "gold": "a"}, r"'gold' of own.jsonl, object 6 must be a list"),
        ({"question": "", "gold": ["a"]}, r"'question' of own.jsonl, object 6 is empty"),
        (5, r"own.jsonl, object 6 must be an object"),
    ],
)
def test_an_unusable_line_is_named(tmp_path: Path, line: object, message: str) -> None:
    """The error says which member of which object, and what is wrong with it."""
    with pytest.raises(InvalidInput, match=message):
        collections([written(tmp_path / "own.jsonl", [*TEXTS, line])])


def test_two_collections_of_one_name_are_refused(tmp_path: Path) -> None:
    """Records are kept by the name of the collection."""
    with pytest.raises(InvalidInput, match="2 collections are called 'talk-1'"):
        collections([written(tmp_path / name, [LOCOMO]) for name in ("a.json", "b.json")])


def test_data_without_an_answerable_question_are_refused(tmp_path: Path) -> None:
    """There would be nothing to compare."""
    with pytest.raises(InvalidInput, match="nothing to compare"):
        collections([written(tmp_path / "own.jsonl", TEXTS[:3])])
