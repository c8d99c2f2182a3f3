"""Other programs' files: read as they are, backed up, replaced whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from hypermnesia.errors import InvalidInput
from hypermnesia.folders import user_folder

KEPT = 10
"""Backups kept of each file; older ones are deleted."""
_BOM = "\ufeff"


def load(path: Path) -> str | None:
    """The text of a file, line ends and byte order mark as they are; ``None`` if there is none.

    Raises:
        InvalidInput: it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"it is not UTF-8 at byte {error.start}") from None
    except OSError as error:
        raise InvalidInput(f"it cannot be read ({error.strerror})") from None


def body(text: str) -> str:
    """A text without its byte order mark."""
    return text.removeprefix(_BOM)


def save(path: Path, text: str, before: str | None) -> Path | None:
    """Put a text in the place of another; returns the backup of the other.

    Links are followed, permissions and owner kept. A reader finds the old or the new text.

    Args:
        path: the file.
        text: what it shall hold.
        before: what it held when the text was made; ``None`` = it was not there.

    Raises:
        InvalidInput: it cannot be written, or has changed in the meantime.
    """
    target = _target(path)
    if before is not None and before.startswith(_BOM):
        text = _BOM + text
    if load(target) != before:
        raise InvalidInput("it was changed by another program just now; run the command again")
    backup = None if before is None else _back_up(path, before)
    try:
        _replace(target, text)
    except OSError as error:
        raise InvalidInput(f"it cannot be written ({error.strerror})") from None
    return backup


def delete(path: Path) -> None:
    """Delete a file that holds nothing worth a backup.

    Raises:
        InvalidInput: it cannot be deleted.
    """
    try:
        _target(path).unlink()
    except OSError as error:
        raise InvalidInput(f"it cannot be deleted ({error.strerror})") from None


def backups(path: Path) -> list[Path]:
    """The backups of a file, oldest first."""
    folder = _backup_folder()
    return sorted(folder.glob(_stem(path) + "*")) if folder.is_dir() else []


def _target(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise InvalidInput("it is a link that leads nowhere") from None


def _replace(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        _inherit(temporary, target)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _inherit(temporary: Path, target: Path) -> None:
    """Give a new file the mode and owner of the one it replaces, or the usual mode."""
    if not target.exists():
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        return
    shutil.copymode(target, temporary)
    if hasattr(os, "chown"):
        status = target.stat()
        with suppress(OSError):  # only root may give files away; then it stays ours
            os.chown(temporary, status.st_uid, status.st_gid)


def _back_up(path: Path, text: str) -> Path:
    """Write a copy that only the user can read: such files hold the tokens of other servers.

    Raises:
        InvalidInput: it cannot be written.
    """
    folder = _backup_folder()
    name = f"{_stem(path)}{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}{path.suffix}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
    except OSError as error:
        raise InvalidInput(f"no backup can be written to {folder} ({error.strerror})") from None
    for old in backups(path)[:-KEPT]:
        old.unlink(missing_ok=True)
    return folder / name


def _backup_folder() -> Path:
    """Beside the store, not beside the file: that may be in a repository."""
    return user_folder("data") / "client-backups"


def _stem(path: Path) -> str:
    mark = hashlib.sha256(os.fsencode(path.absolute())).hexdigest()[:12]
    return f"{path.stem}-{mark}-"
