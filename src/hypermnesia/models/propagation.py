"""Propagation of embeddings over hyperedges (HyperMem, arXiv 2604.08256).

A hyperedge's embedding is the mean of its members', weighted by the softmax of their weights:
``h_e = sum_v softmax(w_e)_v h_v``. A node takes up a share of every edge that it belongs to:
``h'_v = h_v + lambda * sum_e h_e``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hypermnesia.types import Matrix, Vector

LAMBDA = 0.5
"""Share of its hyperedges that a node takes up (HyperMem, implementation details)."""


@dataclass(frozen=True, slots=True)
class Hyperedge:
    """The members of one hyperedge.

    Attributes:
        rows: positions of the members among the nodes, shape ``(k,)``, each at most once.
        weights: in [0, 1], shape ``(k,)``.
    """

    rows: npt.NDArray[np.intp]
    weights: npt.NDArray[np.float32]


def softmax(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Positive shares that sum to 1, shape ``(k,)``; weights are at most 1, so none overflows."""
    shares = np.exp(weights)
    return shares / shares.sum()


def edge_embedding(raw: Matrix, edge: Hyperedge) -> Vector:
    """Embedding of a hyperedge of nodes with embeddings ``raw`` ``(n, d)``, shape ``(d,)``."""
    return softmax(edge.weights) @ raw[edge.rows]


def propagate(raw: Matrix, edges: Sequence[Hyperedge], lam: float = LAMBDA) -> Matrix:
    """Embeddings of all nodes after one step, shape ``(n, d)``, not normalised.

    Args:
        raw: the nodes' own embeddings, shape ``(n, d)``.
        edges: hyperedges with at least one member each.
        lam: share of the hyperedges.
    """
    propagated = raw.copy()
    for edge in edges:
        propagated[edge.rows] += lam * edge_embedding(raw, edge)
    return propagated


def repropagate(
    raw: Matrix,
    propagated: Matrix,
    rows: npt.NDArray[np.intp],
    edges: Sequence[Hyperedge],
    lam: float = LAMBDA,
) -> None:
    """Bring some rows of ``propagated`` up to date, in place; the result is the batch's.

    Args:
        raw: the nodes' own embeddings, shape ``(n, d)``.
        propagated: out of date in ``rows``, shape ``(n, d)``.
        rows: which nodes to recompute.
        edges: every hyperedge that one of those nodes belongs to.
        lam: share of the hyperedges.
    """
    propagated[rows] = raw[rows]
    stale = np.zeros(len(raw), np.bool_)
    stale[rows] = True
    for edge in edges:
        own = edge.rows[stale[edge.rows]]
        propagated[own] += lam * edge_embedding(raw, edge)
