"""Train the heads of the local judge: ``python -m training.train``.

Seeded from end to end: the same code and encoder write the same arrays. scikit-learn is
needed here only; what ships is plain numpy arrays.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from hypermnesia.judge.local import analysis_rows, relevance_matrix
from hypermnesia.types import MEMORY_TYPES, Matrix
from training import dialogue, memories, relevance, supersede
from training.features import passages, query

SEED = 7
WEIGHTS = Path(__file__).parent.parent / "src/hypermnesia/judge/weights/local.npz"
Arrays = dict[str, npt.NDArray[Any]]
Columns = npt.NDArray[np.float64]
RELEVANCE_C = 0.003
"""Inverse strength of regularisation: strong. Generated questions are answered by the cosine alone;
shrinking spreads the weight over all similarities, which is what real dialogue needs."""
FALSE_GATING = 0.02
HIGHEST_GATE = 0.5
"""Talk is looser than any text written for training, and a lost memory costs more than chatter."""


def main() -> None:
    """Train every head and write the weights."""
    arrays: Arrays = {}
    arrays |= train_analysis()
    arrays |= train_relevance()
    arrays |= supersede.train()
    WEIGHTS.parent.mkdir(exist_ok=True)
    np.savez_compressed(WEIGHTS, allow_pickle=False, **arrays)
    print(f"wrote {WEIGHTS.name}: {len(arrays)} arrays, {WEIGHTS.stat().st_size / 1024:.0f} KB")


def train_analysis() -> Arrays:
    """Heads for type, durability and salience, with and without the dense vector; the gate."""
    cases = analysis_cases()
    read = passages(c.text for c in cases)
    weights = np.asarray(_case_weights(cases))
    kinds = np.asarray([MEMORY_TYPES.index(c.memory_type) for c in cases])  # pyright: ignore[reportArgumentType]
    durable = np.asarray([c.durable for c in cases])
    levels = np.asarray([int(c.salience) for c in cases])
    out: Arrays = {}
    for variant in ("full", "text"):
        x = analysis_rows(read, dense=variant == "full")
        out |= _fit(f"type/{variant}", x, kinds, 7, weights)
        out |= _fit(f"durable/{variant}", x, durable, 1, weights)
        out |= _fit(f"salience/{variant}", x, levels, 5, weights)
        if variant == "full":
            out["gate"] = np.asarray(_gate(x, levels, durable, weights))
    return out


def analysis_cases() -> list[memories.Labelled]:
    """Hand-written and generated memories, hand-written first."""
    return (
        by_hand()
        + memories.generate(SEED, per_template=8)
        + memories.generate_longer(SEED, count=120)
        + dialogue.generate_dialogue(SEED, count=400)
    )


def by_hand() -> list[memories.Labelled]:
    """The hand-written memories that are trained on."""
    return memories.read_cases("memories.txt") + memories.read_cases("memories_more.txt")


def _case_weights(cases: Sequence[memories.Labelled]) -> list[float]:
    """A hand-written case counts as much as four generated ones: it is the wider variety."""
    written = {c.text for c in by_hand()}
    return [4.0 if c.text in written else 1.0 for c in cases]


def train_relevance() -> Arrays:
    """Heads for relevance: with token vectors, with dense vectors only, with text only."""
    lists = relevance.generate(SEED, per_frame=12)
    y = np.concatenate([s.labels for s in lists])
    x = relevance_features(lists)
    columns = {"full": x.shape[1], "dense": x.shape[1] - 4, "text": x.shape[1] - 5}
    out: Arrays = {}
    for variant, width in columns.items():
        out |= _fit(f"relevance/{variant}", x[:, :width], y, 1, np.ones(len(y)), c=RELEVANCE_C)
    return out


def relevance_features(lists: Sequence[relevance.Shortlist]) -> Matrix:
    """Feature rows of all shortlists; the cosine is the first vector column."""
    passages(t for s in lists for t in s.candidates)
    return np.concatenate(
        [relevance_matrix(query(s.query), passages(s.candidates))[0] for s in lists]
    )


def _fit(
    name: str,
    x: Matrix,
    y: npt.NDArray[Any],
    outputs: int,
    weights: npt.NDArray[Any],
    c: float = 0.02,
) -> Arrays:
    """Standardise, fit a logistic head, calibrate its temperature out of fold, fold it all in."""
    mean, scale = _moments(x)
    z = (x - mean) / scale
    model = LogisticRegression(C=c, max_iter=2000)
    temperature = _temperature(model, z, y, weights)
    model.fit(z, y, sample_weight=weights)
    learned: Columns = np.asarray(model.coef_).T
    coef: Columns = learned / scale[:, None]
    bias: Columns = np.asarray(model.intercept_) - (mean / scale) @ learned
    if outputs > 1 and coef.shape[1] < outputs:
        coef, bias = _spread(coef, bias, model.classes_, outputs)
    print(f"{name}: {len(y)} rows, temperature {temperature:.2f}")
    return {
        f"{name}/weight": (coef / temperature).astype(np.float32),
        f"{name}/bias": (bias / temperature).astype(np.float32),
    }


def _moments(x: Matrix) -> tuple[Columns, Columns]:
    """Mean and deviation of each column; 1 for a constant one."""
    deviation = x.std(axis=0, dtype=np.float64)
    return x.mean(axis=0, dtype=np.float64), np.where(deviation > 1e-9, deviation, 1.0)


def _spread(
    coef: npt.NDArray[Any], bias: npt.NDArray[Any], classes: npt.NDArray[Any], outputs: int
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Give classes that never occur in training a column that never wins."""
    full = np.zeros((coef.shape[0], outputs))
    low = np.full(outputs, -30.0)
    full[:, classes] = coef
    low[classes] = bias
    return full, low


