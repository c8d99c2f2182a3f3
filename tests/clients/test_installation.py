"""Installing into each client's files and taking it out again."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.clients.file import backups
from hypermnesia.clients.hooks import settings_file
from hypermnesia.clients.installation import (
    Wish,
    install,
    project_of,
    remove,
    scope_of,
    snippet,
)
from hypermnesia.clients.places import CLIENTS
from hypermnesia.clients.system import System
from hypermnesia.errors import InvalidInput
from tests.clients.conftest import COMMAND

WISH = Wish(store="/data/memory.db", scope="work")
ARGUMENTS = ["mcp", "--store", "/data/memory.db", "--scope", "work"]
JSON = [name for name, client in CLIENTS.items() if client.form == "json"]
OTHERS = """\
{
  "numStartups": 12,
  "mcpServers": {"github": {"command": "gh", "env": {"TOKEN": "secret"}}},
  "servers": {"github": {"command": "gh"}},
  "mcp": {
    "github": {"type": "local", "command": ["gh"]}
  },
  "é": "ü", "last": [1, 2.50, true, null]
}
"""


def _values(path: Path) -> Any:
    text = path.read_text("utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def _entry(name: str, path: Path) -> Mapping[str, Any]:
    values = _values(path)
    for key in CLIENTS[name].under(values):
        values = values[key]
    return values["hypermnesia"]


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="")
    return path


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_without_a_file_gets_one_and_loses_it_again(system: System, name: str) -> None:
    """Twice, because the second time is not the first."""
    client = CLIENTS[name]
    path = client.user(system)
    for _ in range(2):
        (done,) = install(client, WISH, system)
        assert (done.path, done.action, done.backup) == (path, "created", None)
        entry = _entry(name, path)
        command = entry["command"]
        words = command if isinstance(command, list) else [command, *entry["args"]]
        assert words == [COMMAND, *ARGUMENTS]
        outcomes = remove(client, WISH, system)
        assert outcomes[0].action == "deleted"
        assert not path.exists()


@pytest.mark.parametrize("name", CLIENTS)
def test_the_same_again_changes_nothing(system: System, name: str) -> None:
    """No byte, no backup, no time of change."""
    path = install(CLIENTS[name], WISH, system)[0].path
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    (again,) = install(CLIENTS[name], WISH, system)
    assert again.action == "unchanged"
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert backups(path) == []


@pytest.mark.parametrize("name", JSON)
def test_what_others_wrote_stays_to_the_byte(system: System, name: str) -> None:
    """After installing, changing one's mind, and taking it out."""
    path = _write(CLIENTS[name].user(system), OTHERS)
    (done,) = install(CLIENTS[name], WISH, system)
    assert done.backup is not None
    assert done.backup.read_text("utf-8") == OTHERS
    install(CLIENTS[name], replace(WISH, scope="other"), system)
    assert _entry(name, path)
    values = _values(path)
    assert values["mcpServers"]["github"] == {"command": "gh", "env": {"TOKEN": "secret"}}
    remove(CLIENTS[name], WISH, system)
    assert path.read_text("utf-8") == OTHERS


def test_codex_keeps_its_comments(system: System) -> None:
    """TOML has its own editor."""
    text = '# mine\nmodel = "x"  # fast\n\n[mcp_servers.other]\ncommand = "o"\n'
    path = _write(CLIENTS["codex"].user(system), text)
    install(CLIENTS["codex"], WISH, system)
    assert _entry("codex", path) == {"command": COMMAND, "args": ARGUMENTS}
    assert path.read_text("utf-8").startswith(text)
    remove(CLIENTS["codex"], WISH, system)
    assert path.read_text("utf-8").strip() == text.strip()


def test_opencode_keeps_the_form_of_its_file(system: System) -> None:
    """Version 2 has servers one level deeper; a server may also be called so."""
    client = CLIENTS["opencode"]
    path = _write(client.user(system), '{"mcp": {"servers": {}}}')
    install(client, WISH, system)
    assert "hypermnesia" in _values(path)["mcp"]["servers"]
    _write(path, '{"mcp": {"servers": {"type": "local", "command": ["x"]}}}')
    install(client, WISH, system)
    assert set(_values(path)["mcp"]) == {"servers", "hypermnesia"}


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("text", ['{"a": ', "[a", "\ufeff<<<<<<<", "[]", '"x"'])
def test_a_malformed_file_is_never_touched(system: System, name: str, text: str) -> None:
    """The message names it; what belongs into it can be printed."""
    path = _write(CLIENTS[name].user(system), text)
    for change in (install,) if text in {"[]", '"x"'} else (install, remove):
        with pytest.raises(InvalidInput) as caught:
            change(CLIENTS[name], WISH, system)
        assert str(path) in str(caught.value)
    assert path.read_text("utf-8") == text
    assert backups(path) == []
    assert "hypermnesia" in snippet(CLIENTS[name], WISH, system)[0].text


