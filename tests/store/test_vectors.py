"""Sound vectors are told from damaged ones, whoever stands beside them."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from hypermnesia.models.late import TOKEN_BYTES, VERSION
from hypermnesia.store.vectors import stored_of
from tests.store.bench import node

D = 4
SOUND = np.eye(D, dtype=np.float16)
TOKENS = bytes([VERSION]) + bytes(TOKEN_BYTES)
DAMAGED = {
    "a part of a vector": (SOUND[0].tobytes()[:-1], TOKENS),
    "no number": (np.full(D, np.nan, np.float16).tobytes(), TOKENS),
    "too long a vector": ((SOUND[:2] * 3).tobytes(), TOKENS),
    "a part of a token": (SOUND[0].tobytes(), TOKENS[:-1]),
    "text": ("vector", TOKENS),
}


def test_each_memory_gets_its_own_windows() -> None:
    """Read together, they are what they would be alone."""
    blobs = [(SOUND[:1].tobytes(), TOKENS), (SOUND[1:3].tobytes(), b""), (SOUND[3:].tobytes(), b"")]
    rows = [(node(str(i)), (i, *pair)) for i, pair in enumerate(blobs)]
    found = stored_of(rows, D)
    assert [s.key for s in found] == [0, 1, 2]
    assert [s.node.content for s in found] == ["0", "1", "2"]
    assert [s.dense.tolist() for s in found] == [
        SOUND[:1].tolist(), SOUND[1:3].tolist(), SOUND[3:].tolist()
    ]  # fmt: skip
    assert [s.tokens for s in found] == [TOKENS, b"", b""]


@pytest.mark.parametrize("pair", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_memory_is_told_of_and_spoils_no_other(
    pair: tuple[object, bytes], caplog: pytest.LogCaptureFixture
) -> None:
    """It keeps its row, without any vector."""
    good = (SOUND[2:].tobytes(), TOKENS)
    rows = [(node(str(i)), (i, *blobs)) for i, blobs in enumerate((good, pair, good))]
    with caplog.at_level(logging.WARNING, "hypermnesia"):
        first, bad, last = stored_of(rows, D)
    assert (bad.dense.shape, bad.tokens) == ((0, D), b"")
    assert first.dense.tolist() == last.dense.tolist() == SOUND[2:].tolist()
    assert rows[1][0].id in caplog.text


def test_a_memory_that_waits_for_its_vectors_is_no_damaged_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """After a change of the encoder, until it is embedded anew."""
    (found,) = stored_of([(node("a"), (1, None, None))], D)
    assert found.dense.shape == (0, D)
    assert not caplog.records
    assert stored_of([], D) == []