def _temperature(
    model: LogisticRegression, z: npt.NDArray[Any], y: npt.NDArray[Any], weights: npt.NDArray[Any]
) -> float:
    """Divisor of the logits with the least log loss out of fold."""
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    logits = cross_val_predict(
        model, z, y, cv=folds, method="decision_function", params={"sample_weight": weights}
    )
    logits = np.asarray(logits)
    if logits.ndim == 1:
        logits = np.stack([np.zeros(len(y)), logits], axis=1)
    column = np.searchsorted(np.unique(y), y)

    def loss(t: float) -> float:
        scaled = logits / t
        scaled = scaled - scaled.max(axis=1, keepdims=True)
        nll = np.log(np.exp(scaled).sum(axis=1)) - scaled[np.arange(len(y)), column]
        return float((nll * weights).sum())

    return _least(loss, 0.3, 3.0)


def _least(f: Callable[[float], float], low: float, high: float) -> float:
    grid = np.exp(np.linspace(math.log(low), math.log(high), 49))
    return float(min(grid, key=f))


def _gate(
    x: Matrix, levels: npt.NDArray[Any], durable: npt.NDArray[Any], weights: npt.NDArray[Any]
) -> float:
    """The salience that at most 2% of the durable memories miss, measured out of fold."""
    mean, scale = _moments(x)
    z = (x - mean) / scale
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    p = cross_val_predict(
        LogisticRegression(C=0.02, max_iter=2000), z, levels, cv=folds, method="predict_proba",
        params={"sample_weight": weights},
    )  # fmt: skip
    salience = np.asarray(p) @ np.unique(levels)
    written = weights > 1
    kept, noise = salience[(durable == 1) & written], salience[(durable == 0) & written]
    gate = min(float(np.quantile(kept, FALSE_GATING / 2)), HIGHEST_GATE)
    missed, kept_noise = np.mean(kept < gate), np.mean(noise >= gate)
    print(f"gate {gate:.2f}: misses {missed:.3f}, keeps {kept_noise:.3f} of chatter")
    return gate


if __name__ == "__main__":
    random.seed(SEED)
    main()
