"""The heads as tasks: what each learns from, how it answers, and what training changes in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hypermnesia.judge.local import LocalJudge
from hypermnesia.judge.local_heads import SHIPPED, Heads, sigmoid, softmax
from hypermnesia.judge.local_supersede import AT_THRESHOLD
from hypermnesia.judge.protocol import Passage
from hypermnesia.judge.training.compare import Answers, choices, scores, truths
from hypermnesia.judge.training.fit import Floats, Layer, fit
from hypermnesia.judge.training.groups import Labels
from hypermnesia.types import Matrix

C = 0.02
"""Inverse strength of the prior: that of the shipped heads (``training/train.py``)."""
HALF = 0.5
SUPERSEDES = 0.80
"""Probability at which the write path supersedes."""
HIGHEST = 4
"""Highest level of salience."""

Arrays = dict[str, npt.NDArray[np.generic]]
Rows = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Task(ABC):
    """One head and what a corpus tells it; ``n`` rows.

    Attributes:
        head: its name, such as ``type/full``.
        x: features, shape ``(n, features)``.
        y: what another judge answered, as probabilities, shape ``(n, outputs)``.
        labels: group of each row, shape ``(n,)``.
    """

    head: str
    x: Matrix
    y: Floats
    labels: Labels

    @abstractmethod
    def train(self, rows: Rows) -> Arrays:
        """The arrays of the head, trained further on some rows."""

    @abstractmethod
    def predict(self, heads: Heads, rows: Rows) -> Floats:
        """What a judge with these heads answers to some rows, shape ``(m, outputs)``."""

    @abstractmethod
    def answers(self, said: Floats) -> Answers:
        """Predictions for all rows against what is true."""


class _Linear(Task):
    """A head that is one linear layer."""

    def train(self, rows: Rows) -> Arrays:
        """Fit the layer anew, beginning with the shipped one."""
        shipped = SHIPPED.linear(self.head)
        start = Layer(shipped.weight.astype(np.float64), shipped.bias.astype(np.float64))
        layer = fit(self.x[rows].astype(np.float64), self.y[rows], start, C)
        return {
            f"{self.head}/weight": layer.weight.astype(np.float32),
            f"{self.head}/bias": layer.bias.astype(np.float32),
        }

    def predict(self, heads: Heads, rows: Rows) -> Floats:
        """As :class:`~hypermnesia.judge.local.LocalJudge` does."""
        logits = heads.linear(self.head).logits(self.x[rows])
        return sigmoid(logits) if logits.shape[1] == 1 else softmax(logits)


class TypeTask(_Linear):
    """Which of the seven types?"""

    def answers(self, said: Floats) -> Answers:
        """The most probable type is the answer."""
        return choices(said, self.y)


class TruthTask(_Linear):
    """Durable? Relevant?"""

    def answers(self, said: Floats) -> Answers:
        """Yes from one half on."""
        return truths(said[:, 0], self.y[:, 0], HALF)


class SalienceTask(_Linear):
    """Which level of salience?"""

    def answers(self, said: Floats) -> Answers:
        """The expected level counts."""
        levels = np.arange(HIGHEST + 1)
        return scores(said @ levels, self.y @ levels, HIGHEST)


@dataclass(frozen=True, slots=True)
class SupersedeTask(Task):
    """Does one memory replace another?

    The trees stay as they are; their answer is weighed anew, beside each feature of the pair. As
    in the shipped head, even odds are published as the probability at which the write path
    supersedes: a memory is replaced when that is more probable than not.

    Attributes:
        pairs: existing and incoming memory of each row.
        features: those that the trees look at, shape ``(n, features)``; ``x`` has the trees' own
            answer, as a logit, in front of them.
    """

    pairs: Sequence[tuple[Passage, Passage]]

    def train(self, rows: Rows) -> Arrays:
        """Fit the weights, beginning with 1 for the trees and 0 for all else."""
        shipped = SHIPPED.trees(self.head)
        start = np.zeros((self.x.shape[1], 1))
        start[0] = 1.0
        x = self.x[rows].astype(np.float64)
        layer = fit(x, self.y[rows], Layer(start, np.full(1, -AT_THRESHOLD)), C)
        share = float(layer.weight[0, 0])
        return {
            f"{self.head}/value": (shipped.value * share).astype(np.float32),
            f"{self.head}/bias": (shipped.bias * share + layer.bias + AT_THRESHOLD).astype(
                np.float32
            ),
            f"{self.head}/weight": layer.weight[1:, 0].astype(np.float32),
        }

    def predict(self, heads: Heads, rows: Rows) -> Floats:
        """With the rules around the trees, which stay as they are."""
        judge = LocalJudge(heads=heads)
        asked = [self.pairs[row] for row in np.flatnonzero(rows).tolist()]
        return np.asarray([judge.supersede([old], new) for old, new in asked])

    def answers(self, said: Floats) -> Answers:
        """Yes from the probability on at which the write path supersedes."""
        return truths(said[:, 0], self.y[:, 0], SUPERSEDES)


def levels_of(salience: Sequence[float]) -> Floats:
    """Expected levels as probabilities of the two nearest, shape ``(n, HIGHEST + 1)``."""
    value = np.clip(np.asarray(salience, np.float64), 0, HIGHEST)
    low = np.minimum(value.astype(np.int64), HIGHEST - 1)
    out = np.zeros((len(value), HIGHEST + 1))
    rows = np.arange(len(value))
    out[rows, low], out[rows, low + 1] = 1 - (value - low), value - low
    return out


def merged(several: Sequence[Mapping[str, npt.NDArray[np.generic]]]) -> Arrays:
    """All arrays together."""
    return {name: array for arrays in several for name, array in arrays.items()}
