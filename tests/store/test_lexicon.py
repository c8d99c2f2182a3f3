"""What the lexical index can and cannot find."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from unittest.mock import patch

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.store import lexicon
from hypermnesia.store.lexicon import (
    OUTPUT_LENGTH,
    QUERY_TERMS,
    STOP_WORDS,
    TOKENIZER,
    index_terms,
    match_expression,
    query_terms,
)

Finds = Callable[[str, str], bool]


@pytest.fixture(scope="module")
def finds() -> Finds:
    """Whether a query matches a memory in a real FTS5 index."""
    database = apsw.Connection(":memory:")
    database.execute(
        f'CREATE VIRTUAL TABLE i USING fts5(terms, content="", contentless_delete=1,'
        f' tokenize="{TOKENIZER}")'
    )

    def matches(memory: str, query: str) -> bool:
        database.execute("DELETE FROM i")
        database.execute("INSERT INTO i(rowid, terms) VALUES (1, ?)", (index_terms(memory),))
        expression = match_expression(query_terms(query), "terms")
        return bool(database.execute("SELECT 1 FROM i WHERE i MATCH ?", (expression,)).fetchall())

    return matches


@pytest.mark.parametrize(
    ("memory", "query"),
    [
        ("The fix is in src/auth.py", "src/auth.py"),
        ("The fix is in /home/ana/src/auth.py:41", "auth.py"),
        ("The fix is in src/auth.py", "auth"),
        ("Ticket POL-358 is closed", "pol-358"),
        ("Ticket POL-358 is closed", "358"),
        ("Released v2.3 today", "V2.3?"),
        ("call getUserName first", "user"),
        ("call getUserName first", "getusername"),
        ("the cache_key column", "key"),
        ("use grammar::fa", "grammar::fa"),
        ("posted by @nasa", "nasa"),
        ("posted by nasa", "@nasa"),
        ("write to jane.doe@acme.com", "acme.com"),
        ("see https://example.org/docs/setup?x=1", "example.org"),
        ("I don’t eat fish", "don't"),
        ("Ana's bicycle", "ana"),
        ("a poem, L'Amour", "amour"),
        ("it costs $1,200.50", "1200"),
        ("due 2024-05-03", "2024-05-03"),
        ("written in C++", "c++"),
        ("crème brûlée", "creme BRULEE"),
        ("Ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
        ("we were climbing mountains", "climbed a mountain"),
        ("私は東京都に住んでいます", "東京"),
        ("한국어를 배웠다", "한국어"),
        ("ผมชอบกินข้าวผัด", "ข้าว"),
        ("मुझे हिन्दी पसंद है", "हिन्दी"),
        ("она живёт в Москве", "МОСКВЕ"),
    ],
)
def test_a_memory_is_found_whole_and_in_parts(finds: Finds, memory: str, query: str) -> None:
    """Identifiers, prices, contractions, and scripts with and without spaces."""
    assert finds(memory, query)


@pytest.mark.parametrize(
    ("memory", "query"),
    [
        ("大阪に住んでいます", "東京"),
        ("หมา", "ข้าว"),
        ("हनद", "हिन्दी"),
        ("The scheduler was slow", "the billing was fast"),
    ],
)
def test_what_shares_no_telling_term_is_not_found(finds: Finds, memory: str, query: str) -> None:
    """Neither stop-words nor vowel-less skeletons match."""
    assert not finds(memory, query)


@pytest.mark.parametrize(
    "query",
    ["don't", "POL-358", "@nasa", "a/b", "50%", "x::y", 'say "hi"', "a OR b", "NEAR(a b)", "*a"],
)
def test_query_syntax_in_a_text_is_only_text(finds: Finds, query: str) -> None:
    """What would be an FTS5 operator or error is searched for literally."""
    assert finds(f"before {query} after", query)


@settings(deadline=None)  # a shared machine is slow at times
@given(st.text(min_size=1, max_size=80))
def test_every_text_with_a_letter_or_digit_finds_itself(finds: Finds, text: str) -> None:
    """The analysed query hits the analysed index under FTS5's stemmer, in any script."""
    if query_terms(text):
        assert finds(text, text)
    else:
        words = unicodedata.normalize("NFKC", text).replace("\u02bc", "'")
        assert not any(character.isalnum() for character in words)


@settings(deadline=None)  # a shared machine is slow at times
@given(st.text(max_size=200), st.text(max_size=20))
def test_an_expression_never_raises(finds: Finds, text: str, column: str) -> None:
    """Quotes, operators and control characters are all inside the quotes."""
    terms = [text, *query_terms(text)]
    database = apsw.Connection(":memory:")
    database.execute(f'CREATE VIRTUAL TABLE i USING fts5(terms, tokenize="{TOKENIZER}")')
    database.execute(
        "SELECT 1 FROM i WHERE i MATCH ?", (match_expression(terms, "terms"),)
    ).fetchall()
    assert match_expression((), column) == ""


@settings(deadline=None)  # a shared machine is slow at times
@given(st.text(max_size=300))
def test_query_terms_are_few_distinct_and_indexed(text: str) -> None:
    """What a query asks for is what the index of the same text holds."""
    terms = query_terms(text)
    assert len(set(terms)) == len(terms) <= QUERY_TERMS
    assert set(terms) <= set(index_terms(text).split(" "))


def test_stop_words_are_asked_for_only_when_nothing_else_is_left() -> None:
    """A question of function words alone still has terms."""
    assert query_terms("What did you do with the kettle?") == ("kettle",)
    assert query_terms("Who are you?") == ("who", "are", "you")
    assert query_terms("?!… 🎉") == ()


def test_identifiers_lead_the_query() -> None:
    """They are the rarest terms, so the limit must not cut them."""
    words = " ".join(f"word{'abcdefghijklmnopqrstuvwxyz'[i]}" for i in range(20))
    assert query_terms(f"{words} src/auth.py")[:2] == ("src_auth_py", "auth_py")


@pytest.mark.parametrize(
    "unit", ["東", "a.b/c::", "AbCd", "\ufdfa", "1,234,", "a-", "lorem ", "'", "x"]
)
def test_the_longest_memory_gives_a_bounded_index_entry(unit: str) -> None:
    """64,000 characters of the worst kind stay within the limit."""
    assert len(index_terms((unit * 64_000)[:64_000])) <= OUTPUT_LENGTH


@given(st.lists(st.text("ab\u6771", min_size=1, max_size=5)).map(" ".join), st.integers(5, 60))
def test_an_index_entry_that_is_cut_ends_with_a_whole_term(text: str, length: int) -> None:
    """And holds as many of the terms as there is room for."""
    whole = index_terms(text).split(" ")
    with patch.object(lexicon, "OUTPUT_LENGTH", length):
        kept = index_terms(text).split(" ")
    assert kept == whole[: len(kept)]
    assert kept == whole or len(" ".join(whole[: len(kept) + 1])) > length


def test_the_stop_list_is_made_of_terms() -> None:
    """A stop-word that analysis never produces could not be dropped."""
    assert all(index_terms(word) == word for word in STOP_WORDS)
