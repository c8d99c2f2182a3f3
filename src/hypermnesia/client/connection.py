"""What both transports share: the address, the headers, and how an answer is taken."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from hypermnesia import __version__
from hypermnesia.client.steps import Reply, Request
from hypermnesia.errors import InvalidInput

ADDRESS = "http://127.0.0.1:8765"
TIMEOUT = 120.0
"""Seconds for one request; what takes longer is a job."""
CONNECT_TIMEOUT = 5.0
TOKEN = "HYPERMNESIA_TOKEN"  # noqa: S105 - the name of a variable
LINES = "application/x-ndjson"


def base_of(address: str) -> str:
    """The address of a service, without a slash at its end.

    Raises:
        InvalidInput: it is none, or holds credentials, which would end up in logs.
    """
    try:
        parts = urlsplit(address)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        sound, parts = False, urlsplit("")
    if not sound:
        raise InvalidInput("the address of a service looks like http://127.0.0.1:8765")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InvalidInput("the address holds more than an address; pass a token as token=...")
    return address.rstrip("/")


def headers_of(token: str | None) -> dict[str, str]:
    """Headers of every request.

    Args:
        token: ``None`` = that of ``HYPERMNESIA_TOKEN``, if there is one.

    Raises:
        InvalidInput: the token cannot stand in a header.
    """
    held = os.environ.get(TOKEN) if token is None else token
    headers = {"User-Agent": f"hypermnesia/{__version__}", "Accept": "application/json, */*"}
    if held:
        if not held.isascii() or not held.isprintable():
            raise InvalidInput("the token holds characters that no token has; copy it anew")
        headers["Authorization"] = f"Bearer {held.strip()}"
    return headers


def timeouts(seconds: float) -> httpx2.Timeout:
    """Bounds of each request."""
    return httpx2.Timeout(seconds, connect=CONNECT_TIMEOUT)


def extra(request: Request) -> Mapping[str, str]:
    """Headers of one request beside those of all."""
    if request.upload is None:
        return request.headers
    return {**request.headers, "Content-Type": LINES}


def unreachable(error: Exception) -> Reply:
    """What is told when nothing came back."""
    return Reply(0, type(error).__name__)


def reply_of(response: httpx2.Response, text: str) -> Reply:
    """What came back."""
    return Reply(response.status_code, text, {k.lower(): v for k, v in response.headers.items()})


def part_of(path: Path) -> Path:
    """Where a download grows until it is whole."""
    return path.with_name(f".{path.name}.part")
