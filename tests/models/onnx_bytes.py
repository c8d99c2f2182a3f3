"""ONNX models of a single node, byte for byte what the fields of onnx.proto3 are written as."""

from __future__ import annotations

from collections.abc import Sequence

FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6
"""``TensorProto.DataType``."""


def model(node: bytes, name: bytes, inputs: Sequence[bytes], found: bytes, opsets: bytes) -> bytes:
    """A ``ModelProto`` whose graph has this name."""
    graph = field(1, node) + field(2, name)
    graph += b"".join(field(11, each) for each in inputs) + field(12, found)
    return number(1, 8) + field(7, graph) + opsets


def opset(domain: bytes, version: int) -> bytes:
    """Operators that a model draws on."""
    return field(8, field(1, domain) + number(2, version))


def value(name: bytes, kind: int, dimensions: bytes = b"") -> bytes:
    """A ``ValueInfoProto`` of a tensor whose dimensions have a letter each."""
    shape = b"".join(field(1, field(2, bytes([letter]))) for letter in dimensions)
    return field(1, name) + field(2, field(1, number(1, kind) + field(2, shape)))


def field(key: int, content: bytes) -> bytes:
    """A field that has a length."""
    return _varint(key << 3 | 2) + _varint(len(content)) + content


def number(key: int, value: int) -> bytes:
    """A field that is a number."""
    return _varint(key << 3) + _varint(value)


def _varint(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])
