"""Where a user's own files lie."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from hypermnesia.errors import InvalidInput

Kind: TypeAlias = Literal["cache", "config", "data", "log"]


def user_folder(kind: Kind) -> Path:
    """The folder of this product for a kind of the user's files; it need not exist.

    Raises:
        InvalidInput: the user has no home, as one that the system does not list may.
    """
    import platformdirs  # noqa: PLC0415 - not needed where every place is named

    places = platformdirs.PlatformDirs("hypermnesia", appauthor=False)
    try:
        match kind:
            case "cache":
                return places.user_cache_path
            case "config":
                return places.user_config_path
            case "data":
                return places.user_data_path
            case "log":
                return places.user_log_path
    except RuntimeError as error:
        raise InvalidInput(
            "no home folder is known; set HOME to a folder that this user may write"
        ) from error


def expanded(path: str) -> Path:
    """A path whose ``~`` is a user's home.

    Raises:
        InvalidInput: no such home is known.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InvalidInput(f"{path}: no such home folder is known; give the whole path") from error
