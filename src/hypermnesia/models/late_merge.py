"""Token vectors of a text that is made of others, from theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hypermnesia.models.late import TOKENS, VERSION, expand_all


def merge(blobs: Sequence[bytes]) -> bytes:
    """One blob, as :func:`~.late.compress` would make of the texts one after the other.

    Too many vectors are pooled with their neighbours, as in a long text. Of each only the signs
    are left, so where those of a group are evenly divided the first vector decides in every other
    dimension, and the last in those between.

    Returns:
        Empty when no blob holds token vectors.
    """
    tokens, _ = expand_all(blobs)
    if not len(tokens):
        return b""
    if len(tokens) > TOKENS:
        bounds = np.arange(TOKENS + 1) * len(tokens) // TOKENS
        first, last = bounds[:-1], bounds[1:] - 1
        even = np.arange(tokens.shape[1]) % 2 == 0
        deciding = np.where(even, tokens[first], tokens[last])
        tokens = np.add.reduceat(tokens, first, axis=0) + deciding / 2
    return bytes([VERSION]) + np.packbits(tokens > 0, axis=1, bitorder="little").tobytes()
