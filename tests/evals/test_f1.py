"""Token F1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.evals.f1 import token_f1


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("The Attic.", "attic", 1.0),
        ("7 May 2023", "may 7, 2023", 1.0),
        ("in the attic", "attic", 2 / 3),
        ("tea tea milk", "tea", 1 / 2),
        ("Ann\u2019s dog", "Ann's dog", 1.0),
        ("cellar", "attic", 0.0),
        ("", "attic", 0.0),
        ("the", "a", 1.0),
    ],
)
def test_shared_words_count(answer: str, gold: str, expected: float) -> None:
    """Case, punctuation and articles do not; a word counts as often as it comes in both."""
    assert token_f1(answer, gold) == pytest.approx(expected)


@given(st.text(), st.text())
def test_it_is_symmetric_and_bounded(first: str, second: str) -> None:
    """And 1 for the same text."""
    assert token_f1(first, second) == token_f1(second, first)
    assert 0 <= token_f1(first, second) <= 1
    assert token_f1(first, first) == 1
