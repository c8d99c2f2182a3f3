"""Products of vectors in 8-bit codes: four times as fast as in float32, and known how far off.

numpy multiplies integers slowly; ONNX Runtime, made for quantised models, does it with the
instructions that processors have for them. Its models here are of a single node each:
``MatMulInteger`` for one vector, and for several ``MatMulIntegerToFloat``, which spares going
through the products twice more, but takes twice as long for one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypermnesia.models.onnx import session
from hypermnesia.types import Matrix, Vector

ROW_CODES = 127
"""Codes of rows go from minus this to this."""
FEW_CODES = 63
"""Codes of the other side likewise. Not 127, too: processors without VNNI add two products in 16
bits, and silently end at the largest number of those (ONNX Runtime, "reduce_range")."""
ZERO = 64
"""Stands for nought in the codes of the other side, which have no sign."""
ROUNDING = 1e-4
"""Allowed for float32's own error in a product of vectors no longer than 1."""

_ZERO = np.array(ZERO, np.uint8)
_NO_UNIT = np.array(1, np.float32)
_SMALLEST = 1e-30
"""What is smaller is coded as nought: dividing by it would not be exact."""
_ONE = Path(__file__).with_name("product_codes_one.onnx")
_SEVERAL = Path(__file__).with_name("product_codes_several.onnx")


@dataclass(frozen=True, slots=True)
class CodedRows:
    """Many vectors in codes.

    Attributes:
        codes: int8, shape ``(d, n)``, a vector a column.
        shifts: what :data:`ZERO` in place of nought adds to a product, shape ``(n,)``.
        unit: what a code counts in.
        error: distance of no vector from what its codes say is greater.
        length: no vector of what the codes say is longer.
    """

    codes: npt.NDArray[np.int8]
    shifts: npt.NDArray[np.int32]
    unit: float
    error: float
    length: float

    @classmethod
    def of(cls, rows: Matrix) -> CodedRows:
        """The codes of vectors, shape ``(n, d)``, ``n >= 1``."""
        unit = max(float(np.abs(rows).max()), _SMALLEST) / ROW_CODES
        rounded = rows / np.float32(unit)
        np.rint(rounded, out=rounded)
        codes = np.ascontiguousarray(rounded.astype(np.int8).T)
        shifts = (ZERO * rounded.sum(axis=1)).astype(np.int32)
        said = np.multiply(rounded, np.float32(unit), out=rounded)  # many rows: copied once only
        length = _longest(said)
        return cls(codes, shifts, unit, _longest(np.subtract(rows, said, out=said)), length)


@dataclass(frozen=True, slots=True)
class CodedFew:
    """The vectors that many are multiplied with.

    Attributes:
        codes: uint8, shape ``(m, d)``; :data:`ZERO` more than what they stand for.
        unit: what a code counts in.
        errors: distance of each from what its codes say, shape ``(m,)``.
        lengths: of the vectors themselves, shape ``(m,)``.
    """

    codes: npt.NDArray[np.uint8]
    unit: float
    errors: Vector
    lengths: Vector

    @classmethod
    def of(cls, few: Matrix) -> CodedFew:
        """The codes of vectors, shape ``(m, d)``, ``m >= 1``."""
        unit = max(float(np.abs(few).max()), _SMALLEST) / FEW_CODES
        rounded = np.rint(few / np.float32(unit))
        errors = np.linalg.norm(few - rounded * np.float32(unit), axis=1).astype(np.float32)
        lengths = np.linalg.norm(few, axis=1).astype(np.float32)
        return cls((rounded + ZERO).astype(np.uint8), unit, errors, lengths)

    def products(self, rows: CodedRows, out: Matrix) -> None:
        """Write the products of what the codes say into ``out``, shape ``(m, n)``."""
        given: dict[str, Any] = {"few": self.codes, "rows": rows.codes}
        unit = np.array(self.unit * rows.unit, np.float32)
        if len(self.codes) > 1:
            given |= {"few_unit": unit, "rows_unit": _NO_UNIT, "zero": _ZERO}
            (out[:],) = _runtime(_SEVERAL).run(None, given)
            return
        (found,) = _runtime(_ONE).run(None, given)
        found -= rows.shifts
        np.multiply(found, unit, out=out, dtype=np.float32, casting="same_kind")

    def errors_of(self, rows: CodedRows) -> Vector:
        """No product of the vectors themselves is farther from :meth:`products`, shape ``(m,)``.

        ``x·y - x'·y' = (x - x')·y + x'·(y - y')``, and Cauchy-Schwarz on both.
        """
        off = np.multiply(self.lengths, rows.error + ROUNDING, dtype=np.float32)
        return off + np.multiply(self.errors, rows.length, dtype=np.float32)


@cache
def _runtime(model: Path) -> Any:
    # One thread, the caller's: see hypermnesia.models.product.
    return session(model, threads=1)


def _longest(vectors: Matrix) -> float:
    return float(np.sqrt(np.einsum("ij,ij->i", vectors, vectors).max()))
