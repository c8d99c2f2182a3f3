"""The command that a client is told to run.

A program with windows does not see the ``PATH`` of a shell, so the command is written with its full
path. A file that a project's people share must not hold one person's path: there it is the plain
name, if that leads to this installation. And what ``uvx`` made for one run is cleared away some
day: then the command is ``uvx`` itself.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from hypermnesia.errors import InvalidInput

NAME = "hypermnesia"
_PASSING = ("archive-v", "environments-v", "builds-v")
"""Beginnings of the folders in uv's cache that environments for one run live in."""


def executable(*, shared: bool) -> tuple[str, ...]:
    """The words that start this program.

    Args:
        shared: the file is one that other machines read, too.

    Raises:
        InvalidInput: there is no such command; the message says what to do.
    """
    if any(part.startswith(_PASSING) for part in Path(sys.prefix).parts):
        return (_uvx(), NAME)
    own = _own()
    if shared and (found := shutil.which(NAME)) and Path(found).samefile(own):
        return (NAME,)
    return (str(own),)


def words(
    start: Sequence[str], *verb: str, store: str | None = None, scope: str | None = None
) -> tuple[str, ...]:
    """A command with its verb and the options that stores and scopes are named by."""
    given = (("--store", store), ("--scope", scope))
    options = [word for name, value in given if value is not None for word in (name, value)]
    return (*start, *verb, *options)


def _own() -> Path:
    folder, suffix = sysconfig.get_path("scripts"), ".exe" if os.name == "nt" else ""
    beside = Path(folder) / (NAME + suffix)
    found = str(beside) if beside.is_file() else shutil.which(NAME)
    if found is None:
        raise InvalidInput(
            f"no command '{NAME}' is installed beside {sys.executable} or on PATH;"
            " install the package with pipx, uv or pip"
        )
    return Path(found).absolute()


def _uvx() -> str:
    found = shutil.which("uvx")
    if found is None:
        raise InvalidInput(
            f"this copy of {NAME} was made by uvx for one run, and uvx is not on PATH;"
            f" install it to stay, with: uv tool install {NAME}"
        )
    return found
