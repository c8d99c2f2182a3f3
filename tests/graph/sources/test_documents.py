"""JSON read value by value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.graph.sources import documents
from hypermnesia.graph.sources.documents import Broken, JsonStream, Unreadable
from hypermnesia.graph.sources.records import Record, objects

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(SCALARS, lambda v: st.lists(v) | st.dictionaries(st.text(), v), max_leaves=12)


def stream(text: str, size: int | None = None) -> JsonStream:
    """A stream over pieces of so many characters."""
    size = size or max(len(text), 1)
    return JsonStream(text[at : at + size] for at in range(0, len(text), size))


@settings(deadline=None)
@given(VALUES, st.integers(1, 9), st.sampled_from([None, 1]), st.booleans())
def test_a_value_is_what_json_says_in_pieces_of_any_size(
    value: object, size: int, indent: int | None, ascii_: bool
) -> None:
    """Decoded whole, and walked through and skipped."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_)
    assert stream(text, size).value() == value
    after = stream(f"[{text}, {text}, 7]", size)
    found = list[Any]()
    for number, _ in enumerate(after.items()):
        found += [after.value()] if number else [after.skip()]
    assert found == [None, value, 7]


@settings(deadline=None)
@given(st.dictionaries(st.text(), VALUES), st.integers(1, 9))
def test_members_are_walked_in_order(value: dict[str, Any], size: int) -> None:
    """Names and values, whatever is in them."""
    walked = stream(json.dumps(value), size)
    assert [(name, walked.value()) for name in walked.members()] == list(value.items())


@settings(deadline=None)
@given(
    st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), max_size=4),
    st.integers(1, 9),
    st.data(),
)
def test_every_cut_of_a_list_yields_its_first_elements_and_breaks(
    values: list[Any], size: int, data: st.DataObject
) -> None:
    """Only whole elements, in their order."""
    text = json.dumps(values)
    end = data.draw(st.integers(1, len(text) - 1))
    records, broken = drained(objects(stream(text[:end], size), {}))
    assert broken
    assert [record.value for record in records] == values[: len(records)]
    assert all(record.complete for record in records)


def drained(records: Iterator[Record]) -> tuple[list[Record], str]:
    """What comes before a break, and the place of it."""
    found = list[Record]()
    try:
        for record in records:
            found.append(record)
    except Broken as error:
        return found, error.where
    return found, ""


def test_opened_members_are_kept_as_far_as_they_go() -> None:
    """Down to the given level; what lies deeper is whole or absent."""
    text = '[{"id": 1, "skip": [1], "talk": {"a": [{"x": 1}, {"x": 2}], "b": [{"x": 3}, {"x": '
    records, broken = drained(objects(stream(text), {"talk": 2}, frozenset({"id"})))
    assert broken
    assert records == [
        Record({"id": 1, "talk": {"a": [{"x": 1}, {"x": 2}], "b": [{"x": 3}]}}, complete=False)
    ]


def test_what_cannot_be_decoded_but_has_an_end_is_passed_over() -> None:
    """Wrong literals, long numbers, deep nesting: the next value is read."""
    deep = "[" * 100_000 + "]" * 100_000
    walked = stream(f'[nope, {"1" * 5000}, {{"a" 1}}, {deep}, "\\x", 5]')
    found = [walked.value() for _ in walked.items()]
    assert [isinstance(value, Unreadable) for value in found] == [True] * 5 + [False]


def test_a_value_of_the_deepest_nesting_is_read() -> None:
    """And one level more is not."""
    deepest = documents.MAX_NESTING
    assert not isinstance(stream("[" * deepest + "]" * deepest).value(), Unreadable)
    assert isinstance(stream("[" * (deepest + 1) + "]" * (deepest + 1)).value(), Unreadable)


def test_a_value_too_large_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without being held."""
    monkeypatch.setattr(documents, "MAX_VALUE", 100)
    walked = stream(json.dumps(["x" * 200, "y" * 50]), 10)
    large, small = (walked.value() for _ in walked.items())
    assert isinstance(large, Unreadable)
    assert small == "y" * 50


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1, column 1"),
        ("[1\n 2]", "line 2, column 2"),
        ('{"a"\n\n  5}', "line 3, column 3"),
        ("{a: 1}", "line 1, column 2"),
        ("[1,\n", "line 2, column 1"),
        ('["a\nb', "line 2, column 2"),
        ("}", "line 1, column 1"),
        ("[1,]", "line 1, column 4"),
        ('{"a": tru', "line 1, column 7"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_break_is_named_by_line_and_column(text: str, where: str, size: int) -> None:
    """The same in pieces of any size."""
    with pytest.raises(Broken) as caught:
        walk(stream(text, size))
    assert caught.value.where == where


def walk(walked: JsonStream) -> None:
    """Read every item, every member, or the value."""
    opening = walked.peek()
    if opening not in ("[", "{"):
        walked.value()
    for _ in walked.items() if opening == "[" else walked.members() if opening == "{" else ():
        walked.value()


def test_documents_may_follow_each_other() -> None:
    """With or without line ends between them."""
    records, broken = drained(objects(stream('{"a": 1}\n\n[{"b": 2}, 3]{"c": 4} 5'), {}))
    assert not broken
    assert [record.value for record in records] == [{"a": 1}, {"b": 2}, 3, {"c": 4}, 5]
