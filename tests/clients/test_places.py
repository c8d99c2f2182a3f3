"""Where each client keeps its configuration, and how its entries look."""

from __future__ import annotations

from pathlib import Path

import pytest

from hypermnesia.clients.places import CLIENTS
from tests.clients.conftest import machine

USER = {
    ("claude-code", "linux"): ".claude.json",
    ("claude-desktop", "linux"): ".config/Claude/claude_desktop_config.json",
    ("claude-desktop", "darwin"): ("Library/Application Support/Claude/claude_desktop_config.json"),
    ("claude-desktop", "win32"): "AppData/Roaming/Claude/claude_desktop_config.json",
    ("cursor", "darwin"): ".cursor/mcp.json",
    ("vscode", "linux"): ".config/Code/User/mcp.json",
    ("vscode", "darwin"): "Library/Application Support/Code/User/mcp.json",
    ("vscode", "win32"): "AppData/Roaming/Code/User/mcp.json",
    ("opencode", "darwin"): ".config/opencode/opencode.json",
    ("codex", "linux"): ".codex/config.toml",
    ("gemini-cli", "win32"): ".gemini/settings.json",
}
PROJECT = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "opencode": "opencode.json",
    "codex": ".codex/config.toml",
    "gemini-cli": ".gemini/settings.json",
}
REACHED = {
    "claude-code": ("${TOKEN}", "url"),
    "cursor": ("${env:TOKEN}", "url"),
    "vscode": ("${env:TOKEN}", "url"),
    "opencode": ("{env:TOKEN}", "url"),
    "gemini-cli": ("${TOKEN}", "httpUrl"),
}


@pytest.mark.parametrize(("client", "platform"), USER)
def test_the_file_of_a_user_is_where_the_client_looks(
    tmp_path: Path, client: str, platform: str
) -> None:
    """On its platform."""
    system = machine(tmp_path, platform)
    assert CLIENTS[client].user(system) == tmp_path / USER[client, platform]


def test_folders_that_variables_name_are_honoured(tmp_path: Path) -> None:
    """As the clients honour them."""
    names = ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "CODEX_HOME")
    system = machine(tmp_path, "linux", {name: f"/{name}" for name in names})
    assert CLIENTS["claude-code"].user(system) == Path("/CLAUDE_CONFIG_DIR/.claude.json")
    assert CLIENTS["codex"].user(system) == Path("/CODEX_HOME/config.toml")
    assert CLIENTS["opencode"].user(system) == Path("/XDG_CONFIG_HOME/opencode/opencode.json")


def test_the_files_of_a_project(tmp_path: Path) -> None:
    """Claude Desktop knows no projects."""
    found = {name: client.project(tmp_path) for name, client in CLIENTS.items() if client.project}
    assert found == {name: tmp_path / path for name, path in PROJECT.items()}


def test_opencode_is_changed_in_the_file_it_has(tmp_path: Path) -> None:
    """With comments or without."""
    (tmp_path / "opencode.jsonc").touch()
    project = CLIENTS["opencode"].project
    assert project is not None
    assert project(tmp_path).name == "opencode.jsonc"


@pytest.mark.parametrize("client", REACHED)
def test_a_token_is_a_reference_in_the_words_of_the_client(client: str) -> None:
    """So that the file can be shared."""
    reference, key = REACHED[client]
    reaches = CLIENTS[client].reaches
    assert reaches is not None
    entry = reaches("http://h/mcp", "TOKEN")
    assert entry["headers"] == {"Authorization": f"Bearer {reference}"}
    assert entry[key] == "http://h/mcp"
    assert "headers" not in reaches("http://h/mcp", None)


def test_codex_is_given_the_name_of_the_variable() -> None:
    """It builds the header itself."""
    reaches = CLIENTS["codex"].reaches
    assert reaches is not None
    assert reaches("http://h/mcp", "T") == {"url": "http://h/mcp", "bearer_token_env_var": "T"}
    assert reaches("http://h/mcp", None) == {"url": "http://h/mcp"}


def test_commands_are_written_in_the_words_of_the_client() -> None:
    """A list, or a command with its arguments; with a type where one is needed."""
    forms = {name: client.starts(("hm", "mcp")) for name, client in CLIENTS.items()}
    plain = {"command": "hm", "args": ["mcp"]}
    assert forms["opencode"] == {"type": "local", "command": ["hm", "mcp"]}
    assert forms["claude-code"] == forms["vscode"] == {"type": "stdio", **plain}
    assert all(forms[name] == plain for name in ("claude-desktop", "cursor", "codex", "gemini-cli"))
