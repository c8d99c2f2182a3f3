"""The fit of a linear head, held against scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.judge.training.fit import Floats, Layer, descend, fit, minimum

CLASSES = 4


def problem(seed: int, n: int = 200, d: int = 6) -> tuple[Floats, Floats]:
    """Features, and the class of each row as probabilities of 0 and 1."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    kind = (x @ rng.normal(size=(d, CLASSES)) + rng.gumbel(size=(n, CLASSES))).argmax(axis=1)
    return x, np.eye(CLASSES)[kind]


def reference(c: float) -> Any:
    """What is held to be right; loading it takes longer than any test here."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=c, tol=1e-10, max_iter=10_000)


def zeros(d: int, outputs: int) -> Layer:
    """Nothing learnt yet."""
    return Layer(np.zeros((d, outputs)), np.zeros(outputs))


@pytest.mark.parametrize("c", [0.02, 1.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_several_classes_agree_with_scikit_learn(seed: int, c: float) -> None:
    """Weights to 1e-4; the bias up to a constant, which changes no probability."""
    x, y = problem(seed)
    mine = minimum(x, y, zeros(6, CLASSES), c)
    theirs = reference(c).fit(x, y.argmax(axis=1))
    assert mine.weight == pytest.approx(np.asarray(theirs.coef_).T, abs=1e-4)
    bias = np.asarray(theirs.intercept_)
    assert mine.bias - mine.bias.mean() == pytest.approx(bias - bias.mean(), abs=1e-4)


@pytest.mark.parametrize("c", [0.02, 1.0])
def test_two_classes_agree_with_scikit_learn(c: float) -> None:
    """One output, weights and bias to 1e-4."""
    x, y = problem(3)
    mine = minimum(x, y[:, :1], zeros(6, 1), c)
    theirs = reference(c).fit(x, y[:, 0])
    assert mine.weight[:, 0] == pytest.approx(np.asarray(theirs.coef_)[0], abs=1e-4)
    assert mine.bias == pytest.approx(np.asarray(theirs.intercept_), abs=1e-4)


def test_a_soft_answer_is_so_many_rows_of_each() -> None:
    """Three quarters yes: three rows of four."""
    x, y = problem(4, n=60)
    soft = np.where(y[:, :1] > 0, 0.75, 0.25)
    mine = minimum(x, soft, zeros(6, 1), 0.25)
    both = np.concatenate([x, x, x, x])
    hard = np.concatenate([y[:, 0]] * 3 + [1 - y[:, 0]])
    theirs = reference(0.25 / 4).fit(both, hard)
    assert mine.weight[:, 0] == pytest.approx(np.asarray(theirs.coef_)[0], abs=1e-4)


def test_a_strong_prior_keeps_the_layer_there_is() -> None:
    """And a weak one lets the data speak, from wherever the fit begins."""
    x, y = problem(5)
    rng = np.random.default_rng(0)
    start = Layer(rng.normal(size=(6, CLASSES)), np.zeros(CLASSES))
    assert minimum(x, y, start, 1e-9).weight == pytest.approx(start.weight, abs=1e-4)
    free, other = minimum(x, y, start, 1e4), minimum(x, y, zeros(6, CLASSES), 1e4)
    assert free.logits(x).argmax(axis=1).tolist() == other.logits(x).argmax(axis=1).tolist()


def test_a_feature_that_never_varies_keeps_its_weight() -> None:
    """The corpus says nothing of it."""
    x, y = problem(6)
    x[:, 2] = 0.5
    start = Layer(np.full((6, CLASSES), 0.3), np.zeros(CLASSES))
    assert fit(x, y, start, 1.0).weight[2] == pytest.approx(start.weight[2])


def test_answers_that_the_layer_gives_already_change_nothing() -> None:
    """Its own probabilities as truth are its own minimum."""
    x, _ = problem(7)
    rng = np.random.default_rng(1)
    start = Layer(rng.normal(size=(6, CLASSES)), rng.normal(size=CLASSES))
    logits = start.logits(x)
    y = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert fit(x, y, start, 1.0).logits(x) == pytest.approx(logits, abs=1e-3)


def test_extreme_features_do_not_overflow() -> None:
    """Nor does a class that never occurs."""
    x, y = problem(8)
    y[:, 3], y[:, 0] = 0, y[:, 0] + y[:, 3]
    x[0] *= 1e4
    found = fit(x, y, zeros(6, CLASSES), 1.0)
    assert np.isfinite(found.weight).all()
    assert np.isfinite(fit(x, y[:, :1], zeros(6, 1), 1.0).bias).all()


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=6), st.integers(0, 99))
def test_the_minimum_of_a_bowl_is_found(curvatures: list[float], seed: int) -> None:
    """However stretched it is."""
    goal = np.random.default_rng(seed).normal(size=len(curvatures))
    bowl = np.asarray(curvatures)

    def loss(at: Floats) -> tuple[float, Floats]:
        return float((bowl * (at - goal) ** 2).sum()) / 2, bowl * (at - goal)

    assert descend(loss, np.zeros(len(goal)), 1e-9) == pytest.approx(goal, abs=1e-6)
