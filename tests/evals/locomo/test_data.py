"""Reading LoCoMo: order, captions, and everything that is odd about its evidence."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.locomo.data import evidence, talks
from tests.evals.samples import ANN, CLEO, written

TURNS = dict.fromkeys(["D1:1", "D9:17", "D30:5", "D11:26"])


def test_sessions_are_ordered_by_number_and_captions_are_read(tmp_path: Path) -> None:
    """Session 2 comes before session 10; labels derived from the talk are not read."""
    (talk,) = talks(written(tmp_path, "locomo.json", [ANN]))
    assert [turn.id for turn in talk.turns] == ["D2:1", "D2:2", "D10:1", "D10:2"]
    assert talk.turns[1].text == "Bo: Look at this! [shares a red canoe on a lake]"
    assert talk.turns[1].said == "1:56 pm on 8 May, 2024"


def test_questions_are_named_by_their_places(tmp_path: Path) -> None:
    """As audits name them; numbers are answers, too; category 5 has none."""
    first, second = talks(written(tmp_path, "locomo.json", [ANN, CLEO]))
    assert [q.id for q in first.questions][:2] == ["locomo_0_qa0", "locomo_0_qa1"]
    assert [q.kind for q in first.questions] == [
        "single-hop", "temporal", "multi-hop", "adversarial", "open-domain",
    ]  # fmt: skip
    assert first.questions[4].answer == "1"
    adversarial = first.questions[3]
    assert (adversarial.answerable, adversarial.answer, adversarial.trap) == (False, "", "four")
    assert second.questions[0].id == "locomo_1_qa0"


def test_quirks_of_the_evidence_are_counted(tmp_path: Path) -> None:
    """What can be read is; nothing is put right silently."""
    first, second = talks(written(tmp_path, "locomo.json", [ANN, CLEO]))
    assert first.questions[1].gold == ("D10:1",)
    assert first.questions[2].gold == ("D2:1", "D2:2")
    assert first.quirks == {
        "malformed id, read all the same": 2,
        "question without usable evidence": 1,
        "several ids in one string": 1,
    }
    assert second.questions[0].gold == ("D1:1",)
    assert second.quirks == {"id of no turn": 1}


def test_an_adversarial_question_with_an_answer_stays_adversarial(tmp_path: Path) -> None:
    """Two in the published data have both fields."""
    odd = _changed("qa", 3, answer="none")
    (talk,) = talks(written(tmp_path, "locomo.json", odd))
    assert not talk.questions[3].answerable
    assert talk.quirks["adversarial question with an answer"] == 1


@pytest.mark.parametrize(
    ("string", "gold"),
    [
        ("D1:1", ("D1:1",)),
        ("D1:1; D9:17", ("D1:1", "D9:17")),
        ("D9:17 D1:1 D9:17", ("D9:17", "D1:1")),
        ("D:11:26", ("D11:26",)),
        ("D30:05", ("D30:5",)),
        ("D7:7", ()),
        ("D", ()),
        ("", ()),
    ],
)
def test_evidence_is_read_as_it_is_written(string: str, gold: tuple[str, ...]) -> None:
    """Every form that the published data have."""
    assert evidence([string], TURNS)[0] == gold


@given(st.lists(st.text(alphabet="D0123456789:; ,", max_size=20), max_size=5))
def test_any_evidence_gives_known_turns_once_each(strings: list[str]) -> None:
    """Never a turn that is not there, never one twice, and no gold only with a quirk."""
    gold, quirks = evidence(strings, TURNS)
    assert set(gold) <= set(TURNS)
    assert len(set(gold)) == len(gold)
    assert bool(gold) != bool(quirks["question without usable evidence"])


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"qa": []}, "'sample_id' of locomo.json, conversation 1"),
        ({"sample_id": "a", "qa": []}, "'conversation' of locomo.json, conversation 1"),
        ({**ANN, "qa": None}, "'qa' of locomo.json, conversation 1"),
        ({**ANN, "conversation": {"speaker_a": "Ann"}}, "'conversation' of .* holds no turn"),
        ({**ANN, "conversation": {"session_1": []}}, "'conversation' of .* holds no turn"),
        ("text", "conversation 1 must be an object"),
        ([ANN, ANN], "2 conversations have the 'sample_id' 'ann-bo'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, document: Any, message: str) -> None:
    """The field, and the item it belongs to."""
    with pytest.raises(InvalidInput, match=message):
        talks(written(tmp_path, "locomo.json", document))


def test_fields_of_questions_and_turns_are_named(tmp_path: Path) -> None:
    """With the number of the item."""
    for change, message in (
        ({"category": 6}, "'category' of locomo.json, conversation 1, question 1 is 6"),
        ({"category": "4"}, "'category' of .*question 1 must be a whole number, not str"),
        ({"question": " "}, "'question' of .*question 1 is empty"),
        ({"answer": None}, "'answer' of .*question 1 is missing"),
        ({"answer": True}, "'answer' of .*question 1 must be text or a number"),
        ({"evidence": "D1:1"}, "'evidence' of .*question 1 must be a list, not str"),
        ({"evidence": [1]}, "item 1 of 'evidence' of .*question 1"),
    ):
        with pytest.raises(InvalidInput, match=message):
            talks(written(tmp_path, "locomo.json", _changed("qa", 0, **change)))
    broken: dict[str, Any] = deepcopy(ANN)
    broken["conversation"]["session_2"][0] = "hello"
    with pytest.raises(InvalidInput, match="session 2, turn 1 must be an object, not str"):
        talks(written(tmp_path, "locomo.json", broken))


def test_files_that_are_no_json_are_refused(tmp_path: Path) -> None:
    """With the place, and with what to do about a missing file."""
    for content, message in (
        (b"", "holds no conversation"),
        (b'[{"sample_id": "a"', "is not JSON: line 1"),
        (b'[{"sample_id": "\xff"}]', "is not UTF-8 at byte 16"),
    ):
        path = tmp_path / "locomo.json"
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match=message):
            talks(path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        talks(tmp_path / "missing.json")


def _changed(part: str, index: int, **fields: Any) -> dict[str, Any]:
    changed: dict[str, Any] = deepcopy(ANN)
    changed[part][index] |= fields
    return changed
