"""Texts cut for vector stores."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.evals.adapters.passages import PASSAGE, first_of_each, passages, rows_of
from hypermnesia.evals.adapters.protocol import Item
from tests.store.embedders import HashEmbedder


@given(st.text(alphabet=st.sampled_from("ab é\n"), max_size=3 * PASSAGE))
def test_passages_lose_nothing_but_space(text: str) -> None:
    """Every character that is no space is in exactly one passage, in order."""
    cut = list(passages(text))

    assert "".join("".join(cut).split()) == "".join(text.split())
    assert all(0 < len(passage) <= PASSAGE for passage in cut)


def test_passages_end_where_words_do() -> None:
    """No word of a usual length is cut."""
    words = [f"word{number}" for number in range(600)]

    assert [word for p in passages(" ".join(words)) for word in p.split()] == words


def test_a_word_longer_than_a_passage_is_cut() -> None:
    """Nothing hangs on to a limit that cannot be kept."""
    assert [len(passage) for passage in passages("x" * (2 * PASSAGE + 5))] == [PASSAGE, PASSAGE, 5]


def test_every_window_of_the_encoder_is_a_row() -> None:
    """A passage that the encoder sees in two windows gives two rows of one item."""
    rows = rows_of([Item("a", "one two three four")], HashEmbedder(window=2))

    assert [(row.owner, row.text) for row in rows] == [("a", "one two three four")] * 2


def test_items_are_ranked_by_their_best_row() -> None:
    """Later rows of an item found before add nothing."""
    found = first_of_each([("a", 0.9), ("b", 0.8), ("a", 0.7), ("c", 0.6)], 2)

    assert [(item.id, item.score) for item in found] == [("a", 0.9), ("b", 0.8)]
