"""A user's own heads on disk: arrays that stand in for some of the shipped ones.

They were trained on top of one version of the shipped heads and mean nothing beside another, so
the file says which. What is read is checked before a judge sees it: a file can be damaged, half
written, or made by something else.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TypeAlias
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from hypermnesia.errors import ModelError
from hypermnesia.judge.local_heads import Heads, arrays
from hypermnesia.judge.protocol import LOCAL

Arrays: TypeAlias = Mapping[str, npt.NDArray[np.generic]]

FORMAT = 1
"""Version of the file."""
LARGEST = 16 << 20
"""Bytes of a file that is read; the shipped heads have a tenth of it."""
_VERSION, _BASE = "meta/format", "meta/base"
_REMEDY = "`hypermnesia judge reset` goes back to the shipped heads"

logger = logging.getLogger("hypermnesia")


def read(path: Path) -> Heads | None:
    """The heads in a file; ``None``, and a warning, if they belong to another version's.

    Raises:
        ModelError: the file is missing, damaged, or no heads.
    """
    found = _arrays(path)
    base, version = found.pop(_BASE, None), found.pop(_VERSION, None)
    if base is None or version is None:
        raise ModelError(f"{path} holds no heads of a judge; name another file, or {_REMEDY}")
    if version.shape or version != FORMAT or base.tobytes() != shipped_digest():
        logger.warning(
            "the judge's heads in %s were trained for another version and are left out; run"
            " `hypermnesia judge train` again, or `hypermnesia judge reset`", path,
        )  # fmt: skip
        return None
    _check(found, path)
    return Heads(f"{LOCAL}_{_digest(found.items()).hex()[:8]}", found)


def write(path: Path, own: Arrays) -> None:
    """Install heads: all of them or, on an error, none.

    Raises:
        ModelError: the file cannot be written, or the arrays do not fit the shipped ones.
    """
    _check(own, path)
    meta = {_VERSION: np.asarray(FORMAT), _BASE: np.frombuffer(shipped_digest(), np.uint8)}
    data = BytesIO()
    np.savez_compressed(data, allow_pickle=False, **own, **meta)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data.getvalue())
            Path(name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise ModelError(f"{path} cannot be written ({error.strerror}); nothing changed") from error


def remove(path: Path) -> bool:
    """Go back to the shipped heads; whether there were others.

    Raises:
        ModelError: the file cannot be removed.
    """
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ModelError(f"{path} cannot be removed ({error.strerror})") from error
    return True


@lru_cache(maxsize=1)
def shipped_digest() -> bytes:
    """What tells one version of the shipped heads from another."""
    return _digest(arrays().items())


def _digest(named: Iterable[tuple[str, npt.NDArray[np.generic]]]) -> bytes:
    digest = hashlib.sha256()
    for name, array in sorted(named):
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode() + array.tobytes())
    return digest.digest()


def _arrays(path: Path) -> dict[str, npt.NDArray[np.generic]]:
    try:
        if path.stat().st_size > LARGEST:
            raise ModelError(f"{path} is too large for heads of a judge; {_REMEDY}")
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}); {_REMEDY}") from error
    except (ValueError, EOFError, AttributeError, TypeError, BadZipFile) as error:
        raise ModelError(f"{path} is damaged; {_REMEDY}") from error


def _check(own: Arrays, path: Path) -> None:
    """Each array has the name, shape and kind of one that it can stand in for, and is finite.

    Raises:
        ModelError: one has not.
    """
    wanted = shapes()
    for name, array in own.items():
        if wanted.get(name) != array.shape or array.dtype.kind != "f":
            raise ModelError(f"{path} holds {name!r}, which is no head of this version; {_REMEDY}")
        if not np.isfinite(array).all():
            raise ModelError(f"{path} holds values in {name!r} that are not finite; {_REMEDY}")


@lru_cache(maxsize=1)
def shapes() -> Mapping[str, tuple[int, ...]]:
    """What heads of one's own may hold: names and shapes."""
    columns = (int(arrays()["supersede/columns"]),)
    linear = {n: a.shape for n, a in arrays().items() if n.endswith(("/weight", "/bias", "/value"))}
    extra = {f"supersede/{variant}/weight": columns for variant in ("full", "text")}
    return {**linear, **extra, "gate": ()}
