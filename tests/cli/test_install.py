"""The verb that makes clients know the server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hypermnesia.cli.install import CLIENTS
from hypermnesia.clients.places import CLIENTS as PLACES
from tests.cli.conftest import Terminal


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty home, in which nothing of the developer's is found."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(home)
    return home


def test_the_choices_are_the_clients_that_are_known() -> None:
    """They are written out, so that the help needs no more."""
    assert tuple(PLACES) == CLIENTS


def test_an_installed_command_serves_the_protocol(hm: Terminal, home: Path) -> None:
    """What stands in the file is started as a client starts it, and answers."""
    assert hm.run("install", "cursor", "--scope", "work").exit_code == 0
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["hypermnesia"]
    request = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }  # fmt: skip
    done = subprocess.run(
        [entry["command"], *entry["args"]], input=json.dumps(request) + "\n",
        env={"HOME": str(home)}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    answer = json.loads(done.stdout.splitlines()[0])
    assert answer["result"]["serverInfo"]["name"] == "hypermnesia"


def test_it_tells_what_it_did_and_what_comes_next(hm: Terminal, home: Path) -> None:
    """On stderr; the second time there is nothing to do."""
    path = home / ".claude.json"
    path.write_text('{"theme": "dark"}')
    first = hm.run("install", "claude-code")
    assert first.stdout == ""
    assert f"changed {path}" in first.stderr
    assert "as it was: " in first.stderr
    assert "restart Claude Code" in first.stderr
    assert hm.run("install", "claude-code").stderr == f"nothing to change in {path}\n"


def test_json_tells_the_files(hm: Terminal, home: Path) -> None:
    """What was done to each, and where its backup is."""
    path = home / ".cursor" / "mcp.json"
    done = hm.json("install", "cursor")
    assert done == {
        "client": "cursor",
        "files": [{"path": str(path), "action": "created", "backup": None}],
    }
    assert hm.json("install", "cursor", "--remove")["files"][0]["action"] == "deleted"


def test_print_writes_nothing(hm: Terminal, home: Path) -> None:
    """The snippet is on stdout, its place on stderr."""
    done = hm.run("install", "codex", "--print", "--scope", "s")
    assert done.stdout.startswith("[mcp_servers.hypermnesia]\n")
    assert str(home / ".codex" / "config.toml") in done.stderr
    shown = hm.json("install", "claude-code", "--print", "--hooks")
    assert [json.loads(one["text"]).keys() for one in shown["files"]] == [
        {"mcpServers": None}.keys(),
        {"hooks": None}.keys(),
    ]
    assert not any(home.iterdir())
    assert hm.run("install", "codex", "--print", "--remove").exit_code == 2


def test_a_broken_file_is_left_alone_and_the_snippet_is_shown(hm: Terminal, home: Path) -> None:
    """With an error that names the place."""
    path = home / ".claude.json"
    path.write_text('{"theme": dark}')
    done = hm.run("install", "claude-code")
    assert done.exit_code == 1
    assert '"hypermnesia": {' in done.stdout
    assert f"{path} is left as it is: it is not JSON at line 1, column 11" in done.stderr
    assert path.read_text() == '{"theme": dark}'
    assert hm.run("install", "claude-code", "--json").stdout.count('"error"') == 1


def test_a_project_is_a_scope_of_its_own(
    hm: Terminal, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named after its folder, from wherever in it the command is run."""
    project = home / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    hm.run("install", "claude-code", "--project", "--hooks")
    written = (project / ".mcp.json").read_text()
    assert json.loads(written)["mcpServers"]["hypermnesia"]["args"][-2:] == ["--scope", "shop"]
    settings = (project / ".claude" / "settings.local.json").read_text()
    assert "hook session-start" in settings
    assert "--scope shop" in settings
    hm.run("install", "claude-code", "--project", "--remove")
    assert not [path for path in project.rglob("*") if path.is_file()]


def test_a_token_given_for_its_variable_is_refused_and_not_repeated(hm: Terminal) -> None:
    """It would stand in a file in clear."""
    done = hm.run("install", "cursor", "--url", "http://h", "--token-env", "hm_live-abc.def")
    assert done.exit_code == 2
    assert "abc" not in done.output


def test_a_service_that_signs_in_gets_no_token(home: Path) -> None:
    """The client finds out from the service's answer."""
    run = [sys.executable, "-c", "from hypermnesia.cli import main; main()", "install"]
    done = subprocess.run(
        [*run, "vscode", "--url", "https://m.example/mcp", "--sign-in"],
        env={"HOME": str(home)}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "restart VS Code" in done.stderr
    text = (home / ".config" / "Code" / "User" / "mcp.json").read_text()
    assert json.loads(text)["servers"]["hypermnesia"] == {
        "type": "http", "url": "https://m.example/mcp"
    }  # fmt: skip
