"""From a corpus to the tasks of the heads, and which of them it is enough for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hypermnesia.judge.local import analysis_rows, relevance_matrix
from hypermnesia.judge.local_heads import SHIPPED
from hypermnesia.judge.local_supersede import pair_matrix
from hypermnesia.judge.training.groups import Labels, groups
from hypermnesia.judge.training.heads import (
    SalienceTask,
    SupersedeTask,
    Task,
    TruthTask,
    TypeTask,
    levels_of,
)
from hypermnesia.judge.training.rows import Analysed, Compared, Corpus, Ranked
from hypermnesia.judge.training.texts import Texts, bare

FEWEST_ROWS = 100
FEWEST_GROUPS = 25
"""Groups of rows about different things: an interval over fewer says nothing."""
FEWEST_OF_A_SIDE = 15
"""Rows that each of at least two different answers has."""
LARGEST_SHARE = 0.5
"""Of the rows that one group may have."""
TOKEN_COLUMNS, VECTOR_COLUMNS = 4, 5
"""Last columns of the relevance features that need token vectors, and any vectors."""


def tasks(corpus: Corpus, texts: Texts) -> Iterator[Task]:
    """The heads that a corpus has rows for, each with and without the vectors it may lack."""
    if corpus.analysed:
        yield from _analysis(corpus.analysed, texts)
    if corpus.ranked:
        yield from _relevance(corpus.ranked, texts)
    if corpus.compared:
        yield from _supersession(corpus.compared, texts)


def lacking(task: Task) -> str | None:
    """Why a corpus is not enough for a head, as the end of a sentence; ``None`` if it is."""
    sizes = np.bincount(task.labels)
    if len(task.y) < FEWEST_ROWS:
        return f"{len(task.y)} rows of it; at least {FEWEST_ROWS} are needed"
    sides = np.sort(_sides(task))[::-1]
    if len(sides) < 2 or sides[1] < FEWEST_OF_A_SIDE:  # noqa: PLR2004 - two sides
        return (
            f"{int(sides[0])} of {len(task.y)} answers to it that say the same; at least"
            f" {FEWEST_OF_A_SIDE} that say something else are needed"
        )
    if len(sizes) < FEWEST_GROUPS or sizes.max() > LARGEST_SHARE * len(task.y):
        return (
            f"{len(sizes)} groups of rows about different things, of which the largest has"
            f" {int(sizes.max())} of {len(task.y)}; at least {FEWEST_GROUPS} are needed, none with"
            " more than half of the rows"
        )
    return None


def _sides(task: Task) -> Labels:
    """How many rows give each answer."""
    if task.y.shape[1] == 1:
        yes = int((task.y[:, 0] >= 0.5).sum())  # noqa: PLR2004 - the more probable of two
        return np.asarray([yes, len(task.y) - yes])
    return np.bincount(task.y.argmax(axis=1)).astype(np.int64)


def _analysis(rows: Sequence[Analysed], texts: Texts) -> Iterator[Task]:
    read = [texts.memories[row.text] for row in rows]
    labels = groups([[r.text] for r in rows], [r.memory for r in rows], texts.vectors())
    types = np.asarray([row.types for row in rows], np.float64)
    durable = np.asarray([[row.durable] for row in rows], np.float64)
    salience = levels_of([row.salience for row in rows])
    for variant in ("full", "text"):
        x = analysis_rows(read, dense=variant == "full")
        yield TypeTask(f"type/{variant}", x, types, labels)
        yield TruthTask(f"durable/{variant}", x, durable, labels)
        yield SalienceTask(f"salience/{variant}", x, salience, labels)


def _relevance(rows: Sequence[Ranked], texts: Texts) -> Iterator[Task]:
    """Rows are held out by their query: the features only say how it resembles a candidate."""
    lists = [(texts.queries[r.query], [texts.memories[c] for c in r.candidates]) for r in rows]
    x = np.concatenate([relevance_matrix(query, candidates)[0] for query, candidates in lists])
    y = np.concatenate([row.relevance for row in rows])[:, None]
    of_list = groups([[row.query] for row in rows], [None] * len(rows), texts.vectors())
    labels = np.repeat(of_list, [len(row.candidates) for row in rows])
    width = x.shape[1]
    columns = {"full": width, "dense": width - TOKEN_COLUMNS, "text": width - VECTOR_COLUMNS}
    for variant, count in columns.items():
        yield TruthTask(f"relevance/{variant}", x[:, :count], y, labels)


def _supersession(rows: Sequence[Compared], texts: Texts) -> Iterator[Task]:
    pairs = [(texts.memories[row.existing], texts.memories[row.incoming]) for row in rows]
    y = np.asarray([[row.replaces] for row in rows], np.float64)
    both = [[row.existing, row.incoming] for row in rows]
    labels = groups(both, [None] * len(rows), texts.vectors())
    for variant in ("full", "text"):
        vectors = variant == "full"
        seen = pairs if vectors else [(bare(old), bare(new)) for old, new in pairs]
        features = np.concatenate(
            [pair_matrix([old], new, vectors=vectors)[0] for old, new in pairs]
        )
        head = f"supersede/{variant}"
        trees = SHIPPED.trees(head).logits(features)
        x = np.hstack([trees[:, None], features]).astype(np.float32)
        yield SupersedeTask(head, x, y, labels, seen)
