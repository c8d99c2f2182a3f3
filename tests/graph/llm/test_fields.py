"""Reading an answer field by field."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput
from hypermnesia.graph.llm.fields import Fields

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
READERS: dict[str, Callable[[Fields], Any]] = {
    "text": lambda fields: fields.text("x", 5),
    "cut": lambda fields: fields.cut("x", 5),
    "optional": lambda fields: fields.optional("x", 5),
    "texts": lambda fields: fields.texts("x", 2, 5),
    "flag": lambda fields: fields.flag("x"),
    "share": lambda fields: fields.share("x"),
    "one_of": lambda fields: fields.one_of("x", ("a", "b")),
    "known": lambda fields: fields.known("x", {"t1": 0}),
    "all_known": lambda fields: fields.all_known("x", {"t1": 0}),
    "items": lambda fields: fields.items("x", 2),
}


@pytest.mark.parametrize("name", READERS)
@given(value=ANYTHING)
def test_any_value_is_read_or_refused_by_name(name: str, value: Any) -> None:
    """Models write anything; nothing but InvalidInput comes of it."""
    with suppress(InvalidInput):
        READERS[name](Fields({"x": value}, "a."))
        return
    with pytest.raises(InvalidInput, match=r"a\.x"):
        READERS[name](Fields({"x": value}, "a."))


@pytest.mark.parametrize("name", READERS)
def test_a_missing_field_is_named(name: str) -> None:
    """With its place."""
    with pytest.raises(InvalidInput, match=r"^facts\[0\]\.x is missing$"):
        READERS[name](Fields({}, "facts[0]."))


@given(st.text())
def test_a_text_that_is_read_is_one_bounded_printable_line(text: str) -> None:
    """Whatever white space the model put into it."""
    with suppress(InvalidInput):
        line = Fields({"x": text}).text("x", 40)
        assert 0 < len(line) <= 40
        assert line == " ".join(line.split())
        assert all(unicodedata.category(c) != "Cc" for c in line)


def test_words_are_different_and_bounded() -> None:
    """Blank, copied, repeated and overlong ones are left out."""
    values = ["Rex", " rex ", "", "...", "x" * 9, "Leeds", "York"]
    assert Fields({"x": values}).texts("x", 2, 8) == ("rex", "Leeds")


def test_ids_are_given_once_each() -> None:
    """In the order of the answer."""
    ids = {"t1": "a", "t2": "b"}
    assert Fields({"x": ["t2", "t1", "t2"]}).all_known("x", ids) == ("b", "a")


@pytest.mark.parametrize("value", ["t3", "T1", 1, None, ["t1"]])
def test_an_unknown_id_is_told_which_ids_there_are(value: Any) -> None:
    """And is not repeated."""
    with pytest.raises(InvalidInput, match=r"^x is none of the ids given \(t1 to t2\)$"):
        Fields({"x": value}).known("x", {"t1": 0, "t2": 1})
