"""Metrics: as trec_eval computes them, bounded, and averaged as the published evaluation does."""

from __future__ import annotations

import statistics

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, P, R, Success, nDCG

from hypermnesia.errors import InvalidInput
from hypermnesia.evals import metrics

IDS = [f"d{number}" for number in range(30)]
DEPTHS = (1, 3, 5, 10, 20)

rankings = st.lists(st.sampled_from(IDS), max_size=25, unique=True)
relevant_sets = st.sets(st.sampled_from(IDS), min_size=1, max_size=12)
depths = st.sampled_from(DEPTHS)


def _reference(ranked: list[str], relevant: set[str], k: int) -> dict[str, float]:
    """What ir-measures says of one question."""
    names = {R @ k: "recall", P @ k: "precision", nDCG @ k: "ndcg",
             RR @ k: "mrr", Success @ k: "any_hit"}  # fmt: skip
    qrels = [ir_measures.Qrel("q", doc, 1) for doc in relevant]
    run = [ir_measures.ScoredDoc("q", doc, -float(rank)) for rank, doc in enumerate(ranked)]
    found = ir_measures.calc_aggregate(list(names), qrels, run)
    return {names[measure]: value for measure, value in found.items()}


@given(ranked=rankings, relevant=relevant_sets, k=depths)
def test_metrics_equal_those_of_ir_measures(ranked: list[str], relevant: set[str], k: int) -> None:
    """An independent implementation, over trec_eval, agrees on any ranking."""
    for name, expected in _reference(ranked, relevant, k).items():
        assert metrics.METRICS[name](ranked, relevant, k) == pytest.approx(expected), name


@given(ranked=st.lists(st.sampled_from(IDS), max_size=25), relevant=relevant_sets, k=depths)
def test_metrics_stay_within_bounds_whatever_a_system_returns(
    ranked: list[str], relevant: set[str], k: int
) -> None:
    """Even if it returns ids twice."""
    for name, metric in metrics.METRICS.items():
        assert 0 <= metric(ranked, relevant, k) <= 1, name


@given(ranked=rankings, relevant=relevant_sets, k=depths)
def test_all_implies_any_and_neither_says_more_than_recall(
    ranked: list[str], relevant: set[str], k: int
) -> None:
    """recall_all <= recall <= any_hit."""
    recall = metrics.recall(ranked, relevant, k)
    assert metrics.recall_all(ranked, relevant, k) == (recall == 1)
    assert metrics.any_hit(ranked, relevant, k) == (recall > 0)


def test_a_repeated_id_earns_nothing_but_keeps_its_rank() -> None:
    """Returning the same thing twice is no way to a better score."""
    assert metrics.precision(["a", "a", "b"], ["a", "b"], 2) == 0.5
    assert metrics.ndcg(["a", "a", "b"], ["a", "b"], 3) < metrics.ndcg(["a", "b"], ["a", "b"], 3)


def test_stale_at_1_looks_at_the_first_hit_alone() -> None:
    """An outdated memory further down does no harm there."""
    assert metrics.stale_at_1(["old", "new"], {"old"}) == 1
    assert metrics.stale_at_1(["new", "old"], {"old"}) == 0
    assert metrics.stale_at_1([], {"old"}) == 0


def test_metrics_are_named_with_their_depth() -> None:
    """So that a results file explains itself."""
    found = metrics.measured(["x", "a"], ["a", "b"], ["recall@1", "recall@2", "mrr@10"])
    assert found == {"recall@1": 0.0, "recall@2": 0.5, "mrr@10": 0.5}


@pytest.mark.parametrize("name", ["recal@10", "recall", "recall@", "recall@x", "recall@0"])
def test_an_unknown_metric_is_refused(name: str) -> None:
    """A misspelt metric must not vanish from a table."""
    with pytest.raises(InvalidInput):
        metrics.measured(["a"], ["a"], [name])


def test_a_question_without_gold_has_no_metric() -> None:
    """Neither 0 nor 1 would be true."""
    with pytest.raises(InvalidInput, match="without relevant ids"):
        metrics.recall(["a"], [], 5)


def test_the_spread_is_that_of_a_population() -> None:
    """As the published tables have it."""
    assert metrics.spread([1.0, 2.0, 4.0]) == (pytest.approx(7 / 3), statistics.pstdev([1, 2, 4]))


@pytest.mark.parametrize("values", [[], [1.0, float("nan")]])
def test_a_mean_of_nothing_or_of_no_number_is_refused(values: list[float]) -> None:
    """It would be NaN in every table."""
    with pytest.raises(InvalidInput):
        metrics.spread(values)


def test_the_interval_holds_the_difference_and_repeats_with_its_seed() -> None:
    """A clear difference excludes 0, a balanced one includes it."""
    b = [0.0, 0.5, 1.0, 0.25] * 20
    better = metrics.paired_bootstrap([value + 0.1 + value / 9 for value in b], b, seed=3)
    assert 0.1 <= better.low <= better.mean <= better.high
    assert better == metrics.paired_bootstrap([v + 0.1 + v / 9 for v in b], b, seed=3)
    even = metrics.paired_bootstrap([0.0, 1.0] * 30, [1.0, 0.0] * 30)
    assert even.low < 0 < even.high


def test_the_interval_is_paired() -> None:
    """A constant lead over questions of any difficulty is certain."""
    hard_and_easy = [0.0, 0.9] * 30
    lead = metrics.paired_bootstrap([v + 0.05 for v in hard_and_easy], hard_and_easy)
    assert lead == pytest.approx((0.05, 0.05, 0.05))


def test_different_questions_are_not_compared() -> None:
    """Pairs need both sides."""
    with pytest.raises(InvalidInput, match="same questions"):
        metrics.paired_bootstrap([1.0], [1.0, 0.0])
