"""Fitting a linear head: logistic regression that starts from the head there is.

The prior is a Gaussian around the former weights instead of around zero: what the data says
nothing about stays as it was. The loss is convex, so there is one answer, whatever found it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Loss = Callable[[Floats], tuple[float, Floats]]

MEMORY = 20
"""Steps whose curvature is remembered (Liu and Nocedal 1989: 3 to 20 suffice)."""
STEPS = 1000
TOLERANCE = 1e-6
"""Largest component of the gradient at the minimum, per row."""
ENOUGH = 1e-4
"""Share of the expected decrease that a step must bring (Armijo's condition)."""
SMALLEST_SCALE = 0.02
"""Deviation that every feature has at least: what almost never varies here may vary elsewhere."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights of shape ``(features, outputs)`` and a bias of shape ``(outputs,)``."""

    weight: Floats
    bias: Floats

    def logits(self, x: Floats) -> Floats:
        """Shape ``(n, features)`` to ``(n, outputs)``."""
        return x @ self.weight + self.bias


def fit(x: Floats, y: Floats, start: Layer, c: float) -> Layer:
    """The layer that explains soft answers best, not far from the one to start from.

    Distance is measured in deviations of the features.

    Args:
        x: features, shape ``(n, features)``.
        y: probabilities, shape ``(n, outputs)``: with one output of its being true, with several
            of each being the one, summing to 1.
        start: the layer there is.
        c: inverse strength of the prior, as in scikit-learn.
    """
    mean = x.mean(axis=0)
    scale = np.maximum(x.std(axis=0), SMALLEST_SCALE)
    standard = Layer(start.weight * scale[:, None], start.bias + mean @ start.weight)
    found = minimum((x - mean) / scale, y, standard, c)
    weight = found.weight / scale[:, None]
    return Layer(weight, found.bias - mean @ weight)


def minimum(x: Floats, y: Floats, start: Layer, c: float) -> Layer:
    """Least cross-entropy + ``|weight - start|^2 / 2c``; the bias is free. Arguments as above."""
    shape = start.weight.shape

    def layer(flat: Floats) -> Layer:
        return Layer(flat[: start.weight.size].reshape(shape), flat[start.weight.size :])

    def loss(flat: Floats) -> tuple[float, Floats]:
        here = layer(flat)
        entropy, slope = _cross_entropy(here.logits(x), y)
        moved = here.weight - start.weight
        gradient = np.concatenate([(x.T @ slope + moved / c).ravel(), slope.sum(axis=0)])
        return entropy + float((moved**2).sum()) / (2 * c), gradient

    first = np.concatenate([start.weight.ravel(), start.bias])
    return layer(descend(loss, first, TOLERANCE * len(x)))


def _cross_entropy(logits: Floats, y: Floats) -> tuple[float, Floats]:
    """Of logits and probabilities: the sum, and its derivative by the logits."""
    if logits.shape[1] == 1:
        loss = np.logaddexp(0, logits) - y * logits
        return float(loss.sum()), 1 / (1 + np.exp(-np.clip(logits, -500, 500))) - y
    high = logits.max(axis=1, keepdims=True)
    raised = np.exp(logits - high)
    total = raised.sum(axis=1, keepdims=True)
    loss = np.log(total) + high - (y * logits).sum(axis=1, keepdims=True)
    return float(loss.sum()), raised / total - y


def descend(loss: Loss, start: Floats, tolerance: float) -> Floats:
    """The minimum of a convex function, by L-BFGS with backtracking (Nocedal and Wright, 7.2).

    Args:
        loss: value and gradient.
        start: where to begin, shape ``(p,)``.
        tolerance: largest component of the gradient where to end.
    """
    at, (value, gradient) = start, loss(start)
    pairs: list[tuple[Floats, Floats]] = []
    for _ in range(STEPS):
        if np.abs(gradient).max() <= tolerance:
            break
        direction = -_inverse_hessian(pairs, gradient)
        slope, size = float(direction @ gradient), 1.0
        if not pairs:
            size = 1 / float(np.linalg.norm(gradient))
        while True:
            there = at + size * direction
            lower, following = loss(there)
            if lower <= value + ENOUGH * size * slope:
                break
            size /= 2
            if size * float(np.abs(direction).max()) < np.finfo(np.float64).eps:
                return at  # as low as the numbers go
        moved, turned = there - at, following - gradient
        if moved @ turned > 0:
            pairs = [*pairs[1 - MEMORY :], (moved, turned)]
        at, value, gradient = there, lower, following
    return at


def _inverse_hessian(pairs: list[tuple[Floats, Floats]], gradient: Floats) -> Floats:
    """What the remembered steps say of the inverse curvature, applied to a gradient."""
    out = gradient.copy()
    shares: list[float] = []
    for moved, turned in reversed(pairs):
        share = float(moved @ out) / float(moved @ turned)
        out -= share * turned
        shares.append(share)
    if pairs:
        moved, turned = pairs[-1]
        out *= float(moved @ turned) / float(turned @ turned)
    for (moved, turned), share in zip(pairs, reversed(shares), strict=True):
        out += moved * (share - float(turned @ out) / float(moved @ turned))
    return out
