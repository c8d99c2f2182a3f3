"""Products of codes are as near to those of the vectors as they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.models import product_codes
from hypermnesia.models.product_codes import ROW_CODES, CodedFew, CodedRows
from hypermnesia.types import Matrix
from tests.models.onnx_bytes import FLOAT, INT8, INT32, UINT8, field, model, opset, value


def vectors(rng: np.random.Generator, n: int, d: int) -> Matrix:
    """Of lengths from 0 to 1, some with most of it in one place."""
    found = rng.standard_normal((n, d)) ** rng.choice([1, 3, 9])
    found *= rng.random((n, 1)) / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    return found.astype(np.float32)


@given(seed=st.integers(0, 999), n=st.integers(1, 90), m=st.integers(1, 9), d=st.integers(1, 400))
def test_no_product_is_farther_off_than_the_error_says(seed: int, n: int, m: int, d: int) -> None:
    """For vectors of any shape, and a few that are nought."""
    rng = np.random.default_rng(seed)
    rows, few = vectors(rng, n, d), vectors(rng, m, d)
    rows[rng.random(n) < 0.1] = 0
    few[rng.random(m) < 0.1] = 0
    coded, asking = CodedRows.of(rows), CodedFew.of(few)
    found = np.empty((m, n), np.float32)
    asking.products(coded, found)
    off = np.abs(found - few.astype(np.float64) @ rows.astype(np.float64).T)
    assert (off <= asking.errors_of(coded)[:, None]).all()


def test_the_error_is_small_for_unit_vectors() -> None:
    """Else it would rule nothing out."""
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((2048, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert CodedFew.of(rows[:8]).errors_of(CodedRows.of(rows)).max() < 0.04


@pytest.mark.parametrize("d", [2, 384])
@pytest.mark.parametrize("m", [1, 2])
def test_the_largest_codes_are_added_without_loss(m: int, d: int) -> None:
    """Also by a processor that adds two products in 16 bits; by both models."""
    rows, few = np.ones((3, d), np.float32), np.array([[1.0] * d, [-1.0] * d][:m], np.float32)
    coded, asking = CodedRows.of(rows), CodedFew.of(few)
    assert (coded.codes == ROW_CODES).all()
    assert int(asking.codes.max()) * ROW_CODES * 2 < 2**15
    found = np.empty((m, 3), np.float32)
    asking.products(coded, found)
    np.testing.assert_allclose(found, few @ rows.T, rtol=1e-5)


def test_the_models_are_one_product_of_integers() -> None:
    """Byte for byte."""
    names = b"few", b"rows"
    one = b"".join(field(1, name) for name in names)
    one += field(2, b"products") + field(4, b"MatMulInteger")
    inputs = value(b"few", UINT8, b"md"), value(b"rows", INT8, b"dn")
    found = value(b"products", INT32, b"mn")
    assert _shipped("one") == model(one, b"codes", inputs, found, opset(b"", 13))
    names = b"few", b"rows", b"few_unit", b"rows_unit", b"zero"
    several = b"".join(field(1, name) for name in names)
    several += field(2, b"products") + field(4, b"MatMulIntegerToFloat")
    several += field(7, b"com.microsoft")
    inputs += value(b"few_unit", FLOAT), value(b"rows_unit", FLOAT), value(b"zero", UINT8)
    found = value(b"products", FLOAT, b"mn")
    opsets = opset(b"", 13) + opset(b"com.microsoft", 1)
    assert _shipped("several") == model(several, b"codes", inputs, found, opsets)


def _shipped(kind: str) -> bytes:
    return Path(product_codes.__file__).with_name(f"product_codes_{kind}.onnx").read_bytes()
