"""Matrix products that are computed in the calling thread.

BLAS shares a product among all cores from a few hundred thousand multiplications on, and its
threads wait for one another in a loop. Where another process has one of two cores, a product
of 0.1 ms so takes a time slice of the scheduler, tens of milliseconds. A search makes half a
dozen; cut in pieces below that size they stay in the calling thread, at the same speed as the
whole and with the same result. Of many rows with many the pieces would be too small to be fast:
those ONNX Runtime multiplies, which shares nothing if it is told so.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hypermnesia.models.onnx import session
from hypermnesia.types import Matrix

GEMM_PIECE = 262_144
"""Multiplications up to which a matrix product stays in its thread (OpenBLAS, interface/gemm.c:
``SMP_THRESHOLD_MIN * GEMM_MULTITHREAD_THRESHOLD``)."""
GEMV_PIECE = 9_215
"""The same for a product with a single row (OpenBLAS, interface/gemv.c)."""
UNROLLED = 8
"""Rows that kernels for a single row take at once; those left over are summed in another order."""

_MODEL = Path(__file__).with_name("products.onnx")


def product(rows: Matrix, few: Matrix) -> Matrix:
    """``rows @ few.T``, computed in the calling thread.

    Args:
        rows: shape ``(n, d)``, C-contiguous.
        few: shape ``(m, d)``; the fewer, the better.

    Returns:
        Shape ``(n, m)``.
    """
    (n, d), m = rows.shape, len(few)
    out = np.empty((n, m), np.float32)
    step = max(1, (GEMM_PIECE if m > 1 else GEMV_PIECE) // max(1, m * d))
    if m == 1 and step > UNROLLED:  # so that equal rows get equal cosines wherever they stand
        step -= step % UNROLLED
    pieces = n // step
    whole = pieces * step
    # matmul calls BLAS once for each piece of a stack.
    stack, target = rows[:whole].reshape(pieces, step, d), out[:whole].reshape(pieces, step, m)
    np.matmul(stack, few.T, out=target)
    last = n - step if pieces else 0  # a full piece again, for the same reason
    if whole < n:
        np.matmul(rows[last:], few.T, out=out[last:])
    return out


def products(rows: Matrix, many: Matrix) -> Matrix:
    """:func:`product` for a second matrix of many rows."""
    (n, d), m = rows.shape, len(many)
    if n * m * d <= GEMM_PIECE:
        return rows @ many.T
    (found,) = _runtime().run(None, {"rows": rows, "many": many})
    return found


@cache
def _runtime() -> Any:
    return session(_MODEL, threads=1)
