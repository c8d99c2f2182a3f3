"""The evaluation that compares systems, on the command line; each system in a real process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hypermnesia.cli.app import app

LINES = [
    {"id": "a", "text": "The billing queue runs on NATS."},
    {"id": "b", "text": "The office cat is called Miso."},
    {"question": "What is the cat called?", "gold": ["b"], "class": "fact"},
]


def compared(tmp_path: Path, *options: str) -> Result:
    """The outcome of comparing on a small file."""
    data = tmp_path / "own.jsonl"
    data.write_text("".join(json.dumps(line) + "\n" for line in LINES), "utf-8")
    results = str(tmp_path / "results")
    return CliRunner().invoke(app, ["eval", "compare", str(data), "--results", results, *options])


def test_a_comparison_is_shown_and_kept(tmp_path: Path) -> None:
    """Two tables on stdout; the same command again finds everything done; JSON tells it all."""
    first = compared(tmp_path, "--systems", "fts5", "--name", "first")
    again = compared(tmp_path, "--systems", "fts5", "--name", "first", "--json")

    assert first.exit_code == 0, first.output
    assert "| fts5 | 1.000 |" in first.stdout
    assert "peak MB" in first.stdout
    assert "1 records in" in first.stderr
    found = json.loads(again.stdout)
    assert found["summary"]["systems"]["fts5"]["all"]["recall@10"]["mean"] == 1
    assert found["speed"]["fts5"]["search_ms"]["n"] == 1


def test_the_manifest_tells_what_was_compared(tmp_path: Path) -> None:
    """Versions, settings, data and machine; no folder of the user."""
    compared(tmp_path, "--systems", "fts5", "--k", "3")
    text = (tmp_path / "results" / "compare" / "manifest.json").read_text("utf-8")
    manifest = json.loads(text)

    assert manifest["command"] == "hypermnesia eval compare own.jsonl --systems fts5 --k 3"
    assert manifest["settings"]["systems"].keys() == {"fts5"}
    assert list(manifest["data"]) == ["own.jsonl"]
    assert "load" in manifest["machine"]
    assert str(tmp_path) not in text


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--systems", "mongo"), 1, "there is no system 'mongo'"),
        (("--systems", ","), 1, "no system is named"),
        (("--k", "0"), 2, "0 is not in the range"),
    ],
)
def test_what_cannot_be_compared_is_told(
    tmp_path: Path, options: tuple[str, ...], status: int, message: str
) -> None:
    """1 for what only running finds out, 2 for usage."""
    result = compared(tmp_path, *options)

    assert (result.exit_code, message in result.stderr) == (status, True), result.output


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    """By its name, not by a traceback."""
    missing = str(tmp_path / "none.json")
    result = CliRunner().invoke(app, ["eval", "compare", missing, "--results", str(tmp_path)])

    assert result.exit_code == 1
    assert f"{missing} cannot be read" in result.stderr
