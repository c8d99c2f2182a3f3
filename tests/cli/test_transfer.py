"""export, import, backup."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import NEW, OLD, Terminal


def test_an_export_can_be_imported_without_loss(hm: Terminal, tmp_path: Path) -> None:
    """Ids, times, verdicts and chains are the same in another store."""
    hm.add(OLD, "--tag", "staging", "--metadata", "n=1", "--at", "2026-01-19T10:00:00+02:00")
    hm.add(NEW)
    hm.add("elsewhere", "--scope", "other")
    file = tmp_path / "all.jsonl"
    assert hm.json("export", str(file)) == {"exported": 3, "path": str(file)}
    twin = Terminal(tmp_path / "twin.db")
    assert twin.json("import", str(file)) == {"added": 3, "skipped": 0, "failed": []}
    assert twin.out("export", "-") == file.read_text("utf-8") == hm.out("export", "-")


def test_an_export_of_a_scope_holds_nothing_else(hm: Terminal) -> None:
    """The count is on stderr, the lines alone on stdout."""
    hm.add("one fact")
    hm.add("elsewhere", "--scope", "other")
    result = hm.run("export", "-", "--scope", "other")
    assert [json.loads(line)["content"] for line in result.stdout.splitlines()] == ["elsewhere"]
    assert result.stderr == "1 memory exported\n"


def test_an_import_reads_stdin_and_names_bad_lines(hm: Terminal, tmp_path: Path) -> None:
    """The good ones are stored, and the status tells."""
    hm.add("one fact")
    lines = hm.out("export", "-") + "not json\n"
    twin = Terminal(tmp_path / "twin.db")
    result = twin.run("import", "-", stdin=lines)
    assert result.exit_code == 1
    assert "line 2: the line is not JSON" in result.stderr
    assert "1 memory added, 0 known, 1 failed" in result.stderr
    assert twin.json("list")["items"][0]["content"] == "one fact"


def test_what_the_store_knows_is_skipped(hm: Terminal) -> None:
    """An import may be repeated."""
    hm.add("one fact")
    again = hm.json("import", "-", stdin=hm.out("export", "-"))
    assert again == {"added": 0, "skipped": 1, "failed": []}


def test_an_import_takes_no_scope(hm: Terminal, tmp_path: Path) -> None:
    """It would be silently ignored otherwise."""
    assert hm.run("import", "-", "--scope", "acme").exit_code == 2


def test_an_export_to_stdout_is_json_lines_already(hm: Terminal) -> None:
    """--json would promise one document."""
    assert hm.run("export", "-", "--json").exit_code == 2


def test_files_that_cannot_be_used_are_reported(hm: Terminal, tmp_path: Path) -> None:
    """With their name."""
    missing = str(tmp_path / "missing" / "file.jsonl")
    for verb in ("export", "import", "backup"):
        result = hm.run(verb, missing)
        assert result.exit_code == 1
        assert "missing" in result.stderr


def test_a_backup_is_a_whole_store(hm: Terminal, tmp_path: Path) -> None:
    """It opens, checks, and holds the same; an existing file is never overwritten."""
    hm.add("one fact")
    copy = tmp_path / "copy.db"
    assert hm.json("backup", str(copy)) == {"path": str(copy)}
    twin = Terminal(copy)
    assert twin.json("check")["ok"] is True
    assert twin.out("export", "-") == hm.out("export", "-")
    assert hm.run("backup", str(copy)).exit_code == 1
