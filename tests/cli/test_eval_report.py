"""The last steps of an evaluation at the command line: report, verify."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hypermnesia.cli.app import app
from tests.evals import runs


def _run(*args: str) -> Result:
    return CliRunner().invoke(app, ["eval", *args])


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder of results with one run."""
    runs.make(tmp_path / "results" / "small")
    return tmp_path / "results"


def test_a_report_names_the_files_it_wrote(results: Path) -> None:
    """One a line, or as one document."""
    plain = _run("report", "small", "--no-plots", "--results", str(results))
    assert plain.exit_code == 0
    assert all(Path(line).exists() for line in plain.stdout.splitlines())
    listed = _run("report", "small", "--no-plots", "--results", str(results), "--json")
    assert json.loads(listed.stdout) == {"files": plain.stdout.splitlines()}


def test_a_published_run_can_be_cited(results: Path) -> None:
    """From the folder that is committed."""
    args = ("--no-plots", "--publish", "--results", str(results))
    assert _run("report", "small", *args).exit_code == 0
    assert (results / "published" / "small" / "summary.json").exists()


@pytest.mark.parametrize("name", ["absent", "../small", ""])
def test_a_run_that_is_not_there_is_a_reported_failure(results: Path, name: str) -> None:
    """Status 1, and no traceback."""
    failed = _run("report", name, "--results", str(results))
    assert failed.exit_code == 1
    assert failed.stderr.startswith("error: ")


def test_a_false_figure_is_a_failure(tmp_path: Path) -> None:
    """Status 1 with the problems on stdout; 0 once it is right."""
    (tmp_path / "data.json").write_text('{"x": 0.62}')
    page = tmp_path / "README.md"
    page.write_text("It is 0.63 <!-- eval: data.json#/x tol=0.005 -->.\n")
    failed = _run("verify", "--root", str(tmp_path))
    assert failed.exit_code == 1
    assert failed.stdout.startswith("README.md:1\t0.63 is written, 0.62 is in data.json#/x")
    document = json.loads(_run("verify", "--root", str(tmp_path), "--json").stdout)
    assert (document["checked"], len(document["problems"])) == (1, 1)
    page.write_text(page.read_text().replace("0.63", "0.62"))
    assert _run("verify", "--root", str(tmp_path)).exit_code == 0


def test_usage_errors_exit_2(tmp_path: Path) -> None:
    """An unknown evaluation, a report of nothing, a project that is not there."""
    for args in (("nonsense",), ("report",), ("verify", "--root", str(tmp_path / "absent"))):
        assert _run(*args).exit_code == 2


def test_the_help_of_evaluations_loads_none_of_them() -> None:
    """It lists what there is."""
    shown = _run("--help").stdout
    for name in ("simulate", "locomo", "beam", "longmemeval", "compare", "report", "verify"):
        assert f"  {name} " in shown
