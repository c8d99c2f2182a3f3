"""Retrieval metrics of one question, and what many questions say together.

Relevance is binary. A ranking is a list of ids, best first. An id that a system repeats counts
at its first rank; the repetition keeps its rank and earns nothing. Definitions follow trec_eval,
with which the tests compare them.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypermnesia.errors import InvalidInput

Metric = Callable[[Sequence[str], Collection[str], int], float]
"""``(ranked ids, relevant ids, k)`` to a value in [0, 1]; ``InvalidInput`` without relevant ids
or with k < 1."""


def recall(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant ids among the first k."""
    return sum(_gains(ranked, relevant, k)) / len(set(relevant))


def recall_all(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 if every relevant id is among the first k, else 0."""
    return float(recall(ranked, relevant, k) == 1)


def any_hit(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 if any relevant id is among the first k, else 0 (trec_eval: success)."""
    return float(any(_gains(ranked, relevant, k)))


def precision(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Relevant ids among the first k, divided by k however few were returned."""
    return sum(_gains(ranked, relevant, k)) / k


def mrr(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 / rank of the first relevant id, or 0 if none is among the first k."""
    gains = _gains(ranked, relevant, k)
    return 1 / (gains.index(1) + 1) if any(gains) else 0.0


def ndcg(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Gain discounted by log2(rank + 1), divided by that of the ideal ranking.

    Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, as trec_eval computes it.
    """
    gains = _gains(ranked, relevant, k)
    return _discounted(gains) / _discounted([1] * min(len(set(relevant)), k))


def stale_at_1(ranked: Sequence[str], stale: Collection[str]) -> float:
    """1 if the first hit is outdated, that is among ``stale``, else 0."""
    return float(bool(ranked) and ranked[0] in stale)


METRICS: Mapping[str, Metric] = {
    "recall": recall,
    "recall_all": recall_all,
    "any_hit": any_hit,
    "mrr": mrr,
    "ndcg": ndcg,
    "precision": precision,
}


def measured(
    ranked: Sequence[str], relevant: Collection[str], wanted: Iterable[str]
) -> dict[str, float]:
    """Several metrics by their names, such as ``recall@10`` or ``precision@1``.

    Raises:
        InvalidInput: a name is unknown, or nothing is relevant.
    """
    return {name: _named(name)(ranked, relevant, _depth(name)) for name in wanted}


class Spread(NamedTuple):
    """Mean and population standard deviation, as the published evaluation gives them."""

    mean: float
    sd: float


def spread(values: Sequence[float]) -> Spread:
    """Mean and population standard deviation of at least one value.

    Raises:
        InvalidInput: there is no value, or one is not finite.
    """
    if not values or not all(map(math.isfinite, values)):
        raise InvalidInput("a mean needs at least one value, all finite")
    return Spread(statistics.fmean(values), statistics.pstdev(values))


class Difference(NamedTuple):
    """How much higher one system scores than another, with a 95% interval."""

    mean: float
    low: float
    high: float


def paired_bootstrap(
    a: Sequence[float], b: Sequence[float], resamples: int = 2000, seed: int = 0
) -> Difference:
    """Mean of ``a - b`` over the same questions, with its 95% percentile interval.

    Questions are drawn with replacement, each with both of its values, so that hard and easy
    questions cancel out. Source: Sakai, SIGIR 2006 (bootstrap for IR evaluation).

    Args:
        a: one value a question.
        b: values of the other system, in the same order.
        resamples: how often the questions are drawn.
        seed: of the draws; the same seed gives the same interval.

    Raises:
        InvalidInput: the lists differ in length or are empty.
    """
    if len(a) != len(b) or not a:
        raise InvalidInput(
            f"a paired comparison needs the same questions on both sides, not {len(a)} and {len(b)}"
        )
    gaps = np.asarray(a, np.float64) - np.asarray(b, np.float64)
    draws = _draws(len(gaps), resamples, seed)
    low, high = np.quantile(gaps.take(draws).mean(axis=1), (0.025, 0.975))
    return Difference(float(gaps.mean()), float(low), float(high))


@lru_cache(maxsize=4)  # metrics of the same questions follow each other; one may be 100 MB
def _draws(questions: int, resamples: int, seed: int) -> NDArray[np.int64]:
    """Which questions are drawn; int64, shape ``(resamples, questions)``."""
    return np.random.default_rng(seed).integers(questions, size=(resamples, questions))


def _gains(ranked: Sequence[str], relevant: Collection[str], k: int) -> list[int]:
    """1 where a rank among the first k brings a relevant id for the first time, else 0."""
    wanted = set(relevant)
    if not wanted:
        raise InvalidInput("a question without relevant ids has no retrieval metric; leave it out")
    if k < 1:
        raise InvalidInput(f"a metric looks at the first 1 or more ranks, not at {k}")
    gains: list[int] = []
    for found in ranked[:k]:
        gains.append(int(found in wanted))
        wanted.discard(found)
    return gains


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _named(name: str) -> Metric:
    metric = METRICS.get(name.partition("@")[0])
    if metric is None:
        known = ", ".join(f"{each}@k" for each in METRICS)
        raise InvalidInput(f"unknown metric {name!r}; one of {known}")
    return metric


def _depth(name: str) -> int:
    depth = name.partition("@")[2]
    if not (depth.isascii() and depth.isdigit()):
        raise InvalidInput(f"the metric {name!r} lacks its depth; write it as recall@10")
    return int(depth)
