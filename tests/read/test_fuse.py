"""Fusion keeps its promises for any scores and any number of candidates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.read.fuse import (
    JUDGED,
    UNJUDGED,
    Blend,
    absolute_fusion,
    blend,
    ranking,
    reciprocal_rank_fusion,
    z_score_fusion,
    z_scores,
)
from hypermnesia.types import Vector

unit = st.floats(0, 1, width=32)
cosine = st.one_of(st.floats(-1, 1, width=32), st.just(float("nan")))
candidates = st.lists(st.tuples(cosine, cosine, st.floats(0, 40, width=32)), min_size=1, max_size=9)
rankings = st.lists(st.permutations("abcdef").map(lambda keys: keys[:4]), min_size=1, max_size=3)


def fuse(late: list[float], dense: list[float], lexical: list[float]) -> list[float]:
    """The default fusion of three plain lists."""
    x, c, b = (np.array(values, np.float32) for values in (late, dense, lexical))
    return absolute_fusion(x, c, b).tolist()


def column(rows: list[tuple[float, float, float]], index: int) -> Vector:
    """One channel of the candidates."""
    return np.array([row[index] for row in rows], np.float32)


def test_a_ranking_leaves_out_what_does_not_match() -> None:
    """Zero, negative and unknown scores have no rank; ties keep their order."""
    scores: Vector = np.array([0, 2, np.nan, 5, -1, 2], np.float32)
    assert ranking("abcdef", scores) == ["d", "b", "f"]


def test_reciprocal_ranks_add_up() -> None:
    """Ranks start at 1 and the best key scores 1."""
    fused = reciprocal_rank_fusion([["a", "b"], ["b"]], weights=[1, 0.5])
    best = 1 / 62 + 0.5 / 61
    assert fused == pytest.approx({"b": 1.0, "a": (1 / 61) / best})


def test_a_ranking_without_weight_adds_nobody() -> None:
    """A key that only an ignored channel found is not a result."""
    assert reciprocal_rank_fusion([["a"], ["b"]], weights=[1, 0]) == {"a": 1.0}
    assert reciprocal_rank_fusion([[], []]) == {}


@settings(deadline=None)  # a shared machine is slow at times
@given(rankings)
def test_reciprocal_rank_fusion_is_normalised_and_fair(lists: list[list[str]]) -> None:
    """Scores lie in (0, 1] with the best at 1, and the order of the channels is irrelevant."""
    fused = reciprocal_rank_fusion(lists)
    assert set(fused) == {key for keys in lists for key in keys}
    assert max(fused.values()) == 1.0
    assert min(fused.values()) > 0
    assert reciprocal_rank_fusion(lists[::-1]) == pytest.approx(fused)


@settings(deadline=None)  # a shared machine is slow at times
@given(candidates)
def test_fused_scores_are_bounded_and_finite(rows: list[tuple[float, float, float]]) -> None:
    """Whatever is missing, every candidate has a score in [0, 1]."""
    late, dense, lexical = (column(rows, i) for i in range(3))
    for fused in (
        absolute_fusion(late, dense, lexical),
        z_score_fusion((late, dense, lexical), (1, 0.4, 0.05)),
    ):
        assert fused.shape == (len(rows),)
        assert np.isfinite(fused).all()
        assert ((fused >= 0) & (fused <= 1)).all()


@settings(deadline=None)  # a shared machine is slow at times
@given(candidates, cosine, cosine)
def test_the_absolute_score_does_not_depend_on_the_company(
    rows: list[tuple[float, float, float]], late: float, dense: float
) -> None:
    """One more candidate without lexical match changes nobody's score."""
    columns = [[row[i] for row in rows] for i in range(3)]
    more = [[*c, value] for c, value in zip(columns, (late, dense, 0.0), strict=True)]
    assert fuse(*more)[:-1] == pytest.approx(fuse(*columns), rel=1e-5)


def test_a_single_memory_is_judged_on_its_merits() -> None:
    """With one candidate, a good match scores high and a bad one low."""
    assert fuse([0.7], [0.6], [3.0])[0] > 0.9
    assert fuse([0.25], [0.1], [0.0])[0] < 0.1


def test_every_channel_counts() -> None:
    """More of any one of the three raises the score."""
    low = fuse([0.5], [0.4], [0.0])
    assert fuse([0.6], [0.4], [0.0]) > low
    assert fuse([0.5], [0.5], [0.0]) > low
    assert fuse([0.5], [0.4], [0.1]) > low


def test_without_token_vectors_cosine_and_words_decide() -> None:
    """A candidate that late interaction does not know is still ranked sensibly."""
    nan = float("nan")
    best, worst, middle = fuse([nan, nan, nan], [0.7, 0.2, nan], [2.0, 0.0, 1.0])
    assert best > middle > worst


def test_z_scores_of_a_constant_channel_say_nothing() -> None:
    """One candidate, or equal ones, get zero and no division by zero."""
    assert z_scores(np.array([0.4], np.float32)).tolist() == [0]
    assert z_scores(np.array([0.4, 0.4, np.nan], np.float32)).tolist() == [0, 0, 0]


def test_z_scores_give_the_unknown_the_lowest_score() -> None:
    """Not being found by a channel is no better than being its worst hit."""
    values = z_scores(np.array([3, 1, np.nan], np.float32))
    assert values.tolist() == [1, -1, -1]


def test_blends_of_the_reference() -> None:
    """0.85 F + 0.15 S without a judge, 0.50 F + 0.40 J + 0.10 S with one."""
    assert blend(0.8, 4) == pytest.approx(0.85 * 0.8 + 0.15)
    assert blend(0.8, None) == pytest.approx(0.85 * 0.8 + 0.075)
    assert blend(0.8, 0, judge=0.5) == pytest.approx(0.40 + 0.20)


@settings(deadline=None)  # a shared machine is slow at times
@given(unit, st.one_of(st.none(), st.floats(-9, 9)), st.one_of(st.none(), unit))
def test_a_blend_stays_in_bounds(fused: float, salience: float | None, judge: float | None) -> None:
    """Salience outside its scale is clamped."""
    assert 0 <= blend(fused, salience, judge) <= 1 + 1e-9


@pytest.mark.parametrize("shares", [JUDGED, UNJUDGED])
def test_shares_of_a_blend_add_to_one(shares: Blend) -> None:
    """Otherwise the final score could leave [0, 1]."""
    assert shares.fused + shares.judge + shares.salience == pytest.approx(1)
