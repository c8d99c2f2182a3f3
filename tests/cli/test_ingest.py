"""The verb that takes conversations in."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from hypermnesia.cli.ingest import FORMATS
from hypermnesia.graph.sources import Format
from tests.cli.conftest import Terminal

TALK = "[2024-03-04 09:00] Ann: I moved to Lisbon last month.\n[2024-03-04 09:01] Bo: Nice!\n"


def test_the_formats_are_those_of_the_readers() -> None:
    """They are written out, so that the help needs no reader."""
    assert get_args(Format) == FORMATS


def test_a_transcript_is_taken_in_once(hm: Terminal, tmp_path: Path) -> None:
    """The second time everything is known."""
    path = tmp_path / "talk.txt"
    path.write_text(TALK, "utf-8")
    first = hm.run("ingest", str(path))
    assert first.exit_code == 0
    assert first.stderr.startswith("2 turns stored, 0 known")
    assert hm.run("ingest", str(path)).stderr.startswith("0 turns stored, 2 known")


def test_json_tells_every_count(hm: Terminal, tmp_path: Path) -> None:
    """One document on stdout."""
    path = tmp_path / "talk.txt"
    path.write_text(TALK, "utf-8")
    report = hm.json("ingest", str(path))
    assert (report["turns"], report["episodes"], report["failed"]) == (2, 1, [])


def test_standard_input_is_read(hm: Terminal) -> None:
    """As a stream."""
    assert hm.run("ingest", "-", stdin=TALK).stderr.startswith("2 turns stored")


def test_a_bad_item_is_named_and_makes_the_status_1(hm: Terminal) -> None:
    """The others are stored."""
    lines = '{"role": "user", "content": "hello there"}\n{"role": "user"}\n'
    done = hm.run("ingest", "-", stdin=lines)
    assert done.exit_code == 1
    assert "line 2" in done.stderr
    assert "1 turn stored" in done.stderr


def test_what_is_no_conversation_says_so(hm: Terminal) -> None:
    """With the remedy."""
    done = hm.run("ingest", "-", stdin="once upon a time")
    assert done.exit_code == 1
    assert "--format" in done.stderr


def test_a_missing_file_says_so(hm: Terminal, tmp_path: Path) -> None:
    """By its name."""
    done = hm.run("ingest", str(tmp_path / "none.json"))
    assert done.exit_code == 1
    assert "none.json" in done.stderr
