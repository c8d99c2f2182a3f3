"""Text and files that arrive on standard input."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hypermnesia.errors import InvalidInput

STDIN = "-"
"""The argument that stands for standard input (or output)."""


def text_or_stdin(argument: str) -> str:
    """The argument itself, or all of standard input for ``-``.

    Raises:
        InvalidInput: standard input is not UTF-8.
    """
    if argument != STDIN:
        return argument
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"standard input is not UTF-8 at byte {error.start}; convert it first"
        ) from None


def stdin_lines() -> list[tuple[int, str]]:
    """Lines of standard input that are not blank, with their 1-based numbers.

    Bytes that are not UTF-8 become surrogates, so that only the line that holds them fails.
    """
    text = sys.stdin.buffer.read().decode("utf-8-sig", "surrogateescape")
    return [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]


@contextmanager
def file_or_stdin(argument: str) -> Generator[Path]:
    """The path itself; for ``-`` a temporary file that holds standard input."""
    if argument != STDIN:
        yield Path(argument)
        return
    with tempfile.TemporaryDirectory(prefix="hypermnesia-") as folder:
        path = Path(folder) / "stdin.jsonl"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield path
