"""Each client: its configuration file for a user and for a project, and the form of an entry.

The forms are those that the clients' documentation gives:

- Claude Code: code.claude.com/docs/en/mcp
- Claude Desktop: modelcontextprotocol.io/docs
- Cursor: cursor.com/docs/mcp
- VS Code: code.visualstudio.com/docs, MCP configuration reference
- OpenCode: opencode.ai/docs/mcp-servers, of both versions
- Codex: developers.openai.com/codex/mcp
- Gemini CLI: geminicli.com/docs/tools/mcp-server
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from hypermnesia.clients.system import System

Entry: TypeAlias = dict[str, Any]
Form: TypeAlias = Literal["json", "toml"]


@dataclass(frozen=True, slots=True)
class Client:
    """A client of the MCP server.

    Attributes:
        name: as the command line takes it.
        title: as people call it.
        user: its file for one user on all projects.
        project: its file in a project's folder; ``None`` = it has none.
        starts: the entry of a server that the client starts by a command.
        reaches: the entry of a server at a URL, with the variable of its token, if any; ``None`` =
            its file takes no such servers.
        under: where in a file, given its present values, the entries stand.
        form: how the file is written.
    """

    name: str
    title: str
    user: Callable[[System], Path]
    project: Callable[[Path], Path] | None
    starts: Callable[[Sequence[str]], Entry]
    reaches: Callable[[str, str | None], Entry] | None
    under: Callable[[Any], tuple[str, ...]] = lambda _values: ("mcpServers",)
    form: Form = "json"


def _typed(command: Sequence[str]) -> Entry:
    return {"type": "stdio", **_plain(command)}


def _plain(command: Sequence[str]) -> Entry:
    return {"command": command[0], "args": list(command[1:])}


def _bearer(reference: str) -> Mapping[str, Any]:
    return {"headers": {"Authorization": f"Bearer {reference}"}}


def _claude_code_url(url: str, variable: str | None) -> Entry:
    return {"type": "http", "url": url, **(_bearer(f"${{{variable}}}") if variable else {})}


def _cursor_url(url: str, variable: str | None) -> Entry:
    return {"url": url, **(_bearer(f"${{env:{variable}}}") if variable else {})}


def _vscode_url(url: str, variable: str | None) -> Entry:
    return {"type": "http", **_cursor_url(url, variable)}


def _opencode_url(url: str, variable: str | None) -> Entry:
    return {"type": "remote", "url": url, **(_bearer(f"{{env:{variable}}}") if variable else {})}


def _codex_url(url: str, variable: str | None) -> Entry:
    return {"url": url, **({"bearer_token_env_var": variable} if variable else {})}


def _gemini_url(url: str, variable: str | None) -> Entry:
    return {"httpUrl": url, **(_bearer(f"${{{variable}}}") if variable else {})}


def _opencode_file(folder: Path) -> Path:
    """The one of its two names that is there."""
    commented = folder / "opencode.jsonc"
    return commented if commented.exists() else folder / "opencode.json"


def _opencode_under(values: Any) -> tuple[str, ...]:
    """OpenCode 2 keeps servers below ``mcp.servers`` but reads what version 1 has below ``mcp``.

    So the older form suits both, except in a file that is in the newer one.
    """
    match values:
        case {"mcp": {"servers": dict() as servers}} if not isinstance(
            cast("dict[str, Any]", servers).get("type"), str
        ):
            return ("mcp", "servers")
        case _:
            return ("mcp",)


def _claude_file(system: System) -> Path:
    return system.folder("CLAUDE_CONFIG_DIR", ".") / ".claude.json"


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude-code", "Claude Code", _claude_file, lambda folder: folder / ".mcp.json",
            _typed, _claude_code_url,
        ),
        Client(
            "claude-desktop", "Claude Desktop",
            lambda system: system.application_data() / "Claude" / "claude_desktop_config.json",
            None, _plain, None,
        ),
        Client(
            "cursor", "Cursor", lambda system: system.home / ".cursor" / "mcp.json",
            lambda folder: folder / ".cursor" / "mcp.json", _plain, _cursor_url,
        ),
        Client(
            "vscode", "VS Code",
            lambda system: system.application_data() / "Code" / "User" / "mcp.json",
            lambda folder: folder / ".vscode" / "mcp.json",
            _typed, _vscode_url, lambda _values: ("servers",),
        ),
        Client(
            "opencode", "OpenCode",
            lambda system: _opencode_file(system.folder("XDG_CONFIG_HOME", ".config") / "opencode"),
            _opencode_file, lambda command: {"type": "local", "command": list(command)},
            _opencode_url, _opencode_under,
        ),
        Client(
            "codex", "Codex",
            lambda system: system.folder("CODEX_HOME", ".codex") / "config.toml",
            lambda folder: folder / ".codex" / "config.toml",
            _plain, _codex_url, lambda _values: ("mcp_servers",), "toml",
        ),
        Client(
            "gemini-cli", "Gemini CLI", lambda system: system.home / ".gemini" / "settings.json",
            lambda folder: folder / ".gemini" / "settings.json", _plain, _gemini_url,
        ),
    )
}  # fmt: skip
"""Every client by its name, in the order of the documentation."""
