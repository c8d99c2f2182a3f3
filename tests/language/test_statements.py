"""Cutting talk into statements."""

# ruff: noqa: E501 - a case reads best on one line

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.language.statements import Statement, statements


def texts(text: str) -> list[str]:
    """The statements' texts."""
    return [s.text for s in statements(text)]


PIECES = st.lists(
    st.sampled_from([
        "We moved to Oslo", "Dr. Lind", "it costs 3.50 euros", ", and I", ", can you help me",
        ". ", "! ", "? ", "...", "\n", "\n- ", "\n```\n", "\u3002", "\U0001f389 ", '"', "(", " ", "; ", "when we",
    ])
).map("".join)  # fmt: skip


@given(st.text() | PIECES)
def test_statements_are_ordered_slices_that_lose_no_word(text: str) -> None:
    """Every statement is a trimmed slice, none overlap, and letters and digits all remain."""
    found = statements(text)
    assert all(s.text == text[s.start : s.end] == s.text.strip() != "" for s in found)
    edges = [0, *(edge for s in found for edge in (s.start, s.end)), len(text)]
    assert all(a <= b for a, b in pairwise(edges))
    gaps = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    assert not any(re.search(r"[^\W\d_]{2}", gap) for gap in gaps)


@given(PIECES)
def test_one_more_cut_of_a_statement_in_prose_changes_nothing_inside_a_sentence(text: str) -> None:
    """Cutting again yields no statement longer than the first time."""
    for statement in statements(text):
        assert all(len(again) <= len(statement.text) for again in texts(statement.text))


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Lind saw Mr. Oyelaran at St. Mary's on Sept. 5.",
        "The fee went from 3.5 to 4.75 euros.",
        "We run v2.10.3 of the importer on node.js and read config.toml twice.",
        "See https://example.org/a.b?c=1;d=2 and write to a.b@example.org about it.",
        "J. R. Okafor and P. Q. Weiss signed it.",
        "Bring fruit, e.g. pears, plums etc. to the lab.",
        '"Really?" she asked, "you sold it?" and laughed.',
        "He waited... and then he left.",
        "It is at 9 a.m. on No. 12 Mill Lane.",
        "When the lease ended, I moved to a smaller flat.",
        "Because it rained, we have moved the picnic.",
        "The plan (which is late, and I know it) stays.",
        "I like tea, coffee and cake.",
    ],
)
def test_a_full_stop_that_ends_nothing_does_not_cut(text: str) -> None:
    """Abbreviations, decimals, versions, addresses, quotes and subordinate clauses stay whole."""
    assert texts(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We moved. It is bigger!  Do you like it?", ["We moved.", "It is bigger!", "Do you like it?"]),
        ("yeah i sold it. now i take the bus.", ["yeah i sold it.", "now i take the bus."]),
        ("We meet in Jan. We skip Feb. The rest stays.", ["We meet in Jan.", "We skip Feb.", "The rest stays."]),
        ("It takes 5 min. Then it stops.", ["It takes 5 min.", "Then it stops."]),
        ("The answer is no. We stay.", ["The answer is no.", "We stay."]),
        ("We got the grant \U0001f389 Work starts in May", ["We got the grant \U0001f389", "Work starts in May"]),
        ("We won!! \U0001f389\U0001f389 Next match is on Friday.", ["We won!! \U0001f389\U0001f389", "Next match is on Friday."]),
        ('Ada said "it is done." We left.', ['Ada said "it is done."', "We left."]),
        ("\u4eca\u5929\u662f\u661f\u671f\u4e00\u3002\u6211\u642c\u5bb6\u4e86\u3002", ["\u4eca\u5929\u662f\u661f\u671f\u4e00\u3002", "\u6211\u642c\u5bb6\u4e86\u3002"]),
        ("The rent is 900 euros; the deposit is two months.", ["The rent is 900 euros;", "the deposit is two months."]),
        ("Two things\n\nfollow here", ["Two things", "follow here"]),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    """Full stops, casual lower case, units, emoji, quotes, ideographic stops and paragraphs."""
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I'm planting a hedge, and I've bought 40 saplings so far, can you suggest a spacing?",
            ["I'm planting a hedge", "and I've bought 40 saplings so far", "can you suggest a spacing?"],
        ),
        (
            "We need a new roof - how much does slate weigh per metre?",
            ["We need a new roof", "how much does slate weigh per metre?"],
        ),
        (
            "My thesis has 80 pages, I've written 12 this week, but I want to cut the third chapter",
            ["My thesis has 80 pages", "I've written 12 this week", "but I want to cut the third chapter"],
        ),
        (
            "The API, which recently got faster, answers in 90ms, so what should we tune next?",
            ["The API, which recently got faster, answers in 90ms", "so what should we tune next?"],
        ),
    ],
)  # fmt: skip
def test_run_on_sentences_are_cut_before_a_clause_with_its_own_subject(
    text: str, expected: list[str]
) -> None:
    """What is told and what is asked come apart; relative clauses stay with their head."""
    assert texts(text) == expected


def test_list_items_lose_their_marks_and_stand_alone() -> None:
    """Bullets, numbers, boxes, quotes and headings."""
    text = "Plan:\n- buy paint\n* [x] call Ines\n2. sand the floor\n> she agreed\n## Later\nmove in"
    assert texts(text) == [
        "Plan:", "buy paint", "call Ines", "sand the floor", "she agreed", "Later\nmove in",
    ]  # fmt: skip


def test_wrapped_lines_go_on_and_other_lines_do_not() -> None:
    """A long line, or one followed by lower case, continues; a short one does not."""
    wrapped = "The committee has decided to postpone the opening of the new\nLibrary to June."
    assert texts(wrapped) == [wrapped]
    assert texts("we meet at\nnoon") == ["we meet at\nnoon"]
    assert texts("Hello Ana\nThe keys are inside") == ["Hello Ana", "The keys are inside"]


def test_code_is_kept_whole_and_marked() -> None:
    """A fenced block is one statement, also where its end is missing."""
    text = "Here it is:\n```python\na = 1. \n\nb = 2\n```\nDoes it work? Thanks.\n~~~\nx; y"
    assert statements(text) == [
        Statement("Here it is:", 0, 11),
        Statement("```python\na = 1. \n\nb = 2\n```", 12, 40, code=True),
        Statement("Does it work?", 41, 54),
        Statement("Thanks.", 55, 62),
        Statement("~~~\nx; y", 63, 71, code=True),
    ]


@pytest.mark.parametrize("text", ["", "   \n\t\n", "- ", "```"])
def test_nothing_said_is_no_statement_of_prose(text: str) -> None:
    """White space and bare marks say nothing; a bare fence is code."""
    assert [s for s in statements(text) if not s.code and s.text.strip("- ")] == []


@pytest.mark.parametrize(
    "unit", [".", "\U0001f389", ", I am ", "(, we have ", '..." ', "\n> ", "and "]
)
def test_a_monotonous_text_of_any_length_is_cut(unit: str) -> None:
    """Long runs of one sign, the worst cases of backtracking, end."""
    assert statements("We go" + unit * 20_000)
