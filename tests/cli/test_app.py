"""The root command: help, start-up, exit statuses, and what errors look like."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import hypermnesia
from hypermnesia import cli
from hypermnesia.cli.app import VERBS, app
from hypermnesia.errors import StoreBusy
from hypermnesia.memory import Memory
from tests.cli.conftest import Terminal

HEAVY = ("apsw", "hypermnesia.memory", "mcp", "numpy", "onnxruntime", "pydantic", "rich")


def _fail(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def search(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(Memory, "search", search)


def _hypermnesia(
    *args: str, stdout: int = subprocess.PIPE, store: Path | None = None, encoding: str = "utf-8"
) -> tuple[int, str, str]:
    """The installed command in a process of its own: status, stdout, stderr."""
    done = subprocess.run(
        [Path(sys.executable).with_name("hypermnesia"), *args],
        stdout=stdout,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "HYPERMNESIA_STORE": str(store), "PYTHONIOENCODING": encoding},
        timeout=60,
        check=False,
    )
    return done.returncode, (done.stdout or b"").decode(), done.stderr.decode()


def test_the_help_lists_every_verb_with_its_summary() -> None:
    """No verb is hidden."""
    result = CliRunner().invoke(app, ["--help"])
    assert result.exit_code == 0
    for name, verb in VERBS.items():
        assert f"  {name} " in result.stdout
        assert verb.summary in result.stdout


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_explains_itself_and_takes_the_shared_options(name: str) -> None:
    """The table of verbs points at real commands."""
    result = CliRunner().invoke(app, [name, "-h"])
    assert result.exit_code == 0
    assert f"Usage: hypermnesia {name}" in result.stdout.replace("app ", "hypermnesia ")
    for option in ("--json", "--store", "--scope"):
        assert option in result.stdout


def test_two_installed_commands_tell_the_version() -> None:
    """``hypermnesia`` and ``hm`` are the same."""
    short = Path(sys.executable).with_name("hm")
    assert _hypermnesia("--version") == (0, f"hypermnesia {hypermnesia.__version__}\n", "")
    assert b"hypermnesia" in subprocess.run([short, "-V"], check=True, capture_output=True).stdout


def test_start_up_imports_nothing_heavy() -> None:
    """Help and version must come at once; the models, the store and rich are for later."""
    script = (
        "import sys, hypermnesia.cli.app as cli;"
        "[cli.app.get_command(None, name) for name in cli.VERBS];"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert done.stdout == "[]\n"


def test_an_unknown_verb_is_a_usage_error_with_a_suggestion() -> None:
    """Exit status 2, nothing on stdout."""
    result = CliRunner().invoke(app, ["serch", "x"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Did you mean one of: 'search', 'serve'?" in result.stderr


def test_an_unknown_option_is_a_usage_error() -> None:
    """Before a verb as after it."""
    assert CliRunner().invoke(app, ["--colour", "list"]).exit_code == 2
    assert CliRunner().invoke(app, ["list", "--colour"]).exit_code == 2


def test_shared_options_may_stand_before_the_verb(hm: Terminal) -> None:
    """And the ones after it win."""
    hm.add("The gateway runs in Dublin", "--scope", "acme")
    before = ["--json", "--scope", "acme", "--store", str(hm.store)]
    found = CliRunner().invoke(app, [*before, "list"])
    assert [item["scope"] for item in json.loads(found.stdout)["items"]] == ["acme"]
    other = CliRunner().invoke(app, [*before, "list", "--scope", "other"])
    assert json.loads(other.stdout)["items"] == []


def test_a_reported_failure_is_one_line_on_stderr(
    hm: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit status 1, no traceback, nothing on stdout."""
    _fail(monkeypatch, StoreBusy("another process keeps the file locked; try again"))
    result = hm.run("search", "x")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: another process keeps the file locked; try again\n"


def test_with_json_a_failure_is_a_document_too(hm: Terminal) -> None:
    """Type and message, for a program to branch on."""
    result = hm.run("search", "x", "-k", "51", "--json")
    assert result.exit_code == 1
    error = json.loads(result.stdout)["error"]
    assert error["type"] == "InvalidInput"
    assert error["message"] in result.stderr


def test_a_bug_is_told_without_a_traceback(hm: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says how to see more; the message of the exception may hold a memory's text."""
    _fail(monkeypatch, RuntimeError("private words"))
    result = hm.run("search", "x", "--json")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "this is a bug" in result.stderr
    assert "HYPERMNESIA_DEBUG=1" in result.stderr
    assert "private words" not in result.output
    assert json.loads(result.stdout)["error"]["type"] == "Bug"


def test_debugging_shows_where_a_bug_is(hm: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exception passes through."""
    _fail(monkeypatch, RuntimeError("private words"))
    monkeypatch.setenv("HYPERMNESIA_DEBUG", "1")
    assert isinstance(hm.run("search", "x").exception, RuntimeError)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), click.Abort()])
def test_an_interruption_is_no_failure(
    hm: Terminal, monkeypatch: pytest.MonkeyPatch, interruption: BaseException
) -> None:
    """Ctrl-C at work and at a question: 130, as shells report it."""
    _fail(monkeypatch, interruption)
    result = hm.run("search", "x")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "interrupted\n")


def test_an_interruption_while_loading_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C may come before any verb is known."""

    def run() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hypermnesia.cli.app.run", run)
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 130


def test_a_reader_that_goes_away_is_met_in_silence(tmp_path: Path) -> None:
    """As in ``hypermnesia check | head -0``: 141, and not a word."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        status, _, stderr = _hypermnesia("check", stdout=writing, store=tmp_path / "m.db")
    finally:
        os.close(writing)
    assert status == 141
    assert "Traceback" not in stderr
    assert "Errno" not in stderr


def test_a_console_that_cannot_encode_gets_question_marks(hm: Terminal) -> None:
    """An emoji in a memory must not crash a Windows console; JSON loses nothing there."""
    text = "Launch \U0001f680 on Monday"
    hm.add(text)
    status, shown, _ = _hypermnesia("list", store=hm.store, encoding="cp1252")
    assert (status, "Launch ? on Monday" in shown) == (0, True)
    _, document, _ = _hypermnesia("list", "--json", store=hm.store, encoding="cp1252")
    assert json.loads(document)["items"][0]["content"] == text


def test_a_store_that_cannot_be_opened_is_reported(tmp_path: Path) -> None:
    """A folder, a missing folder: what was wrong and what to do."""
    for store in (tmp_path, tmp_path / "missing" / "memory.db"):
        result = CliRunner().invoke(app, ["list", "--store", str(store)])
        assert (result.exit_code, result.stdout) == (1, "")
        assert str(tmp_path) in result.stderr
