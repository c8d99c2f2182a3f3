"""Estimates leave nothing out: the nearest are those of computing every cosine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.models.product_codes import CodedFew
from hypermnesia.store.protocol import Ranked
from hypermnesia.store.sqlite import dense_best, dense_block
from hypermnesia.store.sqlite.dense_best import Scanned, nearest
from hypermnesia.store.sqlite.dense_block import Block, Integers
from hypermnesia.types import Matrix, Vector

DIMENSION = 24
CODED = 64


@pytest.fixture(autouse=True, scope="module")
def small_runs() -> object:
    """Runs so short that a few hundred rows have many of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense_block, "CODED", CODED)
        patch.setattr(dense_best, "CODED", CODED)
        patch.setattr(dense_best, "STRIP", 3 * CODED)
        yield


def unit(rng: np.random.Generator, n: int, spread: float) -> Matrix:
    """Unit vectors, the nearer to one another the smaller ``spread`` is."""
    rows = np.ones(DIMENSION) + spread * rng.standard_normal((n, DIMENSION))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def block_of(matrix: Matrix, keys: Integers) -> Block:
    """A block of these rows, which came in two parts."""
    zeros = np.zeros(len(keys), np.int64)
    columns = [keys, zeros.astype(np.uint8), zeros.astype(np.uint8), zeros, zeros]
    half = len(keys) // 2
    block = Block.empty(DIMENSION).extended(matrix[:half], [c[:half] for c in columns])
    return block.extended(matrix[half:], [c[half:] for c in columns])


def computed(scanned: Sequence[Scanned], query: Vector, limit: int) -> Ranked:
    """The ranking by every cosine, without an estimate."""
    keys = np.concatenate([s.block.key[: s.block.size][s.passing] for s in scanned])
    rows = np.concatenate([s.block.matrix[: s.block.size][s.passing] for s in scanned])
    scores = np.vecdot(rows, query)
    best = dict[int, float]()
    for row in np.lexsort((-keys, -scores)):
        best.setdefault(int(keys[row]), float(scores[row]))
    return Ranked(tuple(best)[:limit], tuple(best.values())[:limit])


@given(
    seed=st.integers(0, 999),
    sizes=st.lists(st.integers(0, 400), max_size=3),
    windows=st.sampled_from([1, 1, 3, 100]),
    spread=st.sampled_from([0.0, 0.001, 0.03, 3.0]),
    share=st.sampled_from([0.0, 0.05, 0.5, 1.0]),
    limits=st.lists(st.sampled_from([1, 8, 64]), min_size=1, max_size=7),
)
def test_the_nearest_are_those_of_computing_all(
    seed: int,
    sizes: list[int],
    windows: int,
    spread: float,
    share: float,
    limits: list[int],
) -> None:
    """Of any blocks and filters; also where all lie within the error, or are the same."""
    rng = np.random.default_rng(seed)
    scanned = list[Scanned]()
    for number, size in enumerate(sizes):
        keys = 10_000 * number + np.arange(size) // windows
        scanned.append(
            Scanned(block_of(unit(rng, size, spread), keys), rng.random(size) <= share - 1e-9)
        )
    queries = unit(rng, len(limits), spread)
    asked = zip(queries, limits, strict=True)
    expected = [computed(scanned, *each) if scanned else Ranked((), ()) for each in asked]
    assert nearest(scanned, queries, limits) == expected


def test_equal_rows_rank_by_age_wherever_they_lie() -> None:
    """In codes or behind the last whole run: a tie goes to the newest."""
    matrix = np.tile(unit(np.random.default_rng(1), 1, 3.0), (3 * CODED + 5, 1))
    block = block_of(matrix, np.arange(len(matrix)))
    (ranked,) = nearest([Scanned(block, np.ones(block.size, np.bool_))], matrix[:1], [9])
    assert ranked.keys == tuple(range(block.size - 1, block.size - 10, -1))
    assert len(set(ranked.scores)) == 1


def test_few_cosines_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small part of the rows is in question, where these are far apart."""
    rng = np.random.default_rng(2)
    block = block_of(unit(rng, 40 * CODED, 9.0), np.arange(40 * CODED))
    seen = list[int]()
    plain = np.vecdot

    def watched(rows: Matrix, query: Vector) -> Vector:
        seen.append(len(rows))
        found: Vector = plain(rows, query)
        return found

    monkeypatch.setattr(np, "vecdot", watched)
    nearest([Scanned(block, np.ones(block.size, np.bool_))], unit(rng, 1, 9.0), [8])
    assert 8 <= sum(seen) <= block.size // 10


def test_runs_of_which_nothing_passes_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter by time leaves most of a block out."""
    rng = np.random.default_rng(3)
    block = block_of(unit(rng, 6 * CODED, 3.0), np.arange(6 * CODED))
    passing = np.arange(block.size) >= 5 * CODED
    products = list[int]()
    plain = CodedFew.products

    def watched(self: CodedFew, rows: dense_block.CodedRows, out: Matrix) -> None:
        products.append(rows.codes.shape[1])
        plain(self, rows, out)

    monkeypatch.setattr(CodedFew, "products", watched)
    scanned = [Scanned(block, passing)]
    query = unit(rng, 1, 3.0)
    assert nearest(scanned, query, [8]) == [computed(scanned, query[0], 8)]
    assert products == [CODED]


def test_every_whole_run_is_in_codes() -> None:
    """As rows are appended, when the block grows, and anew when it is compacted."""
    rng = np.random.default_rng(4)
    block = block_of(unit(rng, 5 * CODED + 1, 3.0), np.arange(5 * CODED + 1))
    kept = block.without(set(range(2 * CODED)))
    assert kept.size == 3 * CODED + 1
    for each, runs in ((block, 5), (kept, 3)):
        assert len(each.coded) == runs
        for i, coded in enumerate(each.coded):
            rows = each.matrix[i * CODED : (i + 1) * CODED]
            said = coded.codes.T * np.float32(coded.unit)
            assert np.linalg.norm(rows - said, axis=1).max() <= coded.error + 1e-6
