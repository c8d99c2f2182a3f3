"""Evaluating trained heads: linear layers, trees, and the file they come from."""

from __future__ import annotations

import numpy as np
import pytest

from hypermnesia.judge.features_pair import pair_features
from hypermnesia.judge.features_text import stem, tokenize
from hypermnesia.judge.local_heads import Trees, arrays, sigmoid, softmax
from tests.judge.passages import passage


def test_trees_add_up_the_leaves_that_a_row_reaches() -> None:
    """Right when the value exceeds the threshold, left otherwise; the bias is added once."""
    stumps = Trees(
        feature=np.array([[0], [1]], np.int32),
        threshold=np.array([[0.5], [2.0]], np.float32),
        value=np.array([[1.0, 10.0], [100.0, 1000.0]], np.float32),
        bias=np.array([0.25], np.float32),
    )
    rows = np.array([[0.5, 3.0], [0.6, 2.0]], np.float32)
    assert stumps.logits(rows).tolist() == [1001.25, 110.25]


def test_extreme_logits_do_not_overflow() -> None:
    """Probabilities stay finite at both ends."""
    assert sigmoid(np.array([-1e9, 1e9])).tolist() == pytest.approx([0, 1])
    assert softmax(np.array([[1e4, 0.0]])).tolist() == [[1.0, 0.0]]


def test_every_shipped_array_is_a_plain_finite_number_table() -> None:
    """Only unused tree nodes hold an infinite threshold."""
    for name, array in arrays().items():
        assert array.dtype.kind in "fi", name
        if not name.endswith("threshold"):
            assert np.isfinite(array.astype(np.float64)).all(), name


def test_the_pair_head_reads_as_many_features_as_there_are() -> None:
    """A feature added without training again would shift every column behind it."""
    count = len(pair_features(passage("a b"), passage("c d"), 0.5))
    assert int(arrays()["supersede/full/feature"].max()) < count
    assert count == int(arrays()["supersede/columns"])


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("The port is 5433", ["stop", "word", "stop", "number"]),
        ("Ask Priya about INV-1001", ["word", "name", "stop", "identifier"]),
        ("due on Friday", ["word", "stop", "date"]),
    ],
)
def test_words_are_told_by_kind(text: str, kinds: list[str]) -> None:
    """Numbers, identifiers, names and dates are the values that may clash."""
    assert [t.kind for t in tokenize(text)] == kinds


@pytest.mark.parametrize(
    ("one", "other"),
    [("moves", "moved"), ("parties", "party"), ("planning", "planned"), ("plays", "played")],
)
def test_inflected_forms_share_a_stem(one: str, other: str) -> None:
    """Overlap is counted on stems."""
    assert stem(one) == stem(other)
