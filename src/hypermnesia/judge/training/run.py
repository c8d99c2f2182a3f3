"""Training on a corpus: fit, compare on what was held out, keep what did better.

The shipped training set is not part of the package, and need not be: the shipped heads are what
it taught. They are where the fit begins and what it is drawn to, so that a small corpus changes
little and a large one as much as it can prove. Every row is held out once: five times the heads
are fitted without a fifth of the groups of rows and asked about that fifth. The heads that are
installed are then fitted on all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hypermnesia.errors import InvalidInput
from hypermnesia.judge.local_heads import SHIPPED, Heads
from hypermnesia.judge.questions import GATE
from hypermnesia.judge.training.compare import Measure, compare
from hypermnesia.judge.training.fit import Floats
from hypermnesia.judge.training.groups import FOLDS, folds
from hypermnesia.judge.training.heads import HALF, HIGHEST, Arrays, Task, merged
from hypermnesia.judge.training.rows import Corpus
from hypermnesia.judge.training.tasks import FEWEST_ROWS, lacking, tasks
from hypermnesia.judge.training.texts import encode
from hypermnesia.models.encoder import Embedder

SEED = 7
GATED_HEAD = "salience/full"
MISSED = 0.01
"""Share of durable memories that the gate may miss, as for the shipped heads."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one head.

    Attributes:
        head: its name and, behind the slash, what it reads: everything, vectors without those of
            tokens, or text alone.
        rows: answers it was held against.
        groups: groups of rows about the same thing; a row is held out with its whole group.
        measures: ``accuracy, brier, ece`` of the held-out answers; none if it was not trained.
        better: its Brier score fell by more than chance explains, and its accuracy did not.
        lacking: why it was not trained: what the corpus has.
    """

    head: str
    rows: int
    groups: int
    measures: Mapping[str, Measure]
    better: bool
    lacking: str | None = None


@dataclass(frozen=True, slots=True)
class Trained:
    """What a corpus taught.

    Attributes:
        outcomes: of every head that the corpus has rows for.
        arrays: of the heads that did better, fitted on all rows.
        gate: salience from which a memory is active: of the shipped heads, and of these.
    """

    outcomes: tuple[Outcome, ...]
    arrays: Arrays
    gate: tuple[float, float]


def train(
    corpus: Corpus, encoder: Embedder, progress: Callable[[int], None] = lambda _done: None
) -> Trained:
    """Train every head that a corpus is enough for.

    Args:
        corpus: what was read.
        encoder: the bundled one.
        progress: called with the number of memories encoded since the last call.

    Raises:
        InvalidInput: it is enough for none; the message says what is missing.
    """
    outcomes: list[Outcome] = []
    arrays: list[Arrays] = []
    former = gate = SHIPPED.number("gate")
    durable = np.asarray([row.durable for row in corpus.analysed]) >= HALF
    for task in tasks(corpus, encode(corpus, encoder, progress)):
        outcome, said = _tried(task)
        outcomes.append(outcome)
        if not outcome.better:
            continue
        arrays.append(task.train(np.ones(len(task.y), np.bool_)))
        if task.head == GATED_HEAD:
            gate = _gate(task.answers(said).said[durable] * HIGHEST, former)
            arrays.append({"gate": np.asarray(gate)})
    if all(outcome.lacking for outcome in outcomes):
        raise InvalidInput(f"the corpus is too small or one-sided: {'; '.join(_missing(outcomes))}")
    return Trained(tuple(outcomes), merged(arrays), (former, gate))


def _tried(task: Task) -> tuple[Outcome, Floats]:
    """How a head does when it is trained, and its held-out answers."""
    reason, size = lacking(task), (len(task.y), int(task.labels.max()) + 1)
    if reason is not None:
        return Outcome(task.head, *size, {}, better=False, lacking=reason), task.y
    everything = np.ones(len(task.y), np.bool_)
    shipped, said = task.predict(SHIPPED, everything), np.zeros_like(task.y)
    of_row = folds(task.labels, SEED)
    for fold in range(FOLDS):
        held = of_row == fold
        said[held] = task.predict(Heads("candidate", task.train(~held)), held)
    measures = compare(task.answers(shipped), task.answers(said), task.labels)
    better = measures["brier"].high < 0 <= measures["accuracy"].high
    return Outcome(task.head, *size, measures, better=better), said


def _gate(salience: Floats, former: float) -> float:
    """The salience that few durable memories miss, by answers to memories that were held out."""
    if len(salience) < FEWEST_ROWS:
        return former
    return min(float(np.quantile(salience, MISSED)), GATE)


def _missing(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Once for each question, not for each head of it."""
    for question in dict.fromkeys(outcome.head.partition("/")[0] for outcome in outcomes):
        (reason, *_) = [o.lacking for o in outcomes if o.head.startswith(f"{question}/")]
        yield f"for the question {question} it has {reason}"
