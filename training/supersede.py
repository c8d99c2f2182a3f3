"""Training the head that decides whether one statement replaces another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier

from hypermnesia.judge.local_supersede import AT_THRESHOLD, pair_matrix
from hypermnesia.types import Matrix
from training.features import passages
from training.pairs import Pair, generate, read_pairs

Arrays = dict[str, npt.NDArray[Any]]

SEED = 7
DEPTH = 5
TREES = 100
"""Trees a model; see :data:`MODELS`."""
MODELS = 6
"""Models that are averaged: each sees other columns, which evens out what one overrates."""
BY_HAND = 4.0
"""Weight of a hand-written pair against a generated one."""
OPERATING = 0.40
"""Raw probability that is published as 0.80.

The raw value is calibrated to the training mix, where three pairs in four are compatible; on
out-of-fold hand-written pairs accuracy peaks here.
"""


def hand_pairs() -> list[Pair]:
    """The hand-checked hard pairs that are trained on."""
    names = ("pairs.txt", "pairs_more.txt", "pairs_dev.txt", "pairs_things.txt")
    return list(dict.fromkeys(pair for name in names for pair in read_pairs(name)))


def training_pairs() -> tuple[list[Pair], npt.NDArray[np.float64]]:
    """Hand-written pairs, then generated ones, with their weights."""
    hand = hand_pairs()
    generated = generate(SEED, rounds=14)
    weights = np.r_[np.full(len(hand), BY_HAND), np.ones(len(generated))]
    return hand + generated, weights


def features(pairs: Sequence[Pair], *, vectors: bool = True) -> Matrix:
    """Feature rows, shape ``(n, features)``."""
    read = passages(t for p in pairs for t in (p.existing, p.incoming))
    couples = zip(read[::2], read[1::2], strict=True)
    return np.concatenate([pair_matrix([old], new, vectors=vectors)[0] for old, new in couples])


def fit(
    x: Matrix, y: npt.NDArray[Any], weights: npt.NDArray[Any]
) -> list[HistGradientBoostingClassifier]:
    """Boosted trees that differ in the columns they see."""
    return [
        HistGradientBoostingClassifier(
            max_iter=TREES, max_depth=DEPTH, learning_rate=0.08, min_samples_leaf=15,
            l2_regularization=5, max_features=0.3, early_stopping=False,  # pyright: ignore[reportArgumentType] - its stub is incomplete
            random_state=SEED + i,
        ).fit(x, y, sample_weight=weights)
        for i in range(MODELS)
    ]  # fmt: skip


def logits(models: Iterable[HistGradientBoostingClassifier], x: Matrix) -> npt.NDArray[np.float64]:
    """Mean logit of the models, moved so that :data:`OPERATING` becomes 0.80."""
    raw = np.mean([m.decision_function(x) for m in models], axis=0)
    return raw + _shift()


def _shift() -> float:
    return AT_THRESHOLD - float(np.log(OPERATING / (1 - OPERATING)))


def train() -> Arrays:
    """The heads with and without vectors, as plain arrays."""
    pairs, weights = training_pairs()
    y = np.asarray([p.supersedes for p in pairs], int)
    out: Arrays = {}
    for variant in ("full", "text"):
        x = features(pairs, vectors=variant == "full")
        models = fit(x, y, weights)
        out["supersede/columns"] = np.asarray(x.shape[1])
        out |= {f"supersede/{variant}/{k}": v for k, v in plain(models).items()}
    return out


def plain(models: Sequence[HistGradientBoostingClassifier]) -> Arrays:
    """The trees as complete binary trees in arrays; see :class:`~.local_heads.Trees`."""
    # scikit-learn has no public form of these trees.
    grown = [_complete(p[0].nodes) for m in models for p in m._predictors]  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    bias = np.mean([float(m._baseline_prediction.item()) for m in models])  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    return {
        "feature": np.stack([t[0] for t in grown]).astype(np.int16),
        "threshold": np.stack([t[1] for t in grown]).astype(np.float32),
        "value": (np.stack([t[2] for t in grown]) / len(models)).astype(np.float32),
        "bias": np.asarray([bias + _shift()], np.float32),
    }


def _complete(
    nodes: npt.NDArray[Any],
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Fill one tree up to :data:`DEPTH`: a leaf higher up repeats its value below."""
    inner = 2**DEPTH - 1
    feature, threshold = np.zeros(inner, int), np.full(inner, np.inf)
    value = np.zeros(inner + 1)
    stack = [(0, 0)]
    while stack:
        place, index = stack.pop()
        node = nodes[index]
        if place >= inner:
            value[place - inner] = node["value"]
            continue
        if node["is_leaf"]:
            stack += [(2 * place + 1, index), (2 * place + 2, index)]
            continue
        feature[place], threshold[place] = node["feature_idx"], node["num_threshold"]
        stack += [(2 * place + 1, int(node["left"])), (2 * place + 2, int(node["right"]))]
    return feature, threshold, value
