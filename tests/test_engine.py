"""Vectors of texts, and of parts of them."""

from __future__ import annotations

import numpy as np
import pytest

from hypermnesia.engine import embed, embedded_parts, locate
from hypermnesia.models.encoder import Encoding, OnnxEncoder
from hypermnesia.models.late import compress_all, expand

SAID = "Ann: I moved to Graz, because it is what it is, and found a potter who sails."


def place(part: str) -> tuple[int, int]:
    """Where a part stands."""
    return SAID.index(part), SAID.index(part) + len(part)


@pytest.mark.parametrize(
    "parts",
    [["moved to Graz"], ["Ann", "found a potter"], ["it is what it is"], [SAID], [", because"]],
)
def test_a_part_is_stored_as_if_its_vectors_were_a_text(
    encoder: OnnxEncoder, parts: list[str]
) -> None:
    """Projected with the whole; a part of stop-words keeps these, though the whole drops them."""
    (located,) = locate(encoder, [SAID])
    part = located.within([place(each) for each in parts])
    assert part is not None
    (found,) = embedded_parts(["part"], [part])
    starts, ends = located.encoding.offsets.T
    chosen = np.zeros(len(starts), np.bool_)
    for first, last in map(place, parts):
        chosen |= (starts < last) & (ends > first)
    tokens = located.encoding.tokens[chosen]
    (expected,) = compress_all([Encoding(tokens[:1], located.encoding.pieces[chosen], tokens)])
    assert expected
    assert len(found.tokens) == len(expected)
    # The same sums in another order move a value near zero across it here and there.
    assert ((expand(found.tokens) * expand(expected)).sum(axis=1) > 0.95).all()
    mean = tokens.mean(axis=0)
    np.testing.assert_allclose(found.dense[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_a_part_without_a_word_has_no_vectors(encoder: OnnxEncoder) -> None:
    """Nothing lies in an empty span."""
    (located,) = locate(encoder, [SAID])
    assert located.within([]) is None
    assert located.within([(9_000, 9_001)]) is None


def test_a_text_is_embedded_alike_whether_its_parts_are_asked_for(encoder: OnnxEncoder) -> None:
    """What is stored of the whole is the same."""
    (whole,), (located,) = embed(encoder, [SAID]), locate(encoder, [SAID])
    assert whole.tokens == located.embedded.tokens
    np.testing.assert_array_equal(whole.dense, located.embedded.dense)
