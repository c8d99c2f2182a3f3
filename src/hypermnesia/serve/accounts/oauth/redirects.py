"""Where a client may send a person back to."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

LONGEST = 2000
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_HOST = re.compile(r"[\w.:\[\]-]*")
"""Nothing that stands for a user, or means something in the header that names the host."""
_RUNS = frozenset({
    "about", "blob", "chrome", "data", "file", "filesystem", "ftp", "javascript", "jar", "mailto",
    "resource", "vbscript", "view-source", "ws", "wss",
})  # fmt: skip
"""Schemes that run or read something by themselves, or never lead to a program of the user's."""


def acceptable(uri: str) -> bool:
    """Whether a client may register it: https, http on this machine, or a program's own scheme."""
    if len(uri) > LONGEST or not uri.isascii() or not uri.isprintable() or " " in uri:
        return False
    parts = _parts(uri)
    if parts is None or "#" in uri or "\\" in uri or not _HOST.fullmatch(parts.netloc):
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    if parts.scheme == "http":
        return parts.hostname in _LOOPBACK
    return bool(_SCHEME.fullmatch(parts.scheme)) and parts.scheme not in _RUNS


def matches(asked: str, registered: str) -> bool:
    """Whether a redirect is the registered one, character by character.

    On this machine the port may differ, which a program learns only when it begins to listen
    (OAuth 2.1, 2.3.1; RFC 8252, 7.3).
    """
    if asked == registered:
        return True
    left, right = _parts(asked), _parts(registered)
    if left is None or right is None or not acceptable(asked):
        return False
    local = left.scheme == right.scheme == "http" and right.hostname in _LOOPBACK
    return local and _without_port(left) == _without_port(right)


def origin_of(uri: str) -> str:
    """Scheme and host, as a person and a browser's policy may be shown them."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else f"{parts.scheme}:"


def _without_port(parts: SplitResult) -> tuple[str | None, str, str]:
    return parts.hostname, parts.path, parts.query


def _parts(uri: str) -> SplitResult | None:
    try:
        parts = urlsplit(uri)
        _ = parts.port, parts.hostname  # both raise when they are none
    except ValueError:
        return None
    return parts
