"""The six stages on two small talks: what each leaves, alone, again, interrupted, with a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.answer.prompt import MARKER
from hypermnesia.config import load
from hypermnesia.errors import Conflict, InvalidInput, ModelError
from hypermnesia.evals.locomo import stages
from hypermnesia.evals.locomo.experiment import Experiment, prepare
from hypermnesia.evals.locomo.stages import discard, gather, numbers, run_stage
from hypermnesia.evals.records import Record
from hypermnesia.evals.report import write_report
from hypermnesia.evals.results import read_json, read_records, read_timings
from hypermnesia.evals.systems import SYSTEMS, chosen
from hypermnesia.evals.tables import Results
from tests.evals.samples import ANN, AUDIT, CLEO, written
from tests.servers.http import Received, Reply, nothing_listening, serve
from tests.servers.protocols import completion

pytestmark = pytest.mark.usefixtures("hashed")
DEFAULT = chosen(["default"])


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    """An experiment that nothing was done for yet."""
    return made(tmp_path)


def made(folder: Path, name: str = "run", **settings: Any) -> Experiment:
    """An experiment on the samples."""
    file = written(folder, "locomo.json", [ANN, CLEO])
    return prepare(file, folder / name, load(**settings), rounds=1)


def run(experiment: Experiment, which: str, *names: str) -> list[int]:
    """Run stages; how much each told to be done."""
    systems = chosen(names or ["default"], whole=True)
    told: list[int] = []
    for stage in numbers(which):
        done: list[int] = []
        run_stage(experiment, stage, systems, done.append)
        told.append(sum(done))
        assert sum(done) == stages.amount(experiment, stage, systems)
    return told


def by_id(experiment: Experiment, system: str = "default") -> dict[str, Record]:
    """The gathered records of a system."""
    gather(experiment)
    return {r.id: r for r in read_records(experiment.folder) if r.system == system}


def test_every_stage_leaves_json(experiment: Experiment) -> None:
    """Episodes, hypergraph, index, retrieval, answers: each can be looked at."""
    run(experiment, "1-6")
    episodes = read_json(experiment.part("1_episodes.json"))
    assert episodes["ann-bo"]["ingested"]["turns"] == 4
    told = [turn for episode in episodes["ann-bo"]["episodes"] for turn in episode["turns"]]
    assert sorted(told) == ["D10:1", "D10:2", "D2:1", "D2:2"]
    graph = read_json(experiment.part("2_hypergraph.json"))
    assert any(fact["turns"] == ["D2:1"] for fact in graph["ann-bo"]["facts"])
    heads = {edge["head"] for edge in graph["ann-bo"]["hyperedges"]}
    assert heads & {episode["id"] for episode in episodes["ann-bo"]["episodes"]}
    index = read_json(experiment.part("3_index.json"))
    assert (index["ok"], index["levels"]["ann-bo"]["turn"]) == (True, 4)
    retrieved = {r.id: r for r in read_records(experiment.part("4_retrieval"))}
    assert retrieved["locomo_0_qa0"].ranked[0] == "D2:1"
    assert "greyhound" in retrieved["locomo_0_qa0"].detail["context"]
    assert retrieved["locomo_0_qa0"].detail["facts"]
    answers = {r.id: r for r in read_records(experiment.part("5_answers"))}
    assert answers["locomo_0_qa0"].detail["kind"] == "extractive"
    assert not experiment.part("6_judgement").exists()


def test_the_gathered_records_hold_what_every_stage_found(experiment: Experiment) -> None:
    """Retrieval and answer of a question in one record, timings beside them."""
    run(experiment, "1-6")
    record = by_id(experiment)["locomo_0_qa0"]
    assert record.metrics["recall@5"] == 1
    assert record.metrics["extractive_f1"] > 0
    assert {"context", "answer", "gold_answer", "question"} <= set(record.detail)
    timing = read_timings(experiment.folder)[record.key]
    assert set(timing) == {"search_ms", "context_ms", "answer_ms"}
    manifest = read_json(experiment.folder / "manifest.json")
    assert any("93.57%" in limit for limit in manifest["settings"]["limits"])
    assert manifest["settings"]["quirks"]["cleo-dan"] == {"id of no turn": 1}


def test_the_report_states_what_limits_the_figures(experiment: Experiment) -> None:
    """In the text and on the page."""
    run(experiment, "1-4")
    gather(experiment)
    report = experiment.folder / "report"
    write_report([Results.load(experiment.folder)], report, drawn=False)
    for name in ("report.md", "report.html"):
        text = (report / name).read_text("utf-8")
        assert "93.57%" in text
        assert "92.6%" in text


def test_what_has_no_answer_is_measured_by_abstention_alone(experiment: Experiment) -> None:
    """Category 5 has no part in recall or F1, and a question without evidence none in recall."""
    run(experiment, "1-6")
    records = by_id(experiment)
    assert set(records["locomo_0_qa3"].metrics) == {"context_tokens", "abstained", "degraded"}
    assert "recall@5" not in records["locomo_0_qa4"].metrics
    assert "extractive_f1" in records["locomo_0_qa4"].metrics
    summary = gather(experiment)["systems"]["default"]
    assert set(summary["classes"]["adversarial"]) == {"context_tokens", "abstained", "degraded"}
    assert summary["all"]["abstained"]["n"] == 1


@pytest.mark.parametrize("stage", [2, 3, 4, 5])
def test_a_stage_needs_the_one_before(experiment: Experiment, stage: int) -> None:
    """And says which."""
    with pytest.raises(InvalidInput, match=f"stage {stage - 1} before"):
        run(experiment, str(stage))


def test_the_first_stage_is_read_from_its_json(experiment: Experiment) -> None:
    """A later stage works on what the former wrote."""
    run(experiment, "1")
    path = experiment.part("1_episodes.json")
    path.write_text(json.dumps({"cleo-dan": read_json(path)["cleo-dan"]}), "utf-8")
    run_stage(experiment, 2, DEFAULT, lambda _done: None)
    assert list(read_json(experiment.part("2_hypergraph.json"))) == ["cleo-dan"]


def test_a_stage_is_run_again_alone(experiment: Experiment) -> None:
    """What it left is dropped; the rest stays."""
    run(experiment, "1-5")
    before = experiment.part("4_retrieval/records.jsonl").read_bytes()
    discard(experiment, [5])
    assert not experiment.part("5_answers").exists()
    assert experiment.part("4_retrieval/records.jsonl").read_bytes() == before
    run(experiment, "5")
    assert experiment.part("5_answers/records.jsonl").exists()
    discard(experiment, [1, 2, 3, 4, 5, 6])
    assert not experiment.store.exists()


def test_an_interrupted_stage_goes_on_where_it_stopped(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The finished questions are kept, and not asked again."""
    run(experiment, "1-3")
    retrieve, asked = stages.retrieve, list[str]()

    def interrupted(*args: Any) -> Any:
        asked.append(args[2].id)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return retrieve(*args)

    monkeypatch.setattr(stages, "retrieve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(experiment, "4")
    assert len(read_records(experiment.part("4_retrieval"))) == 2
    run(experiment, "4")
    assert len(asked) == len(set(asked)) + 1 == 7
    assert len(read_records(experiment.part("4_retrieval"))) == 6


def test_the_same_run_gives_the_same_records(tmp_path: Path) -> None:
    """Byte for byte, ids of memories notwithstanding."""
    one, other = made(tmp_path, "one"), made(tmp_path, "other")
    for each in (one, other):
        run(each, "1-6", "default", "hypermem", "full-context")
        gather(each)
    records = [(each.folder / "records.jsonl").read_bytes() for each in (one, other)]
    assert records[0] == records[1]


def test_another_audit_is_another_experiment(tmp_path: Path) -> None:
    """Records of different gold are not mixed."""
    run(made(tmp_path), "1-4")
    file, audit = tmp_path / "locomo.json", written(tmp_path, "audit.json", AUDIT)
    audited = prepare(file, tmp_path / "run", load(), audit=audit)
    with pytest.raises(Conflict, match="another --name"):
        run(audited, "4")
    other = prepare(file, tmp_path / "audited", load(), audit=audit)
    run(other, "1-4")
    assert by_id(other)["locomo_0_qa2"].gold == ("D2:1",)
    assert by_id(other)["locomo_0_qa2"].detail["note"] == "HALLUCINATION"
    assert other.manifest().settings["audit"]["on no question here"] == 1


def test_talks_can_be_selected(tmp_path: Path) -> None:
    """By name; an unknown one is an error that lists the known."""
    file = written(tmp_path, "locomo.json", [ANN, CLEO])
    one = prepare(file, tmp_path / "run", load(), select=["cleo-dan"])
    run(one, "1-4")
    assert list(by_id(one)) == ["locomo_1_qa0"]
    assert "--select cleo-dan" in one.manifest().command
    with pytest.raises(InvalidInput, match="'zoe'; it has ann-bo, cleo-dan"):
        prepare(file, tmp_path / "run", load(), select=["zoe"])


@pytest.mark.parametrize("stage", ["4", "5"])
def test_a_talk_that_was_not_ingested_is_not_asked_about(tmp_path: Path, stage: str) -> None:
    """Nothing would be found, and the zeros would count."""
    file = written(tmp_path, "locomo.json", [ANN, CLEO])
    run(prepare(file, tmp_path / "run", load(), select=["cleo-dan"]), "1-4")
    with pytest.raises(InvalidInput, match="has no talk 'ann-bo'"):
        run(prepare(file, tmp_path / "run", load()), stage)


@pytest.mark.parametrize("stage", ["1", "2", "3", "4", "5"])
def test_another_talk_of_the_same_name_is_refused(tmp_path: Path, stage: str) -> None:
    """Neither is the store of the other asked, nor are the two mixed."""
    run(made(tmp_path), "1-4")
    file = written(tmp_path, "other.json", [{**CLEO, "sample_id": ANN["sample_id"]}])
    other = prepare(file, tmp_path / "run", load())
    with pytest.raises(Conflict, match="another --experiment"):
        run(other, stage)
    discard(other, [1, 2, 3, 4, 5])
    run(other, "1-4")


def test_records_of_other_questions_are_not_answered(tmp_path: Path) -> None:
    """They have the same ids, whatever the file; here the talks are the same."""
    run(made(tmp_path), "1-4")
    fewer = [{**ANN, "qa": ANN["qa"][1:]}, CLEO]
    other = prepare(written(tmp_path, "other.json", fewer), tmp_path / "run", load(), rounds=1)
    with pytest.raises(Conflict, match="run stage 4 anew"):
        run(other, "5")
    discard(other, [4])
    run(other, "4-5")


def test_every_system_reads_the_same_store(experiment: Experiment) -> None:
    """Presets, ablations and baselines; systems can be added later."""
    run(experiment, "1-3")
    run(experiment, "4-5")
    run(experiment, "4-5", *SYSTEMS)
    summary = gather(experiment)
    assert set(summary["systems"]) == set(SYSTEMS)
    assert set(summary["differences"]) == set(SYSTEMS) - {"default"}
    for name, system in SYSTEMS.items():
        assert ("recall@10" in summary["systems"][name]["all"]) == system.retrieves
    whole = by_id(experiment, "full-context")["locomo_0_qa0"]
    assert whole.metrics["context_tokens"] > 40
    assert "answer" not in whole.detail
    turns_alone = by_id(experiment, "raw-turns")["locomo_0_qa0"].detail["context"]
    assert "fact:" not in turns_alone


def model(request: Received) -> Reply:
    """Knows the greyhound's name; judges that right and everything else wrong."""
    case = request.body["messages"][-1]["content"]
    if "response_format" in request.body:
        right = "Given answer: Biscuit" in case
        return completion(json.dumps({"reason": "so", "correct": right}))
    if "<memory>" in case:
        known = "greyhound called?" in case
        return completion(f"{MARKER} {'Biscuit [1]' if known else 'not known'}")
    return completion("yes")


@pytest.fixture
def url() -> Iterator[str]:
    """Where that model is served."""
    with serve(model) as server:
        yield server.url


def test_a_model_answers_and_judges(tmp_path: Path, url: str) -> None:
    """F1 is the model's; the whole talk is answered from, too."""
    run(made(tmp_path), "1-3")
    asked = made(tmp_path, llm_url=url, llm_model="m")
    run(asked, "4-6", "default", "full-context")
    for system in ("default", "full-context"):
        records = by_id(asked, system)
        name, wheels = records["locomo_0_qa0"], records["locomo_0_qa3"]
        assert (name.detail["answer"], name.detail["kind"]) == ("Biscuit", "model")
        assert (name.metrics["f1"], name.metrics["judge_strict"]) == (1, 1)
        assert "extractive_f1" not in name.metrics
        assert wheels.metrics["abstained"] == wheels.metrics["judge_abstained"] == 1
        assert records["locomo_1_qa0"].metrics["judge_generous"] == 0
    assert "127.0.0.1" in json.dumps(asked.manifest().settings)
    assert "http" not in json.dumps(asked.manifest().settings)


def test_a_model_that_does_not_answer_is_noticed_first(tmp_path: Path) -> None:
    """Before answers are extracted that would pass for a model's."""
    run(made(tmp_path), "1-3")
    with nothing_listening() as nowhere:
        asked = made(tmp_path, llm_url=nowhere, llm_model="m", llm_attempts=1)
        run(asked, "4")
        with pytest.raises(ModelError):
            run(asked, "5")
    assert not asked.part("5_answers").exists()


def test_a_model_without_usable_answers_is_marked(tmp_path: Path) -> None:
    """From the whole talk nothing is known; from memory a sentence is extracted."""
    run(made(tmp_path), "1-3")
    with serve(lambda _: completion("I would rather not.")) as server:
        asked = made(tmp_path, llm_url=server.url, llm_model="m")
        run(asked, "4-5", "default", "full-context")
    for system, kind in (("default", "extractive"), ("full-context", "model")):
        record = by_id(asked, system)["locomo_0_qa0"]
        assert (record.detail["kind"], record.metrics["degraded"]) == (kind, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1-6", [1, 2, 3, 4, 5, 6]),
        ("4 5 6", [4, 5, 6]),
        ("2,4-6", [2, 4, 5, 6]),
        (" 3 ", [3]),
        ("6,1", [1, 6]),
    ],
)
def test_stages_are_named_as_people_do(text: str, expected: list[int]) -> None:
    """In any order, run in theirs."""
    assert numbers(text) == expected


@pytest.mark.parametrize("text", ["", "0", "7", "6-4", "a", "1-", "1--2", "4;5"])
def test_other_stages_are_refused(text: str) -> None:
    """With how to write them."""
    with pytest.raises(InvalidInput, match="stages are written"):
        numbers(text)
