"""judge train and reset: nothing is installed unasked, and the way back is one command."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hypermnesia.cli.app import app
from hypermnesia.config import build, load
from hypermnesia.judge.local import LocalJudge
from hypermnesia.judge.training.rows import read as rows_of
from hypermnesia.judge.training.texts import encode
from hypermnesia.models.encoder import OnnxEncoder
from tests.judge.training.samples import comparisons, opinions, write


def run(*args: str) -> Result:
    """A command as a user would run it."""
    return CliRunner().invoke(app, ["judge", *args])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where heads are installed."""
    monkeypatch.setenv("HYPERMNESIA_JUDGE_HEADS", str(tmp_path / "own" / "heads.npz"))
    return tmp_path / "own" / "heads.npz"


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    """Rows that teach something."""
    return str(write(tmp_path / "corpus.jsonl", comparisons(110)))


def test_without_accept_nothing_is_installed(place: Path, corpus: str) -> None:
    """A line for each head tells how it would do."""
    result = run("train", "--corpus", corpus)
    assert result.exit_code == 0, result.output
    head, answers, groups, *figures, verdict = result.stdout.splitlines()[0].split("\t")
    assert (head, answers, verdict) == ("supersede/full", "110", "better")
    assert int(groups) > 25
    assert all("->" in figure for figure in figures)
    assert "nothing was installed, --accept does that" in result.stderr
    assert not place.exists()


def test_accepted_heads_are_in_force_until_they_are_reset(
    place: Path, corpus: str, tmp_path: Path
) -> None:
    """The judge, `models` and each memory name them."""
    found = json.loads(run("train", "--corpus", corpus, "--accept", "--json").stdout)
    assert found["installed"] == str(place)
    better = {head["head"] for head in found["heads"] if head["better"]}
    assert "supersede/full" in better
    assert found["heads"][0]["measures"]["brier"]["trained"] < 1
    engine = build(load(store=str(tmp_path / "m.db")))
    (name,) = [judge.name for judge, _ in engine.judge._links]
    engine.store.close()
    assert name.startswith("local_")
    shown = CliRunner().invoke(app, ["models"]).stdout
    assert f"trained further ({name})" in shown
    assert str(place) in shown
    assert json.loads(run("reset", "--json").stdout) == {"removed": str(place)}
    assert json.loads(run("reset", "--json").stdout) == {"removed": None}
    assert "shipped" in CliRunner().invoke(app, ["models"]).stdout
    assert not place.exists()


@pytest.mark.parametrize("rows", [5, 0])
def test_a_corpus_that_teaches_nothing_is_a_reported_failure(
    tmp_path: Path, place: Path, rows: int
) -> None:
    """Exit status 1, the file and what it lacks on one line."""
    path = write(tmp_path / "small.jsonl", opinions(rows))
    result = run("train", "--corpus", str(path), "--accept")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "small.jsonl" in result.stderr
    assert not place.exists()


def test_accepting_what_is_not_better_fails_and_installs_nothing(
    tmp_path: Path, place: Path, encoder: OnnxEncoder
) -> None:
    """Who thinks exactly as the shipped judge does cannot teach it; bad rows are counted."""
    rows = comparisons(110)
    read = encode(rows_of(write(tmp_path / "c.jsonl", rows)), encoder, lambda _done: None).memories
    for row in rows:
        old, new = (read[row["state"][name]] for name in ("existing_memory", "incoming_memory"))
        row["answers"] = {"supersede": {"noul": LocalJudge().supersede([old], new)[0]}}
    result = run("train", "--corpus", str(write(tmp_path / "c.jsonl", [*rows, "{"])), "--accept")
    assert result.exit_code == 1
    assert "1 row could not be used; line 111: not JSON" in result.stderr
    assert "nothing was installed" in result.stderr
    assert not place.exists()


def test_heads_that_must_stay_shipped_are_not_installed(
    monkeypatch: pytest.MonkeyPatch, corpus: str
) -> None:
    """The setting is named."""
    monkeypatch.setenv("HYPERMNESIA_JUDGE_HEADS", "shipped")
    result = run("train", "--corpus", corpus, "--accept")
    assert result.exit_code == 1
    assert "judge_heads" in result.stderr


def test_damaged_heads_are_told_by_every_verb_with_the_way_back(
    place: Path, tmp_path: Path
) -> None:
    """No traceback, no silent fallback."""
    place.parent.mkdir()
    place.write_bytes(b"not heads")
    result = CliRunner().invoke(app, ["add", "--store", str(tmp_path / "m.db"), "a text"])
    assert result.exit_code == 1
    assert "hypermnesia judge reset" in result.stderr
    assert run("reset").exit_code == 0
