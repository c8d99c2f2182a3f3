"""Channels and salience can be left out of the score, for comparison."""

from __future__ import annotations

import pytest

from hypermnesia.memory import Memory
from hypermnesia.models.encoder import OnnxEncoder
from tests.conftest import OpenMemory

TEXTS = ("The build broke on Tuesday", "Compiling fails each second weekday", "Lunch was good")


@pytest.fixture
def filled(open_memory: OpenMemory, encoder: OnnxEncoder) -> Memory:
    """Three memories, one of which shares words with the query of every test."""
    memory = open_memory(embedder=encoder)
    for text in TEXTS:
        memory.add(text)
    return memory


def test_words_alone_return_nothing_that_shares_none(
    filled: Memory, open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """And no other score is given."""
    memory = open_memory(embedder=encoder, channels=("lexical",), fusion="rrf")
    (hit,) = memory.search("tuesday build")
    assert hit.content == TEXTS[0]
    assert hit.explain.dense is None
    assert hit.explain.late is None
    assert hit.explain.lexical is not None
    assert memory.search("a broken toolchain") == []


@pytest.mark.parametrize("fusion", ["rrf", "z_score", "absolute"])
def test_sentence_vectors_alone_rank_by_cosine(
    filled: Memory, open_memory: OpenMemory, encoder: OnnxEncoder, fusion: str
) -> None:
    """Whatever the fusion."""
    memory = open_memory(embedder=encoder, channels=("dense",), fusion=fusion)
    hits = memory.search("a broken build on Tuesday")
    assert [hit.explain.dense.rank for hit in hits if hit.explain.dense] == [1, 2, 3]
    assert {hit.explain.lexical for hit in hits} == {hit.explain.late for hit in hits} == {None}


def test_token_vectors_alone_score_what_both_others_find(
    filled: Memory, open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """They find nothing by themselves."""
    memory = open_memory(embedder=encoder, channels=("late",))
    hits = memory.search("a broken build on Tuesday")
    assert [hit.explain.late.rank for hit in hits if hit.explain.late] == [1, 2, 3]
    assert {hit.explain.lexical for hit in hits} == {hit.explain.dense for hit in hits} == {None}


def test_salience_can_be_left_out_of_the_rank(
    filled: Memory, open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """Then all count as neutral."""
    lunch = next(node for node in filled.list() if node.content == TEXTS[2])
    filled.update(lunch.id, salience=4)
    query = "Lunch was good on Tuesday"
    with_it = filled.search(query)[0]
    without = open_memory(embedder=encoder, rank_salience=False).search(query)[0]
    assert with_it.id == without.id == lunch.id
    assert (with_it.explain.salience, without.explain.salience) == (1.0, 0.5)
    assert with_it.score > without.score
