"""Evaluating trained heads: linear layers, trees, and the file they come from."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training.pairs import read_pairs

from hypermnesia.judge.features_kinds import SORTS, STATES, agreed, clash, opposed
from hypermnesia.judge.features_pair import late_features, pair_features
from hypermnesia.judge.features_text import stem, tokenize, words_of
from hypermnesia.judge.local import LocalJudge
from hypermnesia.judge.local_heads import Trees, arrays, sigmoid, softmax
from tests.judge.passages import passage

WORDS = sorted(frozenset[str]().union(*SORTS, *(side for pair in STATES for side in pair)))

PIECES = (
    "Bo", "It's", "5433", "v1.2", "50%", "INV-1001", "May", "no", "one", "NoOne", "a:", "-",
    "=", "?", "!", "...", " ", "\n", ". ", "! ", "? ", ": ", "; ", " - ", "\u2014 ", "\u2019s",
)  # fmt: skip
"""Of texts in which words and ends of sentences meet in any order."""


def test_trees_add_up_the_leaves_that_a_row_reaches() -> None:
    """Right when the value exceeds the threshold, left otherwise; the bias is added once."""
    stumps = Trees(
        feature=np.array([[0], [1]], np.int32),
        threshold=np.array([[0.5], [2.0]], np.float32),
        value=np.array([[1.0, 10.0], [100.0, 1000.0]], np.float32),
        bias=np.array([0.25], np.float32),
    )
    rows = np.array([[0.5, 3.0], [0.6, 2.0]], np.float32)
    assert stumps.logits(rows).tolist() == [1001.25, 110.25]


def test_extreme_logits_do_not_overflow() -> None:
    """Probabilities stay finite at both ends."""
    assert sigmoid(np.array([-1e9, 1e9])).tolist() == pytest.approx([0, 1])
    assert softmax(np.array([[1e4, 0.0]])).tolist() == [[1.0, 0.0]]


def test_every_shipped_array_is_a_plain_finite_number_table() -> None:
    """Only unused tree nodes hold an infinite threshold."""
    for name, array in arrays().items():
        assert array.dtype.kind in "fi", name
        if not name.endswith("threshold"):
            assert np.isfinite(array.astype(np.float64)).all(), name


def test_the_pair_head_reads_as_many_features_as_there_are() -> None:
    """A feature added without training again would shift every column behind it."""
    count = len(pair_features([passage("a b")], passage("c d"), [0.5])[0])
    assert int(arrays()["supersede/full/feature"].max()) < count
    assert count == int(arrays()["supersede/columns"])


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("The port is 5433", ["stop", "word", "stop", "number"]),
        ("Ask Priya about INV-1001", ["word", "name", "stop", "identifier"]),
        ("due on Friday", ["word", "stop", "date"]),
    ],
)
def test_words_are_told_by_kind(text: str, kinds: list[str]) -> None:
    """Numbers, identifiers, names and dates are the values that may clash."""
    assert [t.kind for t in tokenize(text)] == kinds


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4)).map("".join))
def test_words_without_their_places_are_the_same_words(text: str) -> None:
    """Whatever ends a sentence between them; marks aside."""
    placed = [t[:3] for t in tokenize(text) if t.surface not in "=?!"]
    assert [w[:3] for w in words_of(text) if w.surface not in "=?!"] == placed


@pytest.mark.parametrize(
    ("one", "other"),
    [("moves", "moved"), ("parties", "party"), ("planning", "planned"), ("plays", "played")],
)
def test_inflected_forms_share_a_stem(one: str, other: str) -> None:
    """Overlap is counted on stems."""
    assert stem(one) == stem(other)


def test_late_features_of_many_are_those_of_each_alone() -> None:
    """Zeros for a memory without token vectors, wherever it stands."""
    rng = np.random.default_rng(3)
    signs = [np.where(rng.random((t, 256)) < 0.5, -1, 1) / 16 for t in (3, 0, 1, 31)]
    existing, incoming = [s.astype(np.float32) for s in signs], signs[0][:2].astype(np.float32)
    together = late_features(existing, incoming)
    alone = np.concatenate([late_features([tokens], incoming) for tokens in existing])
    assert together == pytest.approx(alone, abs=1e-6)
    assert not together[1].any()
    assert together[0, 0] > together[3, 0]


@given(st.sets(st.sampled_from(WORDS)), st.sets(st.sampled_from(WORDS)))
def test_states_and_sorts_are_found_as_their_tables_say(a: set[str], b: set[str]) -> None:
    """By position in the tables, which stands for going through every line of them."""
    one, other = frozenset(a - b), frozenset(b - a)
    sides = [side for pair in STATES for side in pair]
    assert clash(one, other) == any(one & group and other & group for group in SORTS)
    assert agreed(one, other) == any(one & side and other & side for side in sides)
    assert opposed(one, other) == any(
        (one & x and other & y) or (one & y and other & x) for x, y in STATES
    )


@pytest.mark.parametrize("name", ["pairs.txt", "pairs_heldout.txt"])
def test_a_floor_changes_no_answer_at_or_above_it(name: str) -> None:
    """What is answered with 0 was below it, and much else about other things is."""
    exact, quick = LocalJudge(), LocalJudge(floor=0.8)
    pairs = read_pairs(name)
    spared = 0
    for pair, other in pairwise(pairs):
        old, new = [passage(pair.existing), passage(other.existing)], passage(pair.incoming)
        for p, q in zip(exact.supersede(old, new), quick.supersede(old, new), strict=True):
            spared += q == 0
            assert q == pytest.approx(p) or (q == 0 and p < 0.8)
    assert spared
