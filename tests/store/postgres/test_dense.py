"""Vectors: exact among few, by the index among many, and never starved by a filter."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
import pytest

from hypermnesia.store.postgres import dense
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.protocol import Filter, Record
from hypermnesia.store.text import identity_hash
from hypermnesia.types import Matrix
from tests.store.bench import Bench, node, vector
from tests.store.embedders import HashEmbedder

MANY = 400


def unit(rows: npt.NDArray[Any]) -> Matrix:
    """Rows of length 1."""
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def fill(store: PostgresStore, dimension: int, number: int = MANY) -> Matrix:
    """Random vectors, the last of which carries a label."""
    matrix = unit(np.random.default_rng(0).standard_normal((number, dimension)))
    with store.write() as writer:
        for i, row in enumerate(matrix):
            item = node(f"text {i}", tags=("rare",) if i == number - 1 else ())
            writer.insert(Record(item, identity_hash(item), row[None], b""))
    return matrix


def test_the_index_finds_what_the_exact_comparison_finds(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearly all of it, with the same cosines, and many queries at once."""
    matrix = fill(store, 32)
    queries = unit(matrix[:8] + 0.3)
    exact = store.nearest(Filter("a"), queries, 10)
    monkeypatch.setattr(dense, "EXACT", -1)
    indexed = store.nearest(Filter("a"), queries, 10)
    shared = [len(set(e.keys) & set(i.keys)) for e, i in zip(exact, indexed, strict=True)]
    assert np.mean(shared) >= 9.5
    for e, i in zip(exact, indexed, strict=True):
        known = dict(zip(e.keys, e.scores, strict=True))
        for key, score in zip(i.keys, i.scores, strict=True):
            if key in known:
                assert score == pytest.approx(known[key], abs=1e-6)


def test_cosines_are_those_of_the_stored_halves(store: PostgresStore) -> None:
    """What float16 keeps, to the last digit that float32 sums."""
    matrix = fill(store, 32, 50)
    kept = matrix.astype(np.float16).astype(np.float32)
    (found,) = store.nearest(Filter("a"), matrix[:1], 50)
    query = kept[0]
    cosines = kept @ query / (np.linalg.norm(kept, axis=1) * np.linalg.norm(query))
    assert np.allclose(found.scores, np.sort(cosines)[::-1], atol=1e-5)


def test_the_index_is_walked_until_a_filter_is_content(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in four hundred, and the farthest of all."""
    matrix = fill(store, 32)
    monkeypatch.setattr(dense, "EXACT", -1)
    (found,) = store.nearest(Filter("a", tags=("rare",)), -matrix[-1:], 5)
    assert len(found.keys) == 1


def test_the_index_is_used_when_there_is_much(
    store: PostgresStore,
    admin: psycopg.Connection[tuple[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not merely there: the server has counted its scans when the session is over."""
    matrix = fill(store, 32)
    monkeypatch.setattr(dense, "EXACT", -1)
    before = scans(admin)
    store.nearest(Filter("a"), matrix[:3], 5)
    store.close()
    deadline = time.monotonic() + 60
    while scans(admin) < before + 3:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def scans(admin: psycopg.Connection[tuple[int]]) -> int:
    """How often the vectors' indexes of the store were scanned."""
    row = admin.execute(
        "SELECT coalesce(sum(idx_scan), 0)::bigint FROM pg_stat_user_indexes"
        " WHERE schemaname = current_schema() AND indexrelname LIKE 'chunk_nearest_%'"
    ).fetchone()
    assert row is not None
    return row[0]


def test_windows_of_one_memory_do_not_push_out_others(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long text has many vectors; it still takes one place."""
    monkeypatch.setattr(dense, "EXACT", -1)
    near = unit(np.random.default_rng(1).standard_normal((1, 32)))
    with store.write() as writer:
        long, short = node("long"), node("short")
        many = unit(near + 0.01 * np.random.default_rng(2).standard_normal((60, 32)))
        writer.insert(Record(long, identity_hash(long), many, b""))
        writer.insert(Record(short, identity_hash(short), unit(near + 1.0), b""))
    (found,) = store.nearest(Filter("a"), near, 2)
    assert len(found.keys) == 2


def test_vectors_too_long_for_an_index_are_compared_exactly(postgres_url: str) -> None:
    """Pgvector indexes up to 4,000 halves; more can be stored and searched."""
    embedder = HashEmbedder(dimension=4_100, name="long")
    store = PostgresStore(postgres_url, embedder.identity, embedder.dimension)
    with store.write() as writer:
        for text in ("alpha", "beta"):
            item = node(text)
            (encoding,) = embedder.encode([text])
            writer.insert(Record(item, identity_hash(item), encoding.dense, b""))
    (found,) = store.nearest(Filter("a"), embedder.encode_queries(["beta"])[0].dense, 5)
    nodes = store.nodes(Filter("a"), found.keys)
    assert [nodes[key].content for key in found.keys] == ["beta", "alpha"]
    assert store.check().problems == ()
    store.close()


def test_equal_memories_come_newest_first(bench: Bench) -> None:
    """Ties have an order, so that pages of results are stable."""
    bench.put(node("alpha", level="fact"), node("alpha", level="topic"))
    (found,) = bench.store.nearest(Filter("a"), vector("alpha"), 5)
    assert list(found.keys) == sorted(found.keys, reverse=True)
