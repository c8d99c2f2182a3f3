"""Bounds of what callers pass in."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia import validate
from hypermnesia.errors import InvalidInput
from hypermnesia.identity import new_id


@given(st.text(max_size=50))
def test_content_is_trimmed_text_or_refused(text: str) -> None:
    """What passes is what was given without the white space around it."""
    try:
        kept = validate.content(text)
    except InvalidInput:
        broken = "\0" in text or text != text.encode("utf-8", "ignore").decode()
        assert broken or not text.strip()
    else:
        assert kept == text.strip()


@given(st.text(max_size=50))
def test_a_query_becomes_valid_unicode_or_is_refused(text: str) -> None:
    """Broken characters are replaced, the words stay."""
    try:
        kept = validate.query(text)
    except InvalidInput:
        assert not text.replace("\0", " ").strip()
    else:
        assert kept.encode("utf-8").decode() == kept == kept.strip()
        assert "\0" not in kept


def test_tags_are_trimmed_and_distinct_in_order() -> None:
    """One may stand alone; none at all is fine."""
    assert validate.tags([" b ", "a", "b", "A"]) == ("b", "a", "A")
    assert validate.tags("one") == ("one",)
    assert validate.tags(None) == validate.tags([]) == ()
    assert validate.tags(tag for tag in "xy") == ("x", "y")


@given(
    st.dictionaries(
        st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False),
            lambda inner: st.lists(inner) | st.tuples(inner),
            max_leaves=5,
        ),
        max_size=4,
    )
)
def test_metadata_comes_out_as_json_would_read_it(values: dict[str, Any]) -> None:
    """Tuples as lists, and nothing that JSON does not have."""
    import json

    try:
        kept = validate.metadata(values)
    except InvalidInput:
        assert "Infinity" in json.dumps(values)
    else:
        assert kept == json.loads(json.dumps(values))
        assert validate.metadata(kept) == kept


@pytest.mark.parametrize("value", [0, 11, -1, True, False, 1.0, "1", None, 10**30])
def test_a_count_is_a_whole_number_within_bounds(value: object) -> None:
    """The message names it and its bounds."""
    with pytest.raises(InvalidInput, match="k must be a whole number from 1 to 10"):
        validate.count(value, 10, "k")
    assert validate.count(10, 10, "k") == 10


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 1.1, True, "1", None, 1j])
def test_a_number_is_finite_and_within_bounds(value: object) -> None:
    """Booleans are no numbers."""
    with pytest.raises(InvalidInput, match="score must be a number from 0 to 1"):
        validate.number(value, 0, 1, "score")
    assert validate.number(1, 0, 1, "score") == 1.0


@pytest.mark.parametrize(
    "value",
    [
        "", "now", "yesterday", "2026-13-01", "2026-02-30", "05/03/2026", "2026-05-03T25:00",
        "10:00", "1e9", "\ud800", "2026-05-03T10:00:00+99:00", 0, 1_760_000_000, 1.5, True, b"2026",
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00",
    ],
)  # fmt: skip
def test_what_is_no_date_is_refused(value: Any) -> None:
    """The message shows the two forms to use."""
    with pytest.raises(InvalidInput, match=r"2026-05-03T10|out of range"):
        validate.moment(value, "at")


@given(st.dates())
def test_a_bare_date_is_its_first_or_last_microsecond(day: date) -> None:
    """In UTC, from the first to the last day of the calendar."""
    start = validate.moment(day.isoformat(), "since")
    end = validate.moment(day, "until", end=True)
    assert start is not None
    assert start == datetime(day.year, day.month, day.day, tzinfo=UTC)
    assert end == start + timedelta(hours=23, minutes=59, seconds=59, microseconds=999_999)


@given(st.datetimes(timezones=st.timezones()))
def test_an_aware_time_stays_the_instant_it_was(moment: datetime) -> None:
    """Whatever the zone; only the edges of the calendar are out of range."""
    try:
        kept = validate.moment(moment, "at")
    except InvalidInput:
        assert moment.year in {1, 9999}
    else:
        assert kept == moment


@pytest.mark.parametrize(
    "value", ["", "x", None, 5, "01890a5d-ac96-774b-bcce-b302099a805", "\ud800", ["x"]]
)
def test_an_id_looks_like_one(value: object) -> None:
    """Before the store is asked."""
    with pytest.raises(InvalidInput, match="ids look like"):
        validate.identifier(value)


def test_an_id_may_be_spelt_in_any_usual_way() -> None:
    """Upper case, braces, or a URN."""
    plain = new_id()
    for spelling in (plain, plain.upper(), f"{{{plain}}}", f"urn:uuid:{plain}"):
        assert validate.identifier(spelling) == plain


def test_a_choice_is_refused_with_the_choices() -> None:
    """And a list with one wrong member as a whole."""
    with pytest.raises(InvalidInput, match="unknown type 'opinion'; one of fact, preference"):
        validate.types(["fact", "opinion"])
    with pytest.raises(InvalidInput, match="unknown status"):
        validate.statuses("deleted")
    assert validate.types(["fact", "fact"]) == ("fact",)
    assert validate.statuses(None) == ("active",)


def test_a_metadata_filter_takes_scalars_only() -> None:
    """Lists and objects cannot be compared."""
    assert validate.metadata_filter({"a": 1, "b": None}) == (("a", 1), ("b", None))
    with pytest.raises(InvalidInput, match="metadata 'a' can be compared with"):
        validate.metadata_filter({"a": [1]})


def test_no_message_repeats_a_long_value() -> None:
    """What was passed may be huge or secret."""
    long = "s3cret" * 1000
    attempts = (
        lambda: validate.moment(long, "at"),
        lambda: validate.identifier(long),
        lambda: validate.tags([long]),
        lambda: validate.types([long]),
        lambda: validate.scope(long),
        lambda: validate.count(long, 5, "k"),
        lambda: validate.scope(f" {long}"),
    )
    for attempt in attempts:
        with pytest.raises(InvalidInput) as refused:
            attempt()
        assert len(str(refused.value)) < 300
