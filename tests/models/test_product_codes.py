"""Products of codes are as near to those of the vectors as they say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.models import product_codes
from hypermnesia.models.product_codes import ROW_CODES, CodedFew, CodedRows
from hypermnesia.types import Matrix

FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6
"""``TensorProto.DataType`` of onnx.proto3."""


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
    """Byte for byte what these fields of onnx.proto3 are written as."""
    names = b"few", b"rows"
    one = b"".join(_field(1, name) for name in names)
    one += _field(2, b"products") + _field(4, b"MatMulInteger")
    inputs = _value(b"few", UINT8, b"md"), _value(b"rows", INT8, b"dn")
    assert _shipped("one") == _model(one, inputs, INT32, _opset(b"", 13))
    names = b"few", b"rows", b"few_unit", b"rows_unit", b"zero"
    several = b"".join(_field(1, name) for name in names)
    several += _field(2, b"products") + _field(4, b"MatMulIntegerToFloat")
    several += _field(7, b"com.microsoft")
    inputs += _value(b"few_unit", FLOAT), _value(b"rows_unit", FLOAT), _value(b"zero", UINT8)
    opsets = _opset(b"", 13) + _opset(b"com.microsoft", 1)
    assert _shipped("several") == _model(several, inputs, FLOAT, opsets)


def _shipped(kind: str) -> bytes:
    return Path(product_codes.__file__).with_name(f"product_codes_{kind}.onnx").read_bytes()


def _model(node: bytes, inputs: Sequence[bytes], found: int, opsets: bytes) -> bytes:
    """A ``ModelProto`` of a single node."""
    graph = _field(1, node) + _field(2, b"codes")
    graph += b"".join(_field(11, each) for each in inputs)
    graph += _field(12, _value(b"products", found, b"mn"))
    return _number(1, 8) + _field(7, graph) + opsets


def _opset(domain: bytes, version: int) -> bytes:
    return _field(8, _field(1, domain) + _number(2, version))


def _value(name: bytes, kind: int, dimensions: bytes = b"") -> bytes:
    """A ``ValueInfoProto`` of a tensor whose dimensions have a letter each."""
    shape = b"".join(_field(1, _field(2, bytes([letter]))) for letter in dimensions)
    return _field(1, name) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))


def _field(number: int, content: bytes) -> bytes:
    """A field that has a length."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    """A field that is a number."""
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])
