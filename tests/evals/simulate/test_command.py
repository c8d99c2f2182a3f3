"""``hypermnesia eval simulate``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hypermnesia.cli.app import app
from hypermnesia.config import Settings
from hypermnesia.evals.simulate import run as simulation
from hypermnesia.models.encoder import OnnxEncoder


@pytest.fixture(scope="module", autouse=True)
def shared_encoder(encoder: OnnxEncoder) -> Iterator[None]:
    """The bundled encoder, loaded once for all tests."""

    def loaded(_settings: Settings) -> OnnxEncoder:
        return encoder

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hypermnesia.config.embedder_of", loaded)
        yield


def run(results: Path, *arguments: str) -> Result:
    """A small simulation."""
    small = ("--n-mem", "200", "--n-q", "8", "--seeds", "11,12", "--only", "dense", "--only", "rrf")
    return CliRunner().invoke(
        app, ["eval", "simulate", *small, "--results", str(results), *arguments]
    )


FILES = ("records.jsonl", "summary.json", "findings.json", "writing.json")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of results that one run has left, and what it showed."""
    results = tmp_path_factory.mktemp("finished")
    result = run(results)
    assert result.exit_code == 0, result.output
    return results, result.output


def test_it_shows_tables_and_findings_and_keeps_records(
    tmp_path: Path, finished: tuple[Path, str]
) -> None:
    """In a folder of its own."""
    made, shown = finished
    assert "| dense |" in shown
    assert "equal-weight RRF ranks worse than dense" in shown
    folder = tmp_path / "simulate"
    shutil.copytree(made / "simulate", folder)
    assert len((folder / "records.jsonl").read_text("utf-8").splitlines()) == 2 * 8 * 2
    findings = json.loads((folder / "findings.json").read_text("utf-8"))
    assert list(findings["comparisons"]) == ["dense - rrf"]
    writing = json.loads((folder / "writing.json").read_text("utf-8"))
    assert set(writing) == {"11", "12"}
    assert 0 <= writing["11"]["supersede_recall"] <= 1
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert manifest["settings"]["seeds"] == [11, 12]

    result = run(tmp_path, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["summary"]["records"] == 32
    assert json.loads((folder / "writing.json").read_text("utf-8")) == writing

    result = run(tmp_path, "--workload", "paper")
    assert result.exit_code == 1
    assert "--fresh" in result.output

    result = run(tmp_path, "--seeds", "12", "--fresh")
    assert result.exit_code == 0, result.output
    assert set(json.loads((folder / "writing.json").read_text("utf-8"))) == {"12"}


def test_an_interrupted_run_keeps_how_well_it_wrote(
    tmp_path: Path, finished: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seed that was finished is not written again, so what was found out must be there."""
    measured, asked = simulation.measured, 0

    def interrupted(*args: Any) -> dict[str, float]:
        nonlocal asked
        asked += 1
        if asked == 20:  # two configurations by eight questions, and four of the second seed
            raise KeyboardInterrupt
        return measured(*args)

    monkeypatch.setattr(simulation, "measured", interrupted)
    assert run(tmp_path).exit_code != 0
    assert run(tmp_path).exit_code == 0
    assert asked == 20 + 13
    for name in FILES:
        files = [(results / "simulate" / name).read_bytes() for results in (tmp_path, finished[0])]
        assert files[0] == files[1], name


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--seeds", "11,x"), 2, "whole numbers"),
        (("--seeds", ""), 2, "whole numbers"),
        (("--n-mem", "3"), 2, "200"),
        (("--only", "magic"), 1, "one of default, dense"),
        (("--n-q", "900"), 1, "ask for more memories or fewer questions"),
        (("--name", "../up"), 1, "cannot name a folder"),
    ],
)
def test_bad_input_is_named(
    tmp_path: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    """Usage exits with 2, what is found later with 1."""
    result = run(tmp_path, *arguments)
    assert (result.exit_code, message in result.output) == (status, True), result.output
