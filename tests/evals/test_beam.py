"""BEAM: reading, updates, contradictions, abstention, rubrics."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.answer.prompt import MARKER
from hypermnesia.config import load
from hypermnesia.errors import InvalidInput
from hypermnesia.evals.beam import SCORING, files, ranking, talks
from hypermnesia.evals.questions import Question
from hypermnesia.evals.records import Record
from hypermnesia.evals.results import Run, read_records
from hypermnesia.evals.systems import chosen
from hypermnesia.evals.talks import Plan, evaluate, manifest
from tests.evals.runs import Noted
from tests.evals.samples import BEAM, written
from tests.servers.http import Received, Reply, serve
from tests.servers.protocols import completion

UPDATE = Question("u", "knowledge_update", "how fast?", "250 ms", ("2",), stale=("0",))


def test_a_file_is_read_in_its_schema(tmp_path: Path) -> None:
    """Times open sessions; evidence of an update is told apart."""
    (talk,) = talks([written(tmp_path, "3.json", BEAM)])
    assert talk.name == "3"
    assert [m["session"] for m in talk.messages] == [
        "session 1", "session 1", "session 2", "session 2",
    ]  # fmt: skip
    assert [f"{m['timestamp']:%Y-%m-%d}" for m in talk.messages][1:3] == [
        "2024-03-15", "2024-04-02",
    ]  # fmt: skip
    update, contradiction, abstention = talk.questions
    assert (update.gold, update.stale) == (("2",), ("0",))
    assert contradiction.gold == ("3", "2")
    assert (abstention.answerable, abstention.gold) == (False, ())
    assert abstention.rubric == ("says there is no information",)


def test_turns_that_belong_together_may_stand_in_a_list(tmp_path: Path) -> None:
    """As in some orders of events."""
    nested = deepcopy(BEAM)
    nested["questions"][1]["evidence"] = [0, [2, 3]]
    (talk,) = talks([written(tmp_path, "3.json", nested)])
    assert talk.questions[1].gold == ("0", "2", "3")


@pytest.mark.parametrize(
    ("ranked", "stale_at_1", "updated_first", "original_first"),
    [
        (["2", "0"], 0, 1, 0),
        (["0", "2"], 1, 0, 1),
        (["1", "0"], 0, 0, 1),
        (["1", "2"], 0, 1, 0),
        (["1"], 0, 0, 0),
        ([], 0, 0, 0),
    ],
)
def test_an_update_is_compared_with_its_original(
    ranked: list[str], stale_at_1: float, updated_first: float, original_first: float
) -> None:
    """If neither is found, neither came first."""
    found = ranking(UPDATE, ranked)
    assert found["stale_at_1"] == stale_at_1
    assert (found["updated_first"], found["original_first"]) == (updated_first, original_first)
    assert found["evidence_recall@5"] == len({"0", "2"} & set(ranked)) / 2


def test_other_questions_have_no_original() -> None:
    """And those without evidence no ranking."""
    plain = Question("p", "information_extraction", "who?", "Ann", ("2",))
    assert set(ranking(plain, ["2"])) == {f"evidence_recall@{k}" for k in (5, 10, 20, 50)}
    assert ranking(Question("a", "abstention", "who?", "", (), answerable=False), ["2"]) == {}


def test_folders_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """2 before 10; an empty folder is a mistake."""
    for name in ("10", "2", "notes"):
        written(tmp_path, f"{name}.json", BEAM)
    assert [path.stem for path in files([tmp_path])] == ["2", "10", "notes"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match=r"holds no \.json file"):
        files([tmp_path / "empty"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"evidence": [7]}, "'evidence' of 3.json, conversation 1, question 1 names turns .*: 7"),
        ({"evidence": None}, "'evidence' of .*question 1 names no turn"),
        ({"evidence": 2}, "'evidence' of .*question 1 must be a list of ids"),
        ({"evidence": {"original_info": 2}}, "'evidence' of .*question 1 must be a list of ids"),
        ({"type": ""}, "'type' of .*question 1 is empty"),
        ({"rubric": [{}]}, "item 1 of 'rubric' of .*question 1"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    """The field, and the question."""
    broken = deepcopy(BEAM)
    broken["questions"][0] |= change
    with pytest.raises(InvalidInput, match=message):
        list(talks([written(tmp_path, "3.json", broken)]))


def test_broken_turns_are_named(tmp_path: Path) -> None:
    """With their numbers."""
    for change, message in (
        ({"id": "0"}, "'id' of 3.json, conversation 1, turn 1 must be a whole number"),
        ({"role": None}, "'role' of .*turn 1 is missing"),
        ({"time_anchor": "soon"}, "3.json, conversation 1, turn 1: .*time_anchor"),
    ):
        broken = deepcopy(BEAM)
        broken["turns"][0] |= change
        with pytest.raises(InvalidInput, match=message):
            list(talks([written(tmp_path, "3.json", broken)]))


@pytest.mark.usefixtures("hashed")
def test_the_whole_evaluation_without_a_model(tmp_path: Path) -> None:
    """Evidence is found, answers are extracted, what is not known is not answered."""
    records = {record.id: record for record in asked(tmp_path)}
    assert records["3-update"].metrics["recall@5"] == 1
    assert records["3-update"].detail["ingested"]["turns"] == 4
    assert records["3-contradiction"].metrics["recall_all@5"] == 1
    assert "rubric" not in records["3-update"].metrics
    assert set(records["3-abstention"].metrics) == {"context_tokens", "abstained", "degraded"}


@pytest.mark.usefixtures("hashed")
def test_finished_questions_are_not_asked_again(tmp_path: Path) -> None:
    """A second run adds only what another system has to say."""
    assert len(asked(tmp_path)) == 3
    again = asked(tmp_path, "default", "raw-turns")
    assert [record.system for record in again] == ["default"] * 3 + ["raw-turns"] * 3


@pytest.mark.usefixtures("hashed")
def test_a_model_grades_by_the_rubric(tmp_path: Path) -> None:
    """The abstention, too."""

    def model(request: Received) -> Reply:
        case = request.body["messages"][-1]["content"]
        if "Point: " in case:
            return completion(json.dumps({"grade": 1 if "250 ms" in case else 0.5}))
        return completion(f"{MARKER} 250 ms" if "<memory>" in case else "yes")

    with serve(model) as server:
        records = {r.id: r for r in asked(tmp_path, llm_url=server.url, llm_model="m")}
    assert records["3-update"].metrics["rubric"] == 1
    assert records["3-abstention"].metrics["rubric"] == 1
    assert records["3-update"].metrics["f1"] == 1


def asked(folder: Path, *systems: str, **settings: Any) -> list[Record]:
    """The records after a run on the sample."""
    paths = [written(folder, "3.json", BEAM)]
    plan = Plan(load(**settings), chosen(systems or ["default"]), SCORING, 500, 1)
    watcher = Noted()
    with Run.open(folder / "run", manifest("beam", plan, paths, "run")) as run:
        evaluate(run, talks(paths), plan, watcher)
    assert watcher.done == 3 * len(plan.systems)
    assert re.fullmatch(r"taking in \S+: 0/(\d+)", watcher.told[0])
    assert len(set(re.findall(r"\d+/(\d+)", " ".join(watcher.told)))) == 1
    assert watcher.told[-1] == "asking"
    return read_records(folder / "run")
