"""Token vectors of a text from those of its parts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.models.late import DIMENSIONS, TOKEN_BYTES, TOKENS, VERSION, expand
from hypermnesia.models.late_merge import merge


def blob(tokens: int, seed: int) -> bytes:
    """Token vectors of any signs."""
    signs = np.random.default_rng(seed).integers(0, 256, (tokens, TOKEN_BYTES), np.uint8)
    return bytes([VERSION]) + signs.tobytes()


def test_few_vectors_stay_as_they_are_in_their_order() -> None:
    """Nothing needs pooling."""
    one, other = blob(3, 1), blob(5, 2)
    assert np.array_equal(expand(merge([one, other])), np.vstack([expand(one), expand(other)]))


@given(st.lists(st.integers(0, 40), min_size=1, max_size=5))
def test_a_merged_blob_is_no_larger_than_any_other(counts: list[int]) -> None:
    """However much is merged."""
    merged = merge([blob(n, n) if n else b"" for n in counts])
    assert len(expand(merged)) == min(sum(counts), TOKENS)


def test_a_pooled_vector_lies_nearer_to_its_own_than_to_others() -> None:
    """Of two neighbours that disagree, the sum is not biased to one sign."""
    merged = expand(merge([blob(31, 3), blob(31, 4)]))
    parts = np.vstack([expand(blob(31, 3)), expand(blob(31, 4))])
    similarities = parts @ merged.T
    assert (similarities.argmax(axis=1) == np.arange(62) // 2).all()
    assert abs(float((merged > 0).mean()) - 0.5) < 0.05
    assert merged.shape == (TOKENS, DIMENSIONS)


def test_nothing_merged_is_nothing() -> None:
    """Other encoders have no token vectors."""
    assert merge([]) == merge([b"", b""]) == b""
