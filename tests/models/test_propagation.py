"""Propagation does what its formula says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.models.propagation import (
    LAMBDA,
    Hyperedge,
    edge_embedding,
    propagate,
    repropagate,
    softmax,
)
from hypermnesia.types import Matrix


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Matrix, list[Hyperedge]]:
    """A few nodes, in any hyperedges."""
    n = draw(st.integers(1, 8))
    raw = np.random.default_rng(draw(st.integers(0, 2**32))).standard_normal((n, 5))
    members = st.dictionaries(st.integers(0, n - 1), st.floats(0, 1), min_size=1)
    edges = [
        Hyperedge(np.array(list(edge), np.intp), np.array(list(edge.values()), np.float32))
        for edge in draw(st.lists(members, max_size=5))
    ]
    return raw.astype(np.float32), edges


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=20))
def test_shares_are_positive_and_sum_to_one(weights: list[float]) -> None:
    """And a greater weight never has the smaller share."""
    shares = softmax(np.array(weights, np.float32))
    assert np.isclose(shares.sum(), 1)
    assert (shares > 0).all()
    assert np.array_equal(
        np.argsort(shares[np.argsort(weights)], kind="stable"), range(len(shares))
    )


def test_an_edge_is_the_mean_of_its_members_when_they_weigh_the_same() -> None:
    """Whatever that weight is."""
    raw = np.eye(3, dtype=np.float32)
    for weight in (0.0, 1.0):
        edge = Hyperedge(np.array([0, 2]), np.full(2, weight, np.float32))
        assert np.allclose(edge_embedding(raw, edge), [0.5, 0, 0.5])


def test_a_node_takes_up_half_of_every_edge() -> None:
    """Lambda is 0.5, and edges add up."""
    raw = np.eye(3, dtype=np.float32)
    edges = [
        Hyperedge(np.array([0]), np.ones(1, np.float32)),
        Hyperedge(np.array([0, 1]), np.ones(2, np.float32)),
    ]
    assert LAMBDA == 0.5
    assert np.allclose(
        propagate(raw, edges), [[1 + 0.5 + 0.25, 0.25, 0], [0.25, 1.25, 0], [0, 0, 1]]
    )


@given(graphs(), st.floats(0, 2))
def test_the_batch_is_the_sum_over_every_edge_of_a_node(
    graph: tuple[Matrix, list[Hyperedge]], lam: float
) -> None:
    """Node by node, as the formula is written."""
    raw, edges = graph
    for i, row in enumerate(propagate(raw, edges, lam)):
        own = [edge_embedding(raw, edge) for edge in edges if i in edge.rows]
        assert np.allclose(row, raw[i] + lam * np.sum([np.zeros(5), *own], axis=0), atol=1e-5)


@given(graphs(), st.data())
def test_rows_brought_up_to_date_equal_the_batch(
    graph: tuple[Matrix, list[Hyperedge]], data: st.DataObject
) -> None:
    """Given the edges that those rows belong to; the others stay as they are."""
    raw, edges = graph
    stale = data.draw(st.sets(st.integers(0, len(raw) - 1)))
    rows = np.array(sorted(stale), np.intp)
    expected = propagate(raw, edges)
    found = expected.copy()
    found[rows] = np.nan
    repropagate(raw, found, rows, [edge for edge in edges if stale & set(edge.rows.tolist())])
    assert np.allclose(found, expected, atol=1e-6)
