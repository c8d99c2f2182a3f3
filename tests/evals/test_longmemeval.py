"""LongMemEval: reading the official form, sessions and turns, abstention apart."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.config import load
from hypermnesia.errors import InvalidInput
from hypermnesia.evals.longmemeval import SCORING, ranking, talks
from hypermnesia.evals.questions import Question
from hypermnesia.evals.results import Run, read_records
from hypermnesia.evals.systems import chosen
from hypermnesia.evals.talks import Plan, evaluate, manifest
from tests.evals.runs import Noted
from tests.evals.samples import LONGMEMEVAL, written

QUESTION = Question(
    "q", "multi-session", "who?", "Ann", ("s_1_2", "s_2_1"), sessions=("s_1", "s_2")
)


def test_a_file_is_read_in_its_official_form(tmp_path: Path) -> None:
    """Turns are named by session and number, dates with their weekday are read."""
    first, second = talks(written(tmp_path, "lme.json", LONGMEMEVAL))
    assert [message["id"] for message in first.messages] == ["s_1_1", "s_1_2", "s_2_1", "s_2_2"]
    assert f"{first.messages[2]['timestamp']:%Y-%m-%d %H:%M}" == "2023-06-01 18:05"
    (question,) = first.questions
    assert (question.gold, question.sessions) == (("s_2_1",), ("s_2",))
    assert (question.kind, f"{question.asked:%Y-%m-%d}") == ("knowledge-update", "2023-06-30")
    (unknown,) = second.questions
    assert (unknown.kind, unknown.answerable, unknown.gold) == ("abstention", False, ())


def test_a_session_stands_where_its_first_turn_does() -> None:
    """Any of them, all of them, and at which depth."""
    found = ranking(QUESTION, ["s_3_1", "s_2_4", "s_2_1", "s_4_9", "s_1_1"])
    assert (found["session_any_hit@1"], found["session_any_hit@3"]) == (0, 1)
    assert (found["session_recall_all@3"], found["session_recall_all@5"]) == (0, 1)
    assert found["session_recall@3"] == 0.5
    assert 0 < found["session_ndcg@5"] < 1


def test_abstentions_have_no_sessions_to_find() -> None:
    """Although the data name some."""
    unknown = Question("q_abs", "abstention", "who?", "", (), answerable=False, sessions=("s_1",))
    assert ranking(unknown, ["s_1_1"]) == {}


def test_a_session_that_comes_twice_is_read_once(tmp_path: Path) -> None:
    """Its turns would have the same ids."""
    twice: dict[str, Any] = deepcopy(LONGMEMEVAL[0])
    for name in ("haystack_session_ids", "haystack_dates", "haystack_sessions"):
        twice[name].append(twice[name][0])
    (talk,) = talks(written(tmp_path, "lme.json", [twice]))
    assert len(talk.messages) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question_id": None}, "'question_id' of lme.json, question 1"),
        ({"answer": ""}, "'answer' of lme.json, question 1 is missing"),
        ({"haystack_dates": []}, "lme.json, question 1 has 2 'haystack_sessions', 2 .* and 0"),
        ({"haystack_sessions": {}}, "'haystack_sessions' of lme.json, question 1 must be a list"),
        ({"haystack_sessions": [[], None]}, "'haystack_sessions' of .* has a session 's_2'"),
        ({"haystack_sessions": [[], [3]]}, "question 1, session s_2, turn 1 must be an object"),
        ({"question_date": "soon"}, "lme.json, question 1: .*question_date"),
        ({"haystack_dates": ["2023/05/20", "?"]}, "lme.json, question 1: .*haystack_dates"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    """The field, and the question."""
    broken = [LONGMEMEVAL[0] | change]
    with pytest.raises(InvalidInput, match=message):
        list(talks(written(tmp_path, "lme.json", broken)))


@pytest.mark.usefixtures("hashed")
def test_the_whole_evaluation(tmp_path: Path) -> None:
    """Each question on its own haystack, asked at its own date; --limit reads the first."""
    path = written(tmp_path, "lme.json", LONGMEMEVAL)
    plan = Plan(load(), chosen(["default"]), SCORING, 500, 1)
    for limit, count in ((1, 1), (None, 2)):
        with Run.open(tmp_path / "run", manifest("longmemeval", plan, [path], "run")) as run:
            evaluate(run, talks(path, limit), plan, Noted())
        assert len(read_records(tmp_path / "run")) == count
    first, second = read_records(tmp_path / "run")
    assert first.metrics["session_any_hit@1"] == first.metrics["recall_all@5"] == 1
    assert first.ranked[0] == "s_2_1"
    assert set(second.metrics) == {"context_tokens", "abstained", "degraded"}
    assert not set(second.ranked) - {"s_1_1"}
