"""Answers that are files, made for one request and gone after it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse

LINES = "application/x-ndjson"


def downloaded(name: str, write: Callable[[Path], Mapping[str, int]]) -> FileResponse:
    """A file of JSON lines.

    A file rather than a stream from the store: no slow reader holds a snapshot open.

    Args:
        name: what the file is called where it goes.
        write: writes it, and returns what is told in headers.
    """
    folder = tempfile.TemporaryDirectory(prefix="hypermnesia-")
    path = Path(folder.name) / name
    try:
        told = write(path)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        path,
        media_type=LINES,
        filename=name,
        headers={header: str(number) for header, number in told.items()},
        background=BackgroundTask(folder.cleanup),
    )
