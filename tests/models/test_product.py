"""Products in pieces are products."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.models import product as module
from hypermnesia.models.product import product, products
from tests.models.onnx_bytes import FLOAT, field, model, number, opset, value


@given(n=st.integers(0, 400), m=st.integers(0, 12), d=st.integers(1, 384))
def test_any_shape_gives_the_plain_product(n: int, m: int, d: int) -> None:
    """No rows and a single one included."""
    rng = np.random.default_rng(n)
    rows = rng.standard_normal((n, d)).astype(np.float32)
    few = rng.standard_normal((m, d)).astype(np.float32)
    result = product(rows, few)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, rows @ few.T, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("m", [1, 8])
def test_no_piece_is_large_enough_to_be_shared(monkeypatch: pytest.MonkeyPatch, m: int) -> None:
    """Every piece that BLAS gets is below the size from which it takes more threads."""
    pieces = list[int]()
    plain = np.matmul

    def watched(left: np.ndarray, right: np.ndarray, out: np.ndarray) -> None:  # type: ignore[type-arg]
        pieces.append(left.shape[-2] * left.shape[-1] * right.shape[-1])
        plain(left, right, out=out)

    monkeypatch.setattr(np, "matmul", watched)
    product(np.ones((1000, 384), np.float32), np.ones((m, 384), np.float32))
    assert pieces
    assert max(pieces) <= (module.GEMM_PIECE if m > 1 else module.GEMV_PIECE)


@given(n=st.integers(16, 400))
def test_equal_rows_get_equal_cosines_wherever_they_stand(n: int) -> None:
    """So that a tie stays a tie, for its own rule to settle; from a whole piece on."""
    rng = np.random.default_rng(n)
    rows = np.tile(rng.standard_normal((1, 384)).astype(np.float32), (n, 1))
    cosines = product(rows, rng.standard_normal((1, 384)).astype(np.float32))
    assert len(np.unique(cosines)) == 1


@pytest.mark.parametrize(("n", "m"), [(0, 70), (50, 0), (5, 7), (50, 70), (4000, 256)])
def test_many_rows_with_many_give_the_plain_product(n: int, m: int) -> None:
    """Few enough of them for BLAS, and more."""
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((n, 384)).astype(np.float32)
    many = rng.standard_normal((384, m)).astype(np.float32).T
    result = products(rows, many)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, rows @ many.T, rtol=1e-4, atol=1e-4)


def test_the_model_is_one_product_with_the_second_matrix_transposed() -> None:
    """Byte for byte."""
    integer = 2  # AttributeProto.AttributeType
    transposed = field(1, b"transB") + number(3, 1) + number(20, integer)
    node = field(1, b"rows") + field(1, b"many") + field(2, b"products") + field(4, b"Gemm")
    node += field(5, transposed)
    inputs = value(b"rows", FLOAT, b"nd"), value(b"many", FLOAT, b"md")
    found = value(b"products", FLOAT, b"nm")
    shipped = Path(module.__file__).with_name("products.onnx").read_bytes()
    assert shipped == model(node, b"products", inputs, found, opset(b"", 13))
