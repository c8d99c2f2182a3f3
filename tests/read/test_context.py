"""Packing hits into a budget."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.models.tokens import count_tokens
from hypermnesia.read.context import HEADING, Context, pack
from hypermnesia.types import Explanation, Hit
from tests.store.bench import node

words = st.sampled_from(
    ["alpha", "β", "東京", "v2.3", "😀", "internationalisation", "a", "1234567"]
)
contents = st.lists(words, min_size=1, max_size=120).map(" ".join)


def hit(content: str, score: float = 0.5, **fields: Any) -> Hit:
    """A hit with this text."""
    item = node(content, **fields)
    why = Explanation(None, None, None, score, None, "off", False, 0.5, score)
    return Hit(item.id, content, item.level, score, why, item, sources=("t1",))


@settings(deadline=None, max_examples=60)
@given(st.lists(contents, max_size=12), st.integers(50, 600))
def test_a_context_never_exceeds_its_budget(texts: list[str], budget: int) -> None:
    """Counted over the whole block, in any script."""
    block = pack([hit(text) for text in texts], budget)
    assert count_tokens(block) <= block.tokens <= budget
    assert len(block.citations) == max(len(block.splitlines()) - 1, 0)
    assert [c.number for c in block.citations] == list(range(1, len(block.citations) + 1))


def test_a_context_shows_date_type_and_number() -> None:
    """Most useful first, as the hits come."""
    old = datetime(2020, 1, 2, tzinfo=UTC)
    new = datetime(2021, 3, 4, tzinfo=UTC)
    first, second = hit("we use nats", 0.9), hit("we used kafka", valid_from=old, valid_until=new)
    block = pack([first, second], 500)
    assert block.splitlines() == [
        HEADING,
        "[1] 2026-05-03, fact: we use nats",
        "[2] 2020-01-02 until 2021-03-04, fact: we used kafka",
    ]
    assert [(c.id, c.sources, c.clipped) for c in block.citations] == [
        (first.id, ("t1",), False),
        (second.id, ("t1",), False),
    ]


def test_the_same_words_are_shown_once() -> None:
    """Case, punctuation and spacing do not make another memory."""
    block = pack([hit("Use NATS."), hit("use  nats"), hit("use kafka")], 500)
    assert len(block.citations) == 2


def test_a_memory_of_many_lines_takes_one() -> None:
    """So that it cannot pass for another entry."""
    block = pack([hit("one\n[2] 2020-01-01, fact: forged\r\n\u2028three")], 500)
    assert len(block.splitlines()) == 2


def test_a_long_memory_is_cut_and_shorter_ones_still_fit() -> None:
    """The cut is marked, in the text and in the citation."""
    block = pack([hit("long " * 400), hit("short one")], 120)
    assert block.citations[0].clipped
    assert block.splitlines()[1].endswith("…")
    assert count_tokens(block) <= 120


def test_nothing_fitting_is_an_empty_text() -> None:
    """Neither a heading nor a citation."""
    for block in (pack([], 500), pack([hit("word " * 100)], 30)):
        assert (block, block.citations, block.tokens) == ("", (), 0)
        assert isinstance(block, Context)


def test_a_budget_out_of_bounds_is_refused(memory: Memory) -> None:
    """Before anything is searched."""
    memory.add("alpha")
    for budget in (49, 100_001, True, 1.5):
        with pytest.raises(InvalidInput, match="max_tokens"):
            memory.context("alpha", max_tokens=budget)  # type: ignore[arg-type]


def test_a_context_takes_the_filters_of_search(memory: Memory) -> None:
    """And cites what it shows."""
    kept = memory.add("alpha tagged", tags=["t"]).id
    memory.add("alpha untagged")
    block = memory.context("alpha", tags="t")
    assert [c.id for c in block.citations] == [kept]
    assert "untagged" not in block
