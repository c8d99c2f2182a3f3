"""Telling sound vectors from damaged ones, so that no damaged one is ever ranked."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from hypermnesia.models.late import TOKEN_BYTES, VERSION
from hypermnesia.store.protocol import Signals
from hypermnesia.types import Matrix

log = logging.getLogger("hypermnesia")

_LONGEST = 1.1
"""Squared length from which a vector cannot be a normalised one; float16 rounds by 0.001."""


def unpacked(blob: bytes, dimension: int) -> Matrix:
    """The float32 vectors of a float16 blob, shape ``(chunks, dimension)``."""
    return np.frombuffer(blob, np.float16).astype(np.float32).reshape(-1, dimension)


def whole(blob: Any, dimension: int) -> bool:
    """Whether a column value holds at least one vector and no part of one."""
    return isinstance(blob, bytes) and len(blob) > 0 and len(blob) % (2 * dimension) == 0


def bounded_rows(matrix: Matrix) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which rows are finite and no longer than a unit vector, shape ``(n,)``."""
    with np.errstate(all="ignore"):  # NaN and infinity are what is looked for
        return np.einsum("ij,ij->i", matrix, matrix) < _LONGEST


def signals_of(rows: Sequence[tuple[Any, ...]], dimension: int) -> Signals:
    """Signals from rows of key, dense and token blob; damaged vectors are logged and left out."""
    usable = [whole(dense, dimension) and sound_tokens(tokens) for _, dense, tokens in rows]
    chunks = [
        len(row[1]) // (2 * dimension) if ok else 0 for row, ok in zip(rows, usable, strict=True)
    ]
    matrix = unpacked(
        b"".join(row[1] for row, ok in zip(rows, usable, strict=True) if ok), dimension
    )
    owners = np.repeat(np.arange(len(rows)), chunks)
    bounded = bounded_rows(matrix)
    bad = set(owners[~bounded].tolist())
    bad |= {i for i, ok in enumerate(usable) if not ok and rows[i][1] is not None}
    for i in sorted(bad):
        log.warning("vectors of memory row %d are damaged; run `hypermnesia check`", rows[i][0])
    kept = ~np.isin(owners, list(bad))
    return Signals(
        keys=tuple(row[0] for row in rows),
        dense=matrix[kept],
        owners=owners[kept],
        tokens=tuple(
            row[2] if ok and i not in bad else b""
            for i, (row, ok) in enumerate(zip(rows, usable, strict=True))
        ),
    )


def sound(dense: Any, tokens: Any, dimension: int) -> bool:
    """Whether both blobs of a memory can be used as they are."""
    return (
        whole(dense, dimension)
        and bool(bounded_rows(unpacked(dense, dimension)).all())
        and sound_tokens(tokens)
    )


def sound_tokens(blob: Any) -> bool:
    """Whether token vectors are absent, or complete and of the current format.

    Those of another format are derived anew by ``reindex``, like damaged ones.
    """
    if not isinstance(blob, bytes):
        return False
    return not blob or (blob[:1] == bytes([VERSION]) and (len(blob) - 1) % TOKEN_BYTES == 0)
