"""What a call asks for, as the ledger and the audit log name it.

Names come from closed lists, so that callers cannot fill either with names of their own.
"""

from __future__ import annotations

import re
from typing import Final

from hypermnesia.serve.accounts.addresses import MCP, is_metered
from hypermnesia.serve.accounts.site import Connection, header

_VERBS: Final = frozenset({
    "add", "answer", "ask", "backup", "check", "consent", "context", "corpus", "export", "forget",
    "get", "history", "import", "ingest", "jobs", "list", "memories", "profile", "reindex",
    "restore", "scopes", "search", "suggest", "update",
})  # fmt: skip
_READING: Final = frozenset({"answer", "ask", "context", "profile", "search", "suggest"})
"""Verbs that change nothing, by whatever method they are called."""
_WORDS: Final = _VERBS | {"api", "v1", "mcp", "batch", "events", "cancel", "stats", "flush"}
_ID: Final = re.compile(r"[0-9a-f-]{36}")
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_NAMED_SINCE: Final = "2026-07-28"
"""Since this revision of MCP a request's headers say what it calls, and are held to its body."""


def action_of(connection: Connection) -> str:
    """Such as ``rest.search`` or ``mcp.memory_add``."""
    path: str = connection["path"]
    if _is_mcp(path):
        return f"mcp.{_tool(connection) or 'call'}"
    parts = [part for part in path.split("/") if part not in {"", "api", "v1"}]
    return f"rest.{parts[0] if parts and parts[0] in _VERBS else 'other'}"


def is_change(connection: Connection) -> bool:
    """Worth an entry in the audit log: a call of the memory that may change something.

    What is done to accounts and tokens makes entries of its own.
    """
    path: str = connection["path"]
    if connection["method"] in _SAFE or not is_metered(path):
        return False
    if not _is_mcp(path):
        return action_of(connection).removeprefix("rest.") not in _READING
    tool, method = _tool(connection), _true_header(connection, b"mcp-method")
    if tool is not None:
        return _tools()[tool]
    return method in {None, "tools/call"}


def target_of(connection: Connection) -> str:
    """What a change is made to: method and path, of which only known words and ids are shown.

    Whatever else somebody put into a path may be a text.
    """
    parts = [part for part in connection["path"].split("/") if part]
    shown = (part if part in _WORDS or _ID.fullmatch(part) else "-" for part in parts)
    return f"{connection['method']} /{'/'.join(shown)}"


def _is_mcp(path: str) -> bool:
    return path == MCP or path.startswith(f"{MCP}/")


def _tool(connection: Connection) -> str | None:
    name = _true_header(connection, b"mcp-name")
    return name if name in _tools() else None


def _true_header(connection: Connection, name: bytes) -> str | None:
    """A header that the protocol compares with the body; older clients may send anything."""
    if (header(connection, b"mcp-protocol-version") or "") < _NAMED_SINCE:
        return None
    return header(connection, name)


def _tools() -> dict[str, bool]:
    """Whether each tool writes."""
    from hypermnesia.serve.mcp_tools import BY_NAME  # noqa: PLC0415 - the command line needs none

    return {tool.name: tool.writes for tool in BY_NAME.values()}
