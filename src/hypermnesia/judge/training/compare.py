"""How two judges' answers compare with a third's, on the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hypermnesia.judge.training.fit import Floats
from hypermnesia.judge.training.groups import Labels

BINS = 10
"""Of the calibration error (Naeini et al. 2015)."""
RESAMPLES = 1000
SEED = 7


@dataclass(frozen=True, slots=True)
class Answers:
    """One judge's answers to one question, against what counts as true; ``n`` rows.

    Attributes:
        right: whether its decision is the same, shape ``(n,)``.
        error: squared error, shape ``(n,)``.
        said: probability that it gave to its answer, shape ``(n,)``.
        true: what that probability should be, shape ``(n,)``.
    """

    right: Floats
    error: Floats
    said: Floats
    true: Floats


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure of both judges, and the change with its 95% interval.

    The interval is that of a paired bootstrap over groups of rows (Efron and Tibshirani 1993, 8.3).
    """

    shipped: float
    trained: float
    change: float
    low: float
    high: float


def choices(p: Floats, y: Floats) -> Answers:
    """Of several options, both ``(n, options)``: the most probable is the answer."""
    chosen, rows = p.argmax(axis=1), np.arange(len(p))
    right = (chosen == y.argmax(axis=1)).astype(np.float64)
    return Answers(right, ((p - y) ** 2).sum(axis=1), p[rows, chosen], y[rows, chosen])


def truths(p: Floats, y: Floats, threshold: float) -> Answers:
    """Of probabilities, both ``(n,)``: from the threshold on the answer is yes."""
    right = ((p >= threshold) == (y >= threshold)).astype(np.float64)
    return Answers(right, (p - y) ** 2, p, y)


def scores(p: Floats, y: Floats, highest: int) -> Answers:
    """Of scores from 0 to ``highest``, both ``(n,)``: the nearest level is the answer."""
    right = (np.rint(p) == np.rint(y)).astype(np.float64)
    return Answers(right, ((p - y) / highest) ** 2, p / highest, y / highest)


def compare(shipped: Answers, trained: Answers, labels: Labels) -> Mapping[str, Measure]:
    """Accuracy, Brier score and expected calibration error of both.

    Args:
        shipped: one judge's answers.
        trained: the other's, on the same rows.
        labels: group of each row, shape ``(n,)``.
    """
    both = (shipped, trained)
    drawn = _resampled(int(labels.max()) + 1)
    rows = _sums(np.ones(len(labels)), labels)
    return {
        "accuracy": _measure([_sums(a.right, labels) for a in both], rows, drawn),
        "brier": _measure([_sums(a.error, labels) for a in both], rows, drawn),
        "ece": _measure_ece([_gaps(a, labels) for a in both], rows, drawn),
    }


def _resampled(count: int) -> Floats:
    """How often each group was drawn, shape ``(RESAMPLES, groups)``."""
    rng = np.random.default_rng(SEED)
    return rng.multinomial(count, np.full(count, 1 / count), RESAMPLES).astype(np.float64)


def _sums(values: Floats, labels: Labels) -> Floats:
    """Per group, shape ``(groups,)``."""
    return np.bincount(labels, values).astype(np.float64)


def _gaps(answers: Answers, labels: Labels) -> Floats:
    """Said minus true, summed by group and bin, shape ``(groups, BINS)``."""
    bins = np.minimum((answers.said * BINS).astype(np.int64), BINS - 1)
    width = int(labels.max()) + 1
    flat = np.bincount(labels * BINS + bins, answers.said - answers.true, width * BINS)
    return flat.reshape(width, BINS).astype(np.float64)


def _measure(sums: list[Floats], rows: Floats, drawn: Floats) -> Measure:
    shipped, trained = (float(s.sum() / rows.sum()) for s in sums)
    changes = (drawn @ (sums[1] - sums[0])) / (drawn @ rows)
    return _with_interval(shipped, trained, changes)


def _measure_ece(gaps: list[Floats], rows: Floats, drawn: Floats) -> Measure:
    shipped, trained = (float(np.abs(g.sum(axis=0)).sum() / rows.sum()) for g in gaps)
    each = [np.abs(drawn @ g).sum(axis=1) / (drawn @ rows) for g in gaps]
    return _with_interval(shipped, trained, each[1] - each[0])


def _with_interval(shipped: float, trained: float, changes: npt.NDArray[np.float64]) -> Measure:
    low, high = np.quantile(changes, [0.025, 0.975])
    return Measure(shipped, trained, trained - shipped, float(low), float(high))
