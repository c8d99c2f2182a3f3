"""Telling words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.graph.local import words


def test_rare_words_tell_more_than_common_ones() -> None:
    """By their place in the encoder's vocabulary; unknown words are the rarest."""
    assert words.rarity("house") < words.rarity("pottery") < words.rarity("raku-fired") == 1.0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ann's kiln isn't hot", ["ann", "kiln", "hot"]),
        ("Thanks, that's awesome!", []),
        ("POL-358 failed", ["pol-358", "failed"]),
        ("\u6771\u4eac\u3067", ["\u6771\u4eac\u3067"]),
    ],
)
def test_function_words_and_chatter_do_not_tell(text: str, found: list[str]) -> None:
    """What remains says what a text is about."""
    assert words.telling(words.words(text)) == found


def test_a_word_of_several_texts_is_of_the_theme() -> None:
    """It outweighs the same word said once."""
    once, twice = words.weights(["kiln"]), words.weights(["kiln", "the kiln"])
    assert twice["kiln"] > once["kiln"]


def test_of_a_word_and_its_plural_one_is_a_keyword() -> None:
    """Spelt as it first occurs; numbers alone are none."""
    said = ["Bowls 42 bowl Kiln", "kiln bowls kilns", "bowls"]
    assert words.strongest(words.weights(said), said, 8) == ("Bowls", "Kiln")


@given(st.text(), st.integers(2, 60))
def test_a_shortened_text_fits_on_one_line(text: str, limit: int) -> None:
    """And is left alone if it fits."""
    short = words.shortened(text, limit)
    assert len(short) <= limit
    assert short == " ".join(short.split())
    if len(" ".join(text.split())) <= limit:
        assert short == " ".join(text.split())
