"""Results: raw, repeatable, resumable, and summed up from the records alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hypermnesia.errors import Conflict, InvalidInput, NotFound
from hypermnesia.evals import results
from hypermnesia.evals.publish import publish
from hypermnesia.evals.records import Key, Record
from hypermnesia.evals.results import Manifest, Run
from hypermnesia.evals.summary import summarise
from tests.evals import runs


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    """Timings, machine and start apart, which have files of their own."""
    first, second = runs.make(tmp_path / "a"), runs.make(tmp_path / "b")
    for name in (results.RECORDS, results.SUMMARY):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    assert "search_ms" not in (first / results.RECORDS).read_text()
    assert "search_ms" not in (first / results.SUMMARY).read_text()


def test_an_interrupted_run_keeps_its_records_and_goes_on(tmp_path: Path) -> None:
    """Ctrl-C loses the question at hand; the rest ends in the bytes of a run in one go."""
    listed = list(runs.records())

    def interrupted() -> None:
        with Run.open(tmp_path / "cut", runs.manifest()) as run:
            for record in listed[:9]:
                run.record(record)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not (tmp_path / "cut" / results.SUMMARY).exists()
    with Run.open(tmp_path / "cut", runs.manifest()) as run:
        missing = [record for record in listed if not run.done(record.key)]
        assert missing == listed[9:]
        for record in missing:
            run.record(record)
        run.finish()
    whole = runs.make(tmp_path / "whole")
    for name in (results.RECORDS, results.SUMMARY):
        assert (tmp_path / "cut" / name).read_bytes() == (whole / name).read_bytes()


def test_a_torn_line_of_a_killed_process_is_made_again(tmp_path: Path) -> None:
    """Half a record is none."""
    first, second, *_ = runs.records()
    with Run.open(tmp_path, runs.manifest()) as run:
        run.record(first)
    with (tmp_path / results.RECORDS).open("a") as file:
        file.write(second.line()[:40])
    with Run.open(tmp_path, runs.manifest()) as run:
        assert run.done(first.key)
        assert not run.done(second.key)
        run.record(second)
    assert results.read_records(tmp_path) == [first, second]


def test_another_run_is_not_mixed_in(tmp_path: Path) -> None:
    """Other settings need another name, or a fresh start."""
    runs.make(tmp_path)
    with pytest.raises(Conflict, match=r"other settings.*--fresh"):
        Run.open(tmp_path, runs.manifest(k=20))
    with Run.open(tmp_path, runs.manifest(k=20), fresh=True) as run:
        assert not run.done(Key("plain", "q0", 11))
    assert not (tmp_path / results.SUMMARY).exists()


def test_a_run_may_go_on_on_another_machine_later(tmp_path: Path) -> None:
    """Neither decides a record."""
    here = runs.manifest()
    runs.make(tmp_path)
    there = replace(here, machine={"processor": "another"}, started="2031-01-01T00:00:00+00:00")
    with Run.open(tmp_path, there) as run:
        assert run.done(Key("plain", "q0", 11))


def test_a_key_is_recorded_once(tmp_path: Path) -> None:
    """Twice would count twice."""
    record = next(runs.records())
    with Run.open(tmp_path, runs.manifest()) as run:
        run.record(record)
        with pytest.raises(Conflict):
            run.record(record)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}])
def test_a_record_that_is_not_json_is_refused(tmp_path: Path, value: object) -> None:
    """With the key that tells which; nothing of it is written."""
    with Run.open(tmp_path, runs.manifest()) as run:
        with pytest.raises(InvalidInput, match="default/None/q7"):
            run.record(Record("q7", "default", "x", detail={"value": value}))
        assert not run.done(Key("default", "q7"))
    assert results.read_records(tmp_path) == []


def test_any_text_survives(tmp_path: Path) -> None:
    """Line separators, lone surrogates and all."""
    record = Record("q\u2028\ud800", "default", "naïve", ranked=("日本", "\x00"))
    with Run.open(tmp_path, runs.manifest()) as run:
        run.record(record)
    assert results.read_records(tmp_path) == [record]


def test_damaged_records_are_told_by_their_line(tmp_path: Path) -> None:
    """Not skipped: a run with holes is not the run that is named."""
    runs.make(tmp_path)
    lines = (tmp_path / results.RECORDS).read_text().splitlines(keepends=True)
    (tmp_path / results.RECORDS).write_text("".join([*lines[:2], '{"id": "q"}\n', *lines[2:]]))
    with pytest.raises(InvalidInput, match=r"records\.jsonl, line 3"):
        results.read_records(tmp_path)
    (tmp_path / results.RECORDS).write_text("".join([lines[0], "no JSON\n"]))
    with pytest.raises(InvalidInput, match=r"records\.jsonl, line 2"):
        Run.open(tmp_path, runs.manifest())


@pytest.mark.parametrize("name", ["", "..", "a/b", "/tmp", ".hidden", "a\\b", "x" * 101, "a\n"])
def test_a_name_is_no_path(tmp_path: Path, name: str) -> None:
    """Results stay below their folder."""
    with pytest.raises(InvalidInput, match="cannot name a folder"):
        results.folder(tmp_path, name)


def test_means_are_over_seeds_and_spreads_between_them(tmp_path: Path) -> None:
    """As the published table: mean of the seeds' means, population deviation."""
    values = {11: (0.0, 1.0), 12: (1.0, 1.0)}
    listed = [
        Record(f"q{n}", "s", "c", metrics={"recall@5": value}, seed=seed)
        for seed, pair in values.items()
        for n, value in enumerate(pair)
    ]
    assert summarise(listed)["systems"]["s"]["all"] == {
        "recall@5": {"mean": 0.75, "sd": 0.25, "n": 4}
    }


