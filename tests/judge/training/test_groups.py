"""Rows that belong together are held out together."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.judge.training.groups import ALIKE, FOLDS, folds, groups
from hypermnesia.types import Matrix


def vectors(**angles: float) -> dict[str, Matrix]:
    """Texts as directions in the plane, in degrees."""
    return {
        text: np.asarray([np.cos(a), np.sin(a)], np.float32)
        for text, degrees in angles.items()
        for a in [np.radians(degrees)]
    }


def test_nearly_equal_texts_belong_together() -> None:
    """By way of a third, too; and a row with two texts ties theirs together."""
    near = float(np.degrees(np.arccos(ALIKE))) - 1
    known = vectors(a=0, b=near, c=2 * near, d=180, e=100, f=268)
    assert groups([["a"], ["b"], ["c"], ["d"]], [None] * 4, known).tolist() == [0, 0, 0, 1]
    assert groups([["a"], ["d", "e"], ["e"]], [None] * 3, known).tolist() == [0, 1, 1]
    assert len(set(groups([["d"], ["e"], ["f"]], [None] * 3, known).tolist())) == 3


def test_rows_of_one_memory_belong_together() -> None:
    """However its text was changed; rows without an id are not tied by that."""
    known = vectors(a=0, b=90, c=180)
    assert groups([["a"], ["b"], ["c"]], ["m", "m", None], known).tolist() == [0, 0, 1]
    assert groups([["a"], ["b"]], [None, None], known).tolist() == [0, 1]


@given(st.lists(st.integers(0, 40), min_size=1, max_size=200), st.integers(0, 9))
def test_folds_keep_groups_whole_and_like_in_size(members: list[int], seed: int) -> None:
    """No fold has more than the fairest share and the largest group."""
    labels = np.unique(members, return_inverse=True)[1].astype(np.int64)
    found = folds(labels, seed)
    assert all(len(set(found[labels == group].tolist())) == 1 for group in set(labels.tolist()))
    sizes = np.bincount(found, minlength=FOLDS)
    assert sizes.max() <= len(members) / FOLDS + np.bincount(labels).max()
    assert folds(labels, seed).tolist() == found.tolist()