def test_nothing_is_written_if_one_of_two_files_cannot_be(system: System) -> None:
    """A half of an installation is none."""
    client = CLIENTS["claude-code"]
    _write(settings_file(system, None), "{broken")
    with pytest.raises(InvalidInput, match=r"settings\.json"):
        install(client, replace(WISH, hooks=True), system)
    assert not client.user(system).exists()


@pytest.mark.parametrize("name", [name for name in CLIENTS if name != "claude-desktop"])
def test_a_project_gets_a_command_without_a_path(system: System, tmp_path: Path, name: str) -> None:
    """Its file is shared with people whose paths are others."""
    folder = tmp_path / "project"
    wish = replace(WISH, project=folder)
    (done,) = install(CLIENTS[name], wish, system)
    assert done.path.is_relative_to(folder)
    assert COMMAND not in done.path.read_text("utf-8")
    assert '"hypermnesia"' in done.path.read_text("utf-8")
    remove(CLIENTS[name], wish, system)
    assert not done.path.exists()


@pytest.mark.parametrize("name", [name for name in CLIENTS if name != "claude-desktop"])
def test_a_service_is_reached_by_its_url(system: System, name: str) -> None:
    """The path of the endpoint is added; the token's variable is named, whatever it holds."""
    wish = Wish(url="http://127.0.0.1:8765", token="MY_TOKEN")
    path = install(CLIENTS[name], wish, system)[0].path
    entry = _entry(name, path)
    assert "http://127.0.0.1:8765/mcp" in {entry.get("url"), entry.get("httpUrl")}
    assert "MY_TOKEN" in path.read_text("utf-8")
    assert "args" not in entry


def test_changing_from_a_command_to_a_url_leaves_no_rest(system: System) -> None:
    """In JSON and in TOML."""
    for name in ("cursor", "codex"):
        path = install(CLIENTS[name], WISH, system)[0].path
        install(CLIENTS[name], Wish(url="https://m.example/mcp"), system)
        assert "command" not in _entry(name, path)


@pytest.mark.parametrize(
    ("name", "wish", "reason"),
    [
        ("claude-desktop", Wish(url="http://h/mcp"), "Connectors"),
        ("claude-desktop", Wish(project=Path("/p")), "--project"),
        ("cursor", Wish(url="ftp://h"), "http://127"),
        ("cursor", Wish(url="http://user:pw@h/mcp"), "--token-env"),
        ("cursor", Wish(url="http://h/mcp?token=x"), "--token-env"),
        ("cursor", Wish(url="http://[h/mcp"), "http://127"),
        ("cursor", Wish(url="http://h/mcp", scope="s"), "--scope"),
        ("cursor", Wish(store="postgresql://u:secret@h/db"), "PGPASSWORD"),
        ("cursor", Wish(hooks=True), "claude-code"),
        ("claude-code", Wish(url="http://h", hooks=True), "--url"),
    ],
)
def test_what_cannot_be_is_said(system: System, name: str, wish: Wish, reason: str) -> None:
    """Before anything is written, and without repeating a secret."""
    with pytest.raises(InvalidInput, match=reason) as caught:
        install(CLIENTS[name], wish, system)
    assert "secret" not in str(caught.value)
    assert not CLIENTS[name].user(system).exists()


def test_a_store_is_named_from_any_folder(
    system: System, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The client starts the command somewhere else."""
    monkeypatch.chdir(tmp_path)
    path = install(CLIENTS["cursor"], Wish(store="m.db"), system)[0].path
    assert _entry("cursor", path)["args"] == ["mcp", "--store", str(tmp_path / "m.db")]


def test_a_project_is_the_folder_under_version_control(tmp_path: Path) -> None:
    """From any folder below it; elsewhere it is the folder itself."""
    (tmp_path / "app" / ".git").mkdir(parents=True)
    inner = tmp_path / "app" / "src"
    inner.mkdir()
    assert project_of(inner) == tmp_path / "app"
    assert scope_of(tmp_path / "app") == "app"
    with pytest.raises(InvalidInput, match="scope"):
        scope_of(Path("/"))
