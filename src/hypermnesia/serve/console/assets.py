"""Scripts, styles and fonts that the pages use: a fixed set of files, known by their content."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.responses import Response

from hypermnesia.errors import NotFound

FOREVER = "public, max-age=31536000, immutable"
"""For an address that names the content, so that it never changes."""
FOR_A_DAY = "public, max-age=86400"
"""For an address that does not: fonts, which the style sheet names."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent."""

    content: bytes
    media_type: str
    digest: str


def asset(name: str) -> str:
    """The address of a file; it changes with the content.

    Raises:
        NotFound: the console has no such file.
    """
    return f"/console/static/{name}?v={_found(name).digest}"


def serve(name: str, version: str | None) -> Response:
    """A file, for as long as its address stands for it.

    Raises:
        NotFound: the console has no such file.
    """
    found = _found(name)
    kept = FOREVER if version == found.digest else FOR_A_DAY
    headers = {"Cache-Control": kept, "X-Content-Type-Options": "nosniff"}
    return Response(found.content, media_type=found.media_type, headers=headers)


def _found(name: str) -> Asset:
    known = _assets().get(name)
    if known is None:
        raise NotFound("the console has no such file")
    return known


@cache
def _assets() -> dict[str, Asset]:
    """Every file by its name, so that a name in an address is never a path."""
    return dict(_walk(files("hypermnesia.serve.console") / "static", ""))


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, Asset]]:
    found: list[tuple[str, Asset]] = []
    for entry in folder.iterdir():
        name = f"{prefix}{entry.name}"
        if entry.is_dir():
            found += _walk(entry, f"{name}/")
        elif media_type := _TYPES.get(entry.name.rpartition(".")[2]):
            content = entry.read_bytes()
            digest = hashlib.sha256(content).hexdigest()[:12]
            found.append((name, Asset(content, media_type, digest)))
    return found


_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
}
