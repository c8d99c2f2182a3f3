"""Texts without their disguises."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.privacy.plain import Plain


def test_disguises_are_taken_off_and_other_scripts_stay() -> None:
    """Zero-width, full-width, look-alikes glued to Latin letters; a Russian word is no disguise."""
    plain = Plain.of(
        "gh\u200bp_\u0410\u041a1 \uff50\uff41ss \u0440assword \u043f\u0430\u0440\u043e\u043b\u044c"
    )
    assert plain.text == "ghp_AK1 pass password \u043f\u0430\u0440\u043e\u043b\u044c"


def test_a_span_covers_what_was_taken_out_inside_it() -> None:
    """Masking a token masks the zero-width characters in it."""
    assert Plain.of("a gh\u200bp_ b").original(2, 6) == (2, 7)


@given(st.text(max_size=60))
def test_every_form_has_one_character_and_one_byte_for_each_of_the_text(text: str) -> None:
    """Offsets hold in the text, its folded form and its bytes, and lead back in order."""
    plain = Plain.of(text)
    assert len(plain.text) == len(plain.folded) == len(plain.data)
    places = [plain.original(i, i + 1) for i in range(len(plain.text))]
    assert places == sorted(places)
    assert all(0 <= start < end <= len(text) for start, end in places)


@given(st.text(max_size=60))
def test_taking_off_disguises_twice_changes_nothing(text: str) -> None:
    """What is plain stays as it is."""
    once = Plain.of(text).text
    assert Plain.of(once).text == once
