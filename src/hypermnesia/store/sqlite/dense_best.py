"""The nearest rows of blocks: estimated for all of them, computed for those in question.

An estimate comes with how far off it can be. So no row is left out that could be among the
nearest, and scores are those of float32: the result is the one of computing all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hypermnesia.models.product import product, products
from hypermnesia.models.product_codes import ROUNDING, CodedFew
from hypermnesia.store.protocol import Ranked
from hypermnesia.store.sqlite.dense_block import CODED, Block, Integers
from hypermnesia.types import Matrix, Vector

STRIP = 2_097_152
"""Estimates that are made before the best of them are picked out: what a cache holds."""
GROUP = 16
"""Estimates of which only the best is looked at when a bound for the best of all is sought."""
FEW = 8
"""If no more than one of so many rows passes a filter, these are gathered and scored alone."""
WINDOWS = 4
"""Rows that are looked at for each memory asked for, where memories have several windows."""

_LOWEST = np.finfo(np.float32).min

Passing = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Scanned:
    """A block, and which of its rows pass a filter, shape ``(size,)``."""

    block: Block
    passing: Passing


@dataclass(frozen=True, slots=True)
class _Strip:
    """Estimated cosines of ``m`` queries with some rows.

    Attributes:
        scores: shape ``(m, n)``; minus infinity for a row that does not pass.
        rows: shape ``(n,)``; those of one block are numbered on from those of the one before.
        errors: no cosine is farther from its estimate, shape ``(m,)``.
    """

    scores: Matrix
    rows: Places
    errors: Vector


@dataclass(frozen=True, slots=True)
class _Question:
    """Rows that may be among the nearest to a query, with estimates that can be off by so much."""

    rows: Places
    scores: Vector
    error: np.float32


def nearest(scanned: Sequence[Scanned], queries: Matrix, limits: Sequence[int]) -> list[Ranked]:
    """The best memories for each query; one of several windows counts by its best one.

    Of two that are equally near the newer row comes first.

    Args:
        scanned: where to look.
        queries: shape ``(m, d)``.
        limits: most memories that are returned for each.
    """
    passed = sum(int(np.count_nonzero(each.passing)) for each in scanned)
    ranked = [Ranked((), ())] * len(queries)
    if not passed:
        return ranked
    asking = np.arange(len(queries))
    counts = np.asarray(limits, np.intp)
    if any(_has_windows(each.block) for each in scanned):
        counts = counts * WINDOWS
    while len(asking):
        questions = _questions(scanned, queries[asking], counts[asking])
        for i, question in zip(asking.tolist(), questions, strict=True):
            ranked[i] = best(*_computed(scanned, question, queries[i], counts[i]), limits[i])
        short = [len(ranked[i].keys) < limits[i] for i in asking.tolist()]
        asking = asking[short & (counts[asking] < passed)]  # many windows of few memories
        counts[asking] *= WINDOWS
    return ranked


def best(keys: Integers, scores: Vector, limit: int) -> Ranked:
    """The best ``limit`` memories among rows that have these keys and scores."""
    order = np.lexsort((-keys, -scores))
    found = dict[int, float]()
    for key, score in zip(keys[order].tolist(), scores[order].tolist(), strict=True):
        found.setdefault(key, score)
        if len(found) == limit:
            break
    return Ranked(tuple(found), tuple(found.values()))


def _has_windows(block: Block) -> bool:
    """Whether a memory has several rows: they lie side by side."""
    keys = block.key[: block.size]
    return bool((keys[1:] == keys[:-1]).any())


def _questions(scanned: Sequence[Scanned], queries: Matrix, counts: Places) -> Iterator[_Question]:
    """For each query the rows that may be among the so many best, and some others."""
    m = len(queries)
    floors, errors = np.full(m, _LOWEST), np.zeros(m, np.float32)
    owners, rows, scores = list[Places](), list[Places](), list[Vector]()
    for strip in _strips(scanned, queries):
        grouped = _grouped(strip.scores)
        tops = grouped.max(axis=1)
        # So many rows are as near as this, or nearer; those of other strips may raise it.
        floors = np.maximum(floors, _reached(strip.scores, tops, counts) - strip.errors)
        errors = np.maximum(errors, strip.errors)
        query, column = _reaching(grouped, tops, floors - strip.errors)
        owners.append(query)
        rows.append(strip.rows[column])
        scores.append(strip.scores[query, column])
    owner, row, score = np.concatenate(owners), np.concatenate(rows), np.concatenate(scores)
    order = np.argsort(owner, kind="stable")
    ends = np.cumsum(np.bincount(owner, minlength=m))[:-1]
    for i, mine in enumerate(np.split(order, ends)):
        yield _Question(row[mine], score[mine], errors[i])


def _strips(scanned: Iterable[Scanned], queries: Matrix) -> Iterator[_Strip]:
    """Estimates for all rows that pass; the scores of a strip are overwritten by the next one's."""
    few = CodedFew.of(queries)
    width = max(1, STRIP // (len(queries) * CODED)) * CODED
    number = 0
    for each in scanned:
        block, passing = each.block, each.passing
        coded = 0
        if np.count_nonzero(passing) * FEW > block.size:
            coded = len(block.coded) * CODED
            out = np.empty((len(queries), min(width, coded)), np.float32)
            for start in range(0, coded, width):
                yield _coded_strip(each, slice(start, min(start + width, coded)), few, out, number)
        places = coded + np.flatnonzero(passing[coded:])
        errors = few.lengths * np.float32(ROUNDING)
        for start in range(0, len(places), width):
            chosen = places[start : start + width]
            cosines = _cosines(block.matrix[chosen], queries)
            yield _Strip(np.ascontiguousarray(cosines.T), number + chosen, errors)
        number += block.size


def _coded_strip(each: Scanned, run: slice, few: CodedFew, out: Matrix, number: int) -> _Strip:
    """Estimates for a run of rows that are in codes, written to ``out``."""
    scores = out[:, : run.stop - run.start]
    errors = np.zeros(len(scores), np.float32)
    passing = each.passing[run]
    for start in range(0, scores.shape[1], CODED):
        if passing[start : start + CODED].any():
            coded = each.block.coded[(run.start + start) // CODED]
            few.products(coded, scores[:, start : start + CODED])
            errors = np.maximum(errors, few.errors_of(coded))
    if not passing.all():
        scores[:, ~passing] = -np.inf
    return _Strip(scores, np.arange(number + run.start, number + run.stop), errors)


def _cosines(matrix: Matrix, queries: Matrix) -> Matrix:
    """A search asks with one vector, an ingest with many."""
    return product(matrix, queries) if len(queries) == 1 else products(matrix, queries)


def _grouped(scores: Matrix) -> Matrix:
    """Scores in groups along the second axis, shape ``(m, members, groups)``: a view."""
    m, n = scores.shape
    members = 1 if n % GROUP else GROUP
    return scores.reshape(m, members, n // members)


def _reached(scores: Matrix, tops: Matrix, counts: Places) -> Vector:
    """For each query a score that so many rows or more reach; the lowest if there are fewer.

    As many groups have a top that reaches it, so that of many groups only these are looked at.
    """
    looked_at = tops if tops.shape[1] >= 2 * counts.max() else scores
    m, n = looked_at.shape
    places = np.maximum(n - counts, 0)
    reached = np.partition(looked_at, np.unique(places), axis=1)[np.arange(m), places]
    return np.where(counts < n, reached, _LOWEST)


def _reaching(grouped: Matrix, tops: Matrix, floors: Vector) -> tuple[Places, Places]:
    """Query and column of the scores that are not below the query's floor."""
    query, group = np.nonzero(tops >= floors[:, None])
    hit, member = np.nonzero(grouped[query, :, group] >= floors[query, None])
    return query[hit], member * tops.shape[1] + group[hit]


def _computed(
    scanned: Sequence[Scanned], question: _Question, query: Vector, count: int
) -> tuple[Integers, Vector]:
    """Keys and cosines of the rows that are among the ``count`` nearest, and of some others."""
    order = np.argsort(-question.scores)
    first, rest = order[:count], order[count:]
    keys, scores = _cosines_of(scanned, question.rows[first], query)
    if len(rest):
        near = rest[question.scores[rest] >= scores.min() - question.error]
        more_keys, more_scores = _cosines_of(scanned, question.rows[near], query)
        keys, scores = np.concatenate((keys, more_keys)), np.concatenate((scores, more_scores))
    return keys, scores


def _cosines_of(scanned: Sequence[Scanned], rows: Places, query: Vector) -> tuple[Integers, Vector]:
    """Keys and cosines of some rows; those of equal rows are equal, which a tie rests on."""
    keys, scores = np.empty(len(rows), np.int64), np.empty(len(rows), np.float32)
    number = 0
    for each in scanned:
        mine = (rows >= number) & (rows < number + each.block.size)
        places = rows[mine] - number
        keys[mine] = each.block.key[places]
        scores[mine] = np.vecdot(each.block.matrix[places], query)
        number += each.block.size
    return keys, scores
