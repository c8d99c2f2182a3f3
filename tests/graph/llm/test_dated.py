"""Dates in a model's facts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.graph.llm.dated import dated

AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
"""A Monday."""


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Ann ran yesterday.", "Ann ran yesterday (7 May 2023)."),
        ("Ann ran yesterday (7 May 2023).", "Ann ran yesterday (7 May 2023)."),
        ("Ann ran yesterday (2023-05-07).", "Ann ran yesterday (2023-05-07)."),
        ("Ann ran yesterday (7 May).", "Ann ran yesterday (7 May)."),
        ("Ann ran yesterday (9 May 2023).", "Ann ran yesterday (7 May 2023)."),
        ("Ann ran yesterday (with Bo).", "Ann ran yesterday (7 May 2023) (with Bo)."),
        ("Ann left in June 2019.", "Ann left in June 2019."),
        ("Ann likes tea (green).", "Ann likes tea (green)."),
        (
            "Ann ran yesterday (8 May 2023) and swims tomorrow.",
            "Ann ran yesterday (7 May 2023) and swims tomorrow (9 May 2023).",
        ),
    ],
)
def test_a_relative_date_has_its_day_beside_it(written: str, kept: str) -> None:
    """A day that the model put there stays if it is right, and is replaced if it is not."""
    content, found = dated(written, AT)
    assert content == kept
    assert all(content[m.start : m.end] == m.phrase for m in found)


def test_a_date_in_brackets_is_no_second_date() -> None:
    """It says again what the phrase before it says."""
    _, found = dated("Ann ran yesterday (7 May 2023) and left in 2019.", AT)
    assert [m.phrase for m in found] == ["yesterday", "2019"]


@given(st.text(alphabet="yesterday on 7May2023() .", max_size=60) | st.text(max_size=60))
def test_dating_twice_changes_nothing_more(text: str) -> None:
    """A fact that is read back looks the same."""
    once, _ = dated(text, AT)
    assert dated(once, AT)[0] == once
