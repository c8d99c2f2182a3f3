"""Evaluating the trained heads with numpy alone.

The arrays are made by ``python -m training.train`` and lie beside this module. A user's own, see
:mod:`~hypermnesia.judge.own_heads`, stand in for some of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
        weight: what each feature adds on top, shape ``(features,)``; ``None`` = nothing.
    """

    feature: npt.NDArray[np.int32]
    threshold: Matrix
    value: Matrix
    bias: Matrix
    weight: Matrix | None = None

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
        logits = leaves.sum(axis=1) + self.bias[0]
        if self.weight is not None:
            logits = logits + x @ self.weight
        return logits.astype(np.float64)


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


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """The heads of one judge: those that ship, or some of them trained further.

    Attributes:
        name: recorded with every answer.
        own: arrays that stand in for the shipped ones of the same name, or that those lack.
    """

    name: str = "local"
    own: Mapping[str, npt.NDArray[np.generic]] = field(
        default_factory=dict[str, npt.NDArray[np.generic]]
    )

    def linear(self, name: str) -> Linear:
        """One linear head."""
        return _linear(self, name)

    def trees(self, name: str) -> Trees:
        """One ensemble of trees."""
        return _trees(self, name)

    def number(self, name: str) -> float:
        """One trained scalar."""
        return float(self.floats(name))

    def array(self, name: str) -> npt.NDArray[np.generic]:
        """One array, its own if there is one."""
        return self.own[name] if name in self.own else arrays()[name]

    def floats(self, name: str) -> Matrix:
        """One array as single-precision numbers."""
        return self.array(name).astype(np.float32)


SHIPPED = Heads()
"""What the package carries."""


@lru_cache(maxsize=32)
def _linear(heads: Heads, name: str) -> Linear:
    return Linear(heads.floats(f"{name}/weight"), heads.floats(f"{name}/bias"))


@lru_cache(maxsize=8)
def _trees(heads: Heads, name: str) -> Trees:
    return Trees(
        heads.array(f"{name}/feature").astype(np.int32),
        heads.floats(f"{name}/threshold"),
        heads.floats(f"{name}/value"),
        heads.floats(f"{name}/bias"),
        heads.floats(f"{name}/weight") if f"{name}/weight" in heads.own else None,
    )


def sigmoid(logits: Floats) -> Floats:
    """Logits to probabilities, without overflow."""
    return 1 / (1 + np.exp(-np.clip(logits, -40, 40)))


def softmax(logits: Floats) -> Floats:
    """Rows of logits to rows of probabilities."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)
