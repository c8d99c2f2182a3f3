"""Whose thing a statement is about, and which of their things."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.judge.features_about import about, about_features
from hypermnesia.judge.features_reading import read


def _features(old: str, new: str) -> dict[str, float]:
    return about_features(old, new, read(old).stems & read(new).stems)


@pytest.mark.parametrize(
    ("text", "holders"),
    [
        ("The pump of Falcon is loud.", {"falcon"}),
        ("The minutes for Yara are late.", {"yara"}),
        ("Olga's boiler leaks.", {"olga"}),
        ("The boiler of the Porto office leaks.", {"porto"}),
        ("She works for Lumen.", set()),
        ("We use Go instead of Perl.", set()),
        ("It's raining, and that's fine.", set()),
        ("The pump of it all", set()),
        ("", set()),
    ],
)
def test_a_holder_is_a_name_behind_of_or_for_or_before_s(text: str, holders: set[str]) -> None:
    """Some verbs make what follows them a value instead."""
    assert about(text).things.keys() == holders


@pytest.mark.parametrize(
    ("old", "new", "clash"),
    [
        ("The pump of Bramble is loud.", "The pump of Cinder is loud.", "holder_clash"),
        (
            "Ask Nils about the gate of Bramble.",
            "Ask Nils about the gate of Cinder.",
            "holder_clash",
        ),
        ("The pump of Bramble is loud.", "Bramble's lift is loud.", "thing_clash"),
        ("The lift in Hall is slow.", "The lift in Ward is slow.", "site_clash"),
        ("The lift in Bramble is slow.", "The gate in Bramble is slow.", "site_other"),
    ],
)
def test_another_holder_or_thing_is_seen(old: str, new: str, clash: str) -> None:
    """Whichever comes first."""
    assert _features(old, new)[clash] == _features(new, old)[clash] == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The pump of Bramble is loud.", "Bramble's pump is quiet now."),
        ("The owner of Bramble is Nils.", "The owner of Bramble is Yara."),
        ("The minutes for Yara are in Dutch.", "The minutes for Yara are in Polish."),
        ("She works for Lumen.", "She works for Acorn."),
    ],
)
def test_a_new_value_of_the_same_thing_is_no_other_thing(old: str, new: str) -> None:
    """Names may be values."""
    found = _features(old, new)
    assert found["holder_clash"] == found["thing_clash"] == 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_have_the_same_bounded_features(old: str, new: str) -> None:
    """Whatever they hold."""
    found = _features(old, new)
    assert found.keys() == _features("a", "b").keys()
    assert all(0 <= value <= 1.5 for value in found.values())
