"""Telling sound vectors from damaged ones, so that no damaged one is ever ranked."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from hypermnesia.models.late import TOKEN_BYTES, VERSION
from hypermnesia.store.protocol import Signals, Stored
from hypermnesia.types import Matrix, Node

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


def stored_of(found: Sequence[tuple[Node, tuple[Any, ...]]], dimension: int) -> list[Stored]:
    """Memories from nodes with rows that begin with the key and end with dense and token blob.

    Damaged vectors are logged and left out. All are looked at together, which costs a fraction.
    """
    blobs = [
        row[-2] if whole(row[-2], dimension) and sound_tokens(row[-1]) else b"" for _, row in found
    ]
    matrix = unpacked(b"".join(blobs), dimension)
    bounded = bounded_rows(matrix)
    ends = np.cumsum([len(blob) // (2 * dimension) for blob in blobs]).tolist()
    out: list[Stored] = []
    for (node, row), start, end in zip(found, [0, *ends], ends, strict=False):
        usable = end > start and bool(bounded[start:end].all())
        if not usable and row[-2] is not None:
            log.warning("vectors of memory %s are damaged; run `hypermnesia check`", node.id)
        dense = matrix[start:end] if usable else matrix[:0]
        out.append(Stored(row[0], node, dense, row[-1] if usable else b""))
    return out


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
