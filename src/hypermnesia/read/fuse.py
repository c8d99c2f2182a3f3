"""Several views of the same candidates made into one score in [0, 1].

Three ways, compared in ``docs/explanation/retrieval.md``: reciprocal ranks (the reference),
z-scores, and the default, a logistic of the channels' absolute values. Only the last means the
same for every query and for a store of one memory, so only it makes a minimum score useful.

Channels are arrays over the same candidates. NaN says that a channel knows nothing of a
candidate; a lexical score of zero says that no term matched.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hypermnesia.types import Vector

Key = TypeVar("Key", bound=Hashable)

RRF_K = 60
"""Rank constant of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009)."""
RRF_LEXICAL = 1.0
"""Weight of the lexical ranking beside a dense weight of 1, as DGUI-HyperMem deploys it."""
RRF_LEXICAL_PAPER = 0.3
"""The weight its paper recommends for its own workload."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """``1 / (1 + exp(-slope * (late * X + dense * C + lexical * B - threshold)))``.

    ``X`` is MaxSim, ``C`` the cosine, ``B`` the BM25 score over the best BM25 of the query.

    Attributes:
        threshold: the sum at which relevant and irrelevant candidates are equally likely, were
            there as many of each.
    """

    late: float
    dense: float
    lexical: float
    slope: float
    threshold: float


LATE = Logistic(late=1.0, dense=0.35, lexical=0.05, slope=11.5, threshold=0.52)
"""With token vectors; fitted by ``bench/recall_study.py`` to the packing of
:mod:`hypermnesia.models.late`, which scales MaxSim."""
NO_LATE = Logistic(late=0.0, dense=1.0, lexical=0.5, slope=8.0, threshold=0.8)
"""Without token vectors; the threshold holds for the bundled encoder's cosines only."""


@dataclass(frozen=True, slots=True)
class Blend:
    """Shares of the fused score, the judge's relevance and salience in the final score."""

    fused: float
    judge: float
    salience: float


JUDGED = Blend(fused=0.50, judge=0.40, salience=0.10)
"""DGUI-HyperMem whitepaper (CTECX 2026), read path, judge on."""
UNJUDGED = Blend(fused=0.85, judge=0.0, salience=0.15)
"""The same, judge off."""
NEUTRAL_SALIENCE = 2.0
"""Salience of a memory that nobody judged, on the scale of 0 to 4 (the same)."""


def ranking(keys: Sequence[Key], scores: Vector) -> list[Key]:
    """Keys by falling score; those that score zero, less, or NaN are no part of it.

    Args:
        keys: what is ranked.
        scores: shape ``(len(keys),)``. Equal scores keep the order of the keys.
    """
    order = np.argsort(-np.nan_to_num(scores, nan=0.0), kind="stable")
    return [keys[i] for i in order if scores[i] > 0]


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[Key]], weights: Sequence[float] | None = None, k: int = RRF_K
) -> dict[Key, float]:
    """``sum of weight / (k + rank)`` over the rankings, divided by the largest.

    Args:
        rankings: keys, best first; ranks start at 1. A key absent from one gains nothing there.
        weights: one a ranking, at least 0; ``None`` = 1 each.
        k: rank constant.

    Returns:
        Scores in [0, 1], the best 1, of every key with a positive score.
    """
    fused: dict[Key, float] = {}
    for keys, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, key in enumerate(keys, start=1):
            fused[key] = fused.get(key, 0.0) + weight / (k + rank)
    best = max(fused.values(), default=0.0)
    return {key: score / best for key, score in fused.items() if score > 0}


def z_scores(values: Vector) -> Vector:
    """Standard scores over the candidates, shape ``(n,)``.

    A candidate the channel does not know (NaN) gets the lowest score of those it knows. A
    channel whose values are all alike, as with a single candidate, says nothing: zeros.
    """
    known = values[~np.isnan(values)]
    if not len(known) or np.ptp(known) < 1e-6:  # noqa: PLR2004 - float32 rounding of a cosine
        return np.zeros(len(values), np.float32)
    filled = np.where(np.isnan(values), known.min(), values)
    return ((filled - known.mean()) / known.std()).astype(np.float32)


def z_score_fusion(channels: Sequence[Vector], weights: Sequence[float]) -> Vector:
    """Logistic of the weighted sum of z-scores, shape ``(n,)``, in [0, 1].

    Comparable within one query only: the best of a hopeless query scores as high as the best
    of a good one, and of two candidates one is always +1 and the other -1.
    """
    total = sum(
        (weight * z_scores(c) for c, weight in zip(channels, weights, strict=True)),
        start=np.zeros(len(channels[0]), np.float32),
    )
    return _logistic(total)


def absolute_fusion(
    late: Vector, dense: Vector, lexical: Vector, weights: Logistic | None = None
) -> Vector:
    """The default: what the channels say in themselves, not compared with other candidates.

    Args:
        late: MaxSim in [-1, 1], shape ``(n,)``; NaN where token vectors are missing.
        dense: cosine in [-1, 1], shape ``(n,)``; NaN where the vector is missing.
        lexical: BM25, at least 0, shape ``(n,)``; 0 where no term matches.
        weights: ``None`` = :data:`LATE`, and :data:`NO_LATE` for candidates without ``late``.

    Returns:
        Scores in [0, 1], shape ``(n,)``.
    """
    if weights is None:
        with_late = absolute_fusion(late, dense, lexical, LATE)
        return np.where(np.isnan(late), absolute_fusion(late, dense, lexical, NO_LATE), with_late)
    best = lexical.max(initial=0.0)
    shares = lexical / best if best > 0 else lexical
    total = np.asarray(
        weights.late * np.nan_to_num(late)
        + weights.dense * np.nan_to_num(dense)
        + weights.lexical * shares,
        np.float32,
    )
    return _logistic(weights.slope * (total - weights.threshold))


def blend(fused: float, salience: float | None, judge: float | None = None) -> float:
    """The final score in [0, 1] that results are ordered by.

    Args:
        fused: in [0, 1].
        salience: in [0, 4]; ``None`` = :data:`NEUTRAL_SALIENCE`.
        judge: relevance in [0, 1]; ``None`` = the judge is off.
    """
    level = NEUTRAL_SALIENCE if salience is None else salience
    share = min(max(level / 4, 0.0), 1.0)
    if judge is None:
        return UNJUDGED.fused * fused + UNJUDGED.salience * share
    return JUDGED.fused * fused + JUDGED.judge * judge + JUDGED.salience * share


def _logistic(values: Vector) -> Vector:
    # Beyond 30 a float32 logistic is 0 or 1 anyway, and exp stays finite.
    return (1 / (1 + np.exp(-np.clip(values, -30, 30)))).astype(np.float32)
