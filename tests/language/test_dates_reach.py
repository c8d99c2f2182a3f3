"""What spares the date grammar work must never hide a date from it."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import ast
from datetime import UTC, date, datetime
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.language import dates_absolute, dates_grammar, dates_phrases, dates_relative
from hypermnesia.language import dates_weekdays as weekdays
from hypermnesia.language.dates import mentions
from hypermnesia.language.dates_lexer import _chunk, lex
from hypermnesia.language.dates_phrases import (
    _GRAMMAR,
    date_to_date,
    from_to,
    is_temporal,
    names_a_time,
    openings,
)
from hypermnesia.language.dates_reading import Source, tenses
from hypermnesia.language.dates_words import word_set

RULES = (dates_absolute, dates_grammar, dates_phrases, dates_relative, weekdays)
NAMES = word_set(
    "day month year word number ordinal decade quarter mark opaque habit past future present s"
    " about to on in like just only early late end during for within throughout over"
)
"""Literals of the rules that are kinds of tokens, tenses, or words looked at beside a phrase."""
PIECES = st.sampled_from(
    sorted(
        word_set(
            "May may 2023 '21 90s Q2 5/7/23 2023-05-07 nineties week's Week New-Year's EASTER"
            " \u212a \u017fun the two - . , ( a42 INV-1002 99th 14:30 year_end"
        )
    )
)


@pytest.mark.parametrize("module", RULES, ids=lambda m: m.__name__.rpartition(".")[2])
def test_every_word_that_a_rule_accepts_may_be_inside_a_phrase(module: ModuleType) -> None:
    """A rule that learns a word must tell the reach of phrases about it."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    known = {str(d) for n in ast.walk(tree) for d in [_docstring(n)] if d}
    words = {
        word
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node.value not in known and node.value.islower() and len(node.value) < 15
        for word in node.value.split()
        if word.isalpha()
    }
    assert words - NAMES <= _GRAMMAR


def _docstring(node: ast.AST) -> str | None:
    documented = isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
    return ast.get_docstring(node, clean=False) if documented else None


@given(st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=6).map(" ".join))
def test_a_text_that_is_not_cut_up_has_no_word_for_a_time(text: str) -> None:
    """The cheap look may be wrong in one way only."""
    assert names_a_time(text) or not any(map(is_temporal, lex(text)))


@given(st.text(st.characters(categories=("L",)), min_size=1, max_size=50))
def test_a_plain_word_is_read_as_any_other_piece(word: str) -> None:
    """The short way through the lexer leads to the same token."""
    assert lex(word) == list(_chunk(word, 0))


def test_a_phrase_is_found_behind_any_number_of_other_words() -> None:
    """What stands before a phrase is no part of its reach."""
    at = datetime(2024, 3, 13, tzinfo=UTC)
    told = "Nobody told me that all of the reports, invoices and letters came in "
    assert [m.phrase for m in mentions(f"{told * 4}the first half of last year.", at)] == [
        "the first half of last year"
    ]


@given(
    st.sampled_from(["2", "two", "12", "2023", "1999", "100", "0", "'21"]),
    st.lists(st.sampled_from(sorted(_GRAMMAR | {"2", "3rd", "2023", "q2", "90s", "-", ",", "."}))),
    st.none() | st.just(datetime(2023, 5, 8, tzinfo=UTC).date()),
    st.booleans(),
)
def test_no_rule_that_is_spared_accepts_a_number(
    number: str, words: list[str], anchor: date | None, cued: bool
) -> None:
    """Whatever follows it; and the same holds for dates inside of dates."""
    tokens = lex(" ".join((number, *words)))
    src = Source(tokens, lambda: tenses(tokens), anchor, range(len(tokens)))
    spared = set(dates_grammar.RULES) - set(dates_grammar.rules_at(src, 0))
    assert spared
    assert not [rule for rule in spared if rule(src, 0, cued)]


@given(
    st.lists(
        st.one_of(
            PIECES,
            st.sampled_from(sorted(_GRAMMAR)),
            st.sampled_from(["to", "until", "-", "from"]),
        ),
        max_size=9,
    ),
    st.none() | st.just(datetime(2023, 5, 8, tzinfo=UTC).date()),
)
def test_no_stretch_begins_where_it_is_not_looked_for(
    pieces: list[str], anchor: date | None
) -> None:
    """Dates in a row, with and without a word that leads from one to the next."""
    tokens = lex(" ".join(pieces))
    src = Source(tokens, lambda: tenses(tokens), anchor, openings(tokens))
    spared = set(range(len(tokens))) - set(src.openings)
    assert not [i for i in spared for rule in (date_to_date, from_to) if rule(src, i, False)]
