"""Evaluating the trained heads with numpy alone.

The arrays are made by ``python -m training.train`` and lie beside this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from io import BytesIO

import numpy as np
import numpy.typing as npt

from hypermnesia.errors import ModelError
from hypermnesia.types import Matrix

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear layer over standardised features.

    Attributes:
        weight: shape ``(features, outputs)``, standardisation folded in.
        bias: shape ``(outputs,)``.
    """

    weight: Matrix
    bias: Matrix

    def logits(self, x: Matrix) -> Floats:
        """Shape ``(n, features)`` to ``(n, outputs)``."""
        return (x @ self.weight + self.bias).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Trees:
    """Gradient-boosted regression trees, each filled up to a complete binary tree.

    Attributes:
        feature: column an inner node looks at, shape ``(trees, 2**depth - 1)``.
        threshold: go right if the value exceeds it; same shape.
        value: contribution of each leaf to the logit, shape ``(trees, 2**depth)``.
        bias: logit before any tree, shape ``(1,)``.
    """

    feature: npt.NDArray[np.int32]
    threshold: Matrix
    value: Matrix
    bias: Matrix

    def logits(self, x: Matrix) -> Floats:
        """Shape ``(n, features)`` to ``(n,)``."""
        # take() from flattened arrays: several times faster than indexing with two arrays.
        trees, inner = np.arange(len(self.feature)), self.feature.shape[1]
        first = np.arange(len(x))[:, None] * x.shape[1]
        node = np.zeros((len(x), len(trees)), np.intp)
        for _ in range((inner + 1).bit_length() - 1):
            place = trees * inner + node
            right = x.take(first + self.feature.take(place)) > self.threshold.take(place)
            node = 2 * node + 1 + right
        leaves = self.value.take(trees * (inner + 1) + node - inner)
        return (leaves.sum(axis=1) + self.bias[0]).astype(np.float64)


@lru_cache(maxsize=1)
def arrays() -> Mapping[str, npt.NDArray[np.generic]]:
    """The trained arrays by name, read once.

    Raises:
        ModelError: the file is missing or damaged.
    """
    path = files("hypermnesia.judge") / "weights" / "local.npz"
    try:
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({error}); reinstall hypermnesia") from error


@lru_cache(maxsize=16)
def linear(name: str) -> Linear:
    """One linear head."""
    return Linear(_floats(f"{name}/weight"), _floats(f"{name}/bias"))


@lru_cache(maxsize=4)
def trees(name: str) -> Trees:
    """One ensemble of trees."""
    return Trees(
        arrays()[f"{name}/feature"].astype(np.int32),
        _floats(f"{name}/threshold"),
        _floats(f"{name}/value"),
        _floats(f"{name}/bias"),
    )


def number(name: str) -> float:
    """One trained scalar."""
    return float(_floats(name))


def _floats(name: str) -> Matrix:
    return arrays()[name].astype(np.float32)


def sigmoid(logits: Floats) -> Floats:
    """Logits to probabilities, without overflow."""
    return 1 / (1 + np.exp(-np.clip(logits, -40, 40)))


def softmax(logits: Floats) -> Floats:
    """Rows of logits to rows of probabilities."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)
