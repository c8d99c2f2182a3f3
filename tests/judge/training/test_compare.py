"""Measures of two judges and the change between them."""

from __future__ import annotations

import numpy as np
import pytest

from hypermnesia.judge.training.compare import Answers, choices, compare, scores, truths

EACH = np.arange(40)


def test_a_choice_is_right_if_the_same_option_leads() -> None:
    """Its error is summed over the options."""
    p, y = np.array([[0.6, 0.4], [0.6, 0.4]]), np.array([[1.0, 0.0], [0.2, 0.8]])
    found = choices(p, y)
    assert found.right.tolist() == [1, 0]
    assert found.error == pytest.approx([0.32, 0.32])
    assert (found.said.tolist(), found.true.tolist()) == ([0.6, 0.6], [1.0, 0.2])


def test_a_truth_is_right_on_the_same_side_of_the_threshold() -> None:
    """The threshold itself is a yes."""
    found = truths(np.array([0.8, 0.79, 0.1]), np.array([0.9, 0.9, 0.2]), 0.8)
    assert found.right.tolist() == [1, 0, 1]
    assert found.error == pytest.approx([0.01, 0.0121, 0.01])


def test_a_score_is_right_on_the_nearest_level() -> None:
    """Its error is that of its share of the highest."""
    found = scores(np.array([2.4, 2.6]), np.array([2.0, 2.0]), 4)
    assert found.right.tolist() == [1, 0]
    assert found.error == pytest.approx([0.01, 0.0225])


def test_the_same_answers_change_nothing() -> None:
    """Not by chance either: the comparison is paired."""
    rng = np.random.default_rng(1)
    same = truths(rng.random(40), rng.random(40), 0.5)
    for measure in compare(same, same, EACH).values():
        assert (measure.change, measure.low, measure.high) == (0, 0, 0)


def test_figures_are_those_of_their_definition() -> None:
    """Shares of rows, mean squared error, gap between said and true by tenths."""
    y = np.repeat([0.0, 1.0], 20)
    shipped, trained = (
        truths(np.full(40, 0.55), y, 0.5),
        truths(np.where(y > 0, 0.95, 0.05), y, 0.5),
    )
    found = compare(shipped, trained, EACH)
    figures = {name: (m.shipped, m.trained) for name, m in found.items()}
    assert figures["accuracy"] == (0.5, 1.0)
    assert figures["brier"] == pytest.approx((0.5 * (0.55**2 + 0.45**2), 0.0025))
    assert figures["ece"] == pytest.approx((0.05, 0.05))
    assert found["accuracy"].low > 0.3
    assert found["brier"].high < 0


def test_rows_of_one_group_are_one_witness() -> None:
    """Forty rows of two groups leave more doubt than forty of forty."""
    rng = np.random.default_rng(2)
    better = rng.random(40) < 0.8
    one = Answers(np.zeros(40), np.zeros(40), np.zeros(40), np.zeros(40))
    other = Answers(better.astype(np.float64), np.zeros(40), np.zeros(40), np.zeros(40))
    each = compare(one, other, EACH)["accuracy"]
    # Those that are right in one group, those that are wrong in the other.
    two = compare(one, other, better.astype(np.int64))["accuracy"]
    assert each.change == two.change
    assert each.low > 0.5
    assert (two.low, two.high) == (0, 1)
