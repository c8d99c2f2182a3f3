"""What makes two texts the same memory."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.store.text import content_hash

texts = st.text(st.characters(codec="utf-8"), max_size=40)


@given(texts)
def test_composed_and_decomposed_forms_are_one_text(text: str) -> None:
    """NFC and NFD of anything hash alike."""
    forms = {content_hash("a", unicodedata.normalize(form, text)) for form in ("NFC", "NFD")}
    assert forms == {content_hash("a", text)}


@given(st.lists(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1)))
def test_white_space_and_line_ends_do_not_count(words: list[str]) -> None:
    """CRLF, tabs and runs of blanks are one space; those around the text are none."""
    spellings = (" ".join(words), "\r\n".join(words), "\t \n".join(words), f"  {' '.join(words)}\n")
    assert len({content_hash("a", text) for text in spellings}) == 1


@given(st.text(st.characters(codec="ascii")))
def test_case_does_not_count(text: str) -> None:
    """Upper, lower and mixed spellings are one text."""
    spelt = {content_hash("a", t) for t in (text, text.upper(), text.lower(), text.swapcase())}
    assert len(spelt) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("ΣΑΣ", "σας"), ("Café", "CAFE\u0301"), ("ﬁn", "FIN")],
)
def test_case_folds_in_any_script(one: str, other: str) -> None:
    """Full case folding, composed or not."""
    assert content_hash("a", one) == content_hash("a", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("INV-1001 is 40 euros", "INV-1002 is 45 euros"),
        ("cat number 0", "cat number 1"),
        ("it works", "it works."),
        ("résumé", "resume"),
        ("ab", "a b"),
    ],
)
def test_other_numbers_marks_and_accents_are_other_texts(one: str, other: str) -> None:
    """Identity decides, never similarity."""
    assert content_hash("a", one) != content_hash("a", other)


@given(texts, texts)
def test_scopes_are_part_of_the_identity(text: str, scope: str) -> None:
    """The same text in another scope is another memory."""
    assert content_hash(scope, text) != content_hash(scope + "x", text)
