"""A layer between SQLite and its files, by which tests see and spoil what is written."""

from __future__ import annotations

import os
from typing import Any

import apsw


class Shim:
    """What is told of files of this process once it is installed; ``-shm`` is memory, and is not.

    Args:
        name: of the layer, unlike that of any other.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._layer: _Layer | None = None

    def install(self) -> None:
        """Stand before all files that are opened from now on."""
        self._layer = _Layer(self._name, self)

    def remove(self) -> None:
        """Leave files that are opened from now on alone."""
        if self._layer is not None:
            self._layer.unregister()
            self._layer = None

    def writing(self, file: apsw.VFSFile, path: str, data: bytes, offset: int) -> None:
        """Called before a write; what it raises becomes the write's error."""

    def truncating(self, file: apsw.VFSFile, path: str, size: int) -> None:
        """Called before a file is cut off."""

    def flushing(self, path: str) -> None:
        """Called before a sync; what it raises becomes the sync's error."""

    def syncing(self, path: str) -> None:
        """Called after a sync."""


class _Layer(apsw.VFS):
    def __init__(self, name: str, shim: Shim) -> None:
        self._base = apsw.vfs_names()[0]
        self._shim = shim
        super().__init__(name, self._base, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - as inherited
        return _File(self._base, name, flags, self._shim)


class _File(apsw.VFSFile):
    def __init__(self, base: str, name: Any, flags: list[int], shim: Shim) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._path = os.fspath(path or "")
        self._shim = shim
        super().__init__(base, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._shim.writing(self, self._path, bytes(data), offset)
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._shim.truncating(self, self._path, newsize)
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._shim.flushing(self._path)
        super().xSync(flags)
        self._shim.syncing(self._path)
