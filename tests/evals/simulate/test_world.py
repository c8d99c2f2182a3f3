"""Our workload: sound for any seed, the same for the same seed, and caught when it is not."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.simulate.proof import mentions, problems, prove, shared
from hypermnesia.evals.simulate.questions import shares
from hypermnesia.evals.simulate.texts import concepts, facts, slots
from hypermnesia.evals.simulate.workload import world
from hypermnesia.evals.simulate.world import Query, Row, World, answers

SEEDS = st.integers(0, 2**31)


@pytest.fixture(scope="module")
def made() -> World:
    """One world, which no test changes."""
    return world("ours", 11, 400, 80)


def query_of(made: World, shape: str) -> Query:
    """The first question of a shape."""
    return next(query for query in made.queries if query.shape == shape)


def with_query(made: World, query: Query) -> World:
    """The world with one question replaced by another of its id."""
    queries = tuple(query if query.id == q.id else q for q in made.queries)
    return replace(made, queries=queries)


@settings(max_examples=12, deadline=None)
@given(SEEDS, st.integers(200, 500))
def test_every_world_is_sound(seed: int, count: int) -> None:
    """Whatever the seed and size: complete golds, no shared words, enough of everything."""
    made = world("ours", seed, count, 40)
    assert list(problems(made)) == []
    assert len(made.rows) + len(made.repeats) == count
    assert Counter(query.kind for query in made.queries) == shares(40)


def test_the_same_seed_gives_the_same_world(made: World) -> None:
    """Another seed gives another."""
    assert world("ours", 11, 400, 80) == made
    assert world("ours", 12, 400, 80).rows != made.rows


def test_temporal_questions_ask_for_now_for_a_day_and_for_before(made: World) -> None:
    """One half of them for what holds."""
    shapes = Counter(query.shape for query in made.queries if query.kind == "temporal")
    assert shapes == {"now": 10, "as_of": 7, "before": 3}


def test_no_memory_carries_too_many_questions() -> None:
    """The message says what to do."""
    with pytest.raises(InvalidInput, match="ask for more memories or fewer questions"):
        world("ours", 11, 200, 400)


def test_a_missing_gold_is_a_flaw(made: World) -> None:
    """The proof looks at every row."""
    query = next(query for query in made.queries if len(query.golds) > 1)
    broken = with_query(made, replace(query, golds=query.golds[:1]))
    with pytest.raises(AssertionError, match=f"golds of {query.id} are not all"):
        prove(broken)


def test_a_row_that_mentions_an_identifier_unknown_to_the_generator_is_a_flaw(made: World) -> None:
    """Lexical golds are proved by the texts."""
    query = query_of(made, "mention")
    stranger = replace(
        made.rows[-1], id="m9999", text=f"See {query.about}.", at=made.rows[-1].at + timedelta(1)
    )
    flaws = list(problems(replace(made, rows=(*made.rows, stranger))))
    assert any(query.id in flaw and "m9999" in flaw for flaw in flaws)


def test_a_semantic_question_with_a_word_of_its_gold_is_a_flaw(made: World) -> None:
    """Inflected, too."""
    query = query_of(made, "meaning")
    gold = next(row for row in made.rows if row.id in query.golds)
    word = max(gold.text.replace(".", " ").replace(",", " ").split(), key=len)
    broken = with_query(made, replace(query, text=f"{query.text} {word.upper()}s"))
    assert any("shares" in flaw for flaw in problems(broken))


def test_a_gold_that_does_not_say_the_value_is_a_flaw(made: World) -> None:
    """Or that is of another project."""
    query = query_of(made, "now")
    rows = tuple(replace(r, text=f"Nothing. {r.id}") if r.id in query.golds else r
                 for r in made.rows)  # fmt: skip
    assert any(query.id in flaw for flaw in problems(replace(made, rows=rows)))


def test_repeated_texts_and_times_are_flaws(made: World) -> None:
    """Two rows of one text could not be told apart."""
    twin = replace(made.rows[0], id="m9999")
    found = list(problems(replace(made, rows=(*made.rows, twin))))
    assert sum("rows or queries have the" in flaw for flaw in found) == 2


def test_a_day_is_answered_by_the_version_that_held_then(made: World) -> None:
    """Neither by an earlier nor by a later one."""
    query = query_of(made, "as_of")
    by_id = {row.id: row for row in made.rows}
    assert query.as_of is not None
    for gold in (by_id[gold] for gold in query.golds):
        assert gold.at <= query.as_of
        assert gold.until is None or query.as_of < gold.until
    assert query.stale
    assert not any(answers(by_id[stale], query) for stale in query.stale)


def test_what_came_before_is_answered_by_both_its_rows(made: World) -> None:
    """The old version says it, and the change that names the old value does."""
    query = query_of(made, "before")
    said = {row.value == query.value for row in made.rows if row.id in query.golds}
    assert said == {True, False}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see src/a/retry.py.", True),
        ("`src/a/retry.py`: slow", True),
        ("src/a/retry.py", True),
        ("see src/a/retry.pyc", False),
        ("lib/src/a/retry.py", False),
        ("src/a/retry.py.bak", False),
    ],
)
def test_an_identifier_is_mentioned_whole(text: str, *, found: bool) -> None:
    """A longer one that contains it is another."""
    assert mentions(text, "src/a/retry.py") is found


@pytest.mark.parametrize(
    ("one", "other"), [("deploys", "deployment"), ("Build", "building"), ("cache", "Caches")]
)
def test_inflected_words_are_shared(one: str, other: str) -> None:
    """In both directions."""
    assert shared(one, other)
    assert shared(other, one)


def test_stop_words_are_not_shared_content() -> None:
    """Nor are words that merely begin alike for a few letters."""
    assert not shared("what did we do with the store", "we did stop it")


def test_questions_in_other_words_share_none_by_other_lists_either() -> None:
    """A stemmer and stop-words that are not this project's; words of three letters or more."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    stem = Stemmer.Stemmer("english").stemWord

    def content(text: str) -> set[str]:
        words = re.findall(r"\w{3,}", text.casefold())
        return {stem(word) for word in words if word not in ENGLISH_STOP_WORDS}

    for concept in concepts():
        for text in (concept.statement, concept.restated or ""):
            assert not content(text) & content(concept.question), concept.question


def test_the_banks_are_wide_enough() -> None:
    """No two texts, questions or values alike; every template has its places."""
    assert len({c.question for c in concepts()}) == len(concepts()) >= 60
    for fact in facts():
        assert len(set(fact.statements)) == 2
        assert len(set(fact.values)) == len(fact.values) >= 5
        assert all("{V}" in statement for statement in fact.statements)
        assert not any("{V}" in question for question in fact.questions)
    for slot in slots():
        assert len(set(slot.values)) == len(slot.values) >= 4
        assert all("{O}" in text and "{V}" in text for text in slot.change)


def test_rows_keep_their_truth_apart_from_their_text() -> None:
    """What a system is given is the text and the time alone."""
    from hypermnesia.evals.simulate.writing import item_of

    row = Row("m0", "text", world("ours", 1, 200, 4).rows[0].at, "decision", "a/b", "v")
    assert set(item_of(row)) == {"content", "at", "provenance"}
