"""What a terminal gets: laid out, within its width, and safe from what memories hold."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.cli import render, terminal
from hypermnesia.cli.progress import progress
from tests.cli.conftest import Terminal

HOSTILE = "red \x1b[31malert\x1b]0;title\x07 and \u202eback\u202c \x9b2J"
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def _on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are laid out as for a terminal, 100 columns wide, without colours."""
    monkeypatch.setattr(terminal, "interactive", lambda: True)
    monkeypatch.setattr(render, "interactive", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.usefixtures("_on_terminal")
def test_a_terminal_gets_a_table_with_the_id_below_the_text(hm: Terminal) -> None:
    """Headings on top, the text in the last column."""
    added = hm.add("Billing uses NATS")
    lines = hm.out("list").splitlines()
    (heading,) = [line for line in lines if "salience" in line]
    (row,) = [line for line in lines if "Billing uses NATS" in line]
    (below,) = [line for line in lines if added in line]
    assert heading.index("memory") == row.index("Billing") == below.index(added)
    assert max(map(len, lines)) <= 100


@pytest.mark.usefixtures("_on_terminal")
def test_a_narrow_terminal_gets_blocks(hm: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is wider than the terminal, and the id stays in one piece."""
    added = hm.add("Billing uses NATS since the load test in May showed what Kafka costs")
    monkeypatch.setenv("COLUMNS", "40")
    for command in (("list",), ("search", "billing", "--explain"), ("get", added), ("profile",)):
        lines = hm.out(*command).splitlines()
        assert max(map(len, lines)) <= 40
    assert added in hm.out("list").splitlines()


@pytest.mark.usefixtures("_on_terminal")
def test_markup_in_a_memory_is_shown_as_it_is(hm: Terminal) -> None:
    """Brackets, links and emoji codes mean nothing."""
    text = "[bold]loud[/bold] :smile: [link=http://a]b[/link] [/]"
    added = hm.add(text)
    for command in (("list",), ("get", added), ("search", "loud"), ("history", added)):
        assert text in hm.out(*command)


@pytest.mark.parametrize("layout", ["piped", "terminal"])
def test_control_characters_never_reach_the_output(
    hm: Terminal, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    """A memory cannot recolour, retitle, clear or reorder a terminal; JSON keeps it exactly."""
    added = hm.add(HOSTILE, "--tag", HOSTILE, "--metadata", f"{HOSTILE}={HOSTILE}")
    monkeypatch.setattr(terminal, "interactive", lambda: layout == "terminal")
    monkeypatch.setattr(render, "interactive", lambda: layout == "terminal")
    for command in (
        ("list",), ("get", added), ("search", "alert"), ("context", "alert"), ("profile",),
        ("history", added), ("forget", "--id", added, "--dry-run"),
    ):  # fmt: skip
        result = hm.run(*command)
        assert result.exit_code == 0
        assert not _UNSAFE.search(result.output)
    assert hm.json("get", added)["content"] == HOSTILE


@given(st.text())
def test_printable_text_is_harmless_and_otherwise_unchanged(text: str) -> None:
    """Character by character, and nothing is left to do a second time."""
    shown = terminal.printable(text)
    assert not _UNSAFE.search(shown)
    assert terminal.printable(shown) == shown
    assert all(a in {b, "\N{REPLACEMENT CHARACTER}"} for a, b in zip(shown, text, strict=True))


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    """Whatever breaks lines or columns in some program."""
    shown = terminal.one_line(text)
    assert len(shown.splitlines()) <= 1
    assert "\t" not in shown


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """A log file is no place for a bar."""
    with progress("adding", 2) as bar:
        bar.advance(1)
        bar.reach(2, 2)
    assert capsys.readouterr() == ("", "")
