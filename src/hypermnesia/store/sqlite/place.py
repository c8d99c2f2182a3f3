"""Where a store file may lie, and who may read it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from hypermnesia.errors import StoreError


def usable(path: Path) -> Path:
    """The absolute path, so that a later change of the working directory does not matter."""
    if str(path) == ":memory:":
        raise StoreError("a store is shared by connections, so it must be a file, not :memory:")
    try:
        absolute = path.absolute()
        if absolute.is_dir():
            raise StoreError(f"{path} is a folder; name a file, such as {path / 'memory.db'}")
        if not absolute.parent.is_dir():
            raise StoreError(
                f"the folder {path.parent} does not exist; create it or name another file"
            )
        str(absolute).encode()  # SQLite takes names in UTF-8 only
        with suppress(FileNotFoundError):
            absolute.stat()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise StoreError(f"{str(path)!r} cannot be opened ({reason}); name another file") from None
    return absolute


def create_private(path: Path) -> None:
    """Make a missing file that its owner alone may read; SQLite's own would follow the umask.

    Where that fails, opening the file fails too, and says why.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