def test_a_metric_is_averaged_over_the_questions_that_have_it() -> None:
    """An abstention has no recall, and must not lower it."""
    listed = [
        Record("q1", "s", "single", metrics={"recall@5": 1.0}),
        Record("q2", "s", "abstain", metrics={"abstained": 1.0}),
    ]
    assert summarise(listed)["systems"]["s"]["all"] == {
        "recall@5": {"mean": 1.0, "n": 1},
        "abstained": {"mean": 1.0, "n": 1},
    }


def test_differences_pair_the_questions_that_both_answered() -> None:
    """In whatever order they came."""
    listed = [
        Record("q1", "base", "c", metrics={"m": 0.0}),
        Record("q2", "base", "c", metrics={"m": 1.0}),
        Record("q2", "new", "c", metrics={"m": 1.0}),
        Record("q3", "new", "c", metrics={"m": 1.0}),
    ]
    assert summarise(listed, "base")["differences"] == {
        "new": {"m": {"mean": 0.0, "low": 0.0, "high": 0.0, "n": 1}}
    }


def test_speed_is_summed_up_apart(tmp_path: Path) -> None:
    """By system, in the unit of its name."""
    folder = runs.make(tmp_path)
    speed = results.read_json(folder / results.SPEED)
    assert speed["good"]["search_ms"]["n"] == 12
    assert speed["good"]["search_ms"]["p50"] == pytest.approx(3.5, abs=1)


def test_what_is_published_can_be_summed_up_again(tmp_path: Path) -> None:
    """The records without their rankings give the same summary; the bytes are repeatable."""
    folder = runs.make(tmp_path / "run")
    for copy in ("one", "two"):
        publish(folder, tmp_path / copy)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == ["manifest.json", "records.jsonl.gz", "speed.json", "summary.json",
                     "timings.jsonl.gz"]  # fmt: skip
    again = json.loads(json.dumps(summarise(results.read_records(tmp_path / "one"), "plain")))
    assert again == results.read_json(folder / results.SUMMARY)
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_only_a_finished_run_is_published(tmp_path: Path) -> None:
    """Half a run is no result."""
    Run.open(tmp_path / "run", runs.manifest()).__exit__(None, None, None)
    with pytest.raises(NotFound, match=r"summary\.json"):
        publish(tmp_path / "run", tmp_path / "published")


def test_data_files_are_named_by_their_digest(tmp_path: Path) -> None:
    """Not by where this reader keeps them."""
    path = tmp_path / "data.json"
    path.write_text("[]")
    found = Manifest.of("eval x", data=[path]).data
    assert found == {
        "data.json": "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
    }
    with pytest.raises(InvalidInput, match="cannot be read"):
        results.digests([tmp_path / "absent.json"])
