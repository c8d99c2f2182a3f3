"""Late interaction: token vectors small enough to keep, and MaxSim over them.

A memory keeps one reduced vector per telling word piece; a query token is worth its best
match among them, and a memory the weighted mean of that over the query's tokens (ColBERT,
Khattab and Zaharia 2020). Reduction: stop-words and punctuation dropped, the leading
:data:`DIMENSIONS` principal directions, rotated so that every dimension carries the same
variance, and of each its sign alone. A vector is at a cosine of about sqrt(2 / pi) = 0.80 to
its signs, so MaxSim is that much lower than it would be of exact vectors.
``docs/explanation/retrieval.md`` has the measurements behind each choice, ``training/late.py``
fits the basis.

A blob is one version byte and then :data:`TOKEN_BYTES` a token, eight dimensions a byte, the
first in the lowest bit; a set bit is a positive value. The empty blob means: no token vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from hypermnesia.models.encoder import Encoding
from hypermnesia.models.product import product, products
from hypermnesia.types import Matrix, Vector

VERSION = 2
_CURRENT = bytes([VERSION])
"""First byte of a blob; a changed basis or packing takes the next number."""
DIMENSIONS = 256
"""Dimensions kept of each token vector, one bit each."""
TOKEN_BYTES = DIMENSIONS // 8
"""Bytes a token."""
TOKENS = 31
"""Token vectors a memory keeps at most, so that a blob with its version byte stays within
1 KB (993 bytes); neighbours in longer texts are pooled."""

UNPACKED = 128
"""Documents of which token vectors are unpacked at once (measured; 64 to 512 are as good)."""

# Every byte's eight signs side by side, so that unpacking is a single table look-up. At
# 1 / sqrt(DIMENSIONS) each, any DIMENSIONS of them are a unit vector.
_SIGNS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
_UNPACKED = (2 * _SIGNS.astype(np.float32) - 1) / np.sqrt(np.float32(DIMENSIONS))

FIRST_WORD = 1996
"""Id of the first whole word ("the") in the vocabulary of BERT uncased, ordered by frequency."""

Pieces: TypeAlias = npt.NDArray[np.int32]
"""Word-piece ids, shape ``(t,)``."""
Offsets: TypeAlias = npt.NDArray[np.int64]
"""Rows at which each document's tokens begin, and at which the last end, shape ``(n + 1,)``."""
Importance: TypeAlias = Callable[[Pieces], Vector]
"""Inverse document frequency, or something like it, of each piece; at least 0."""


@dataclass(frozen=True, slots=True)
class _Weights:
    """What training leaves: see ``training/late.py``.

    Attributes:
        basis: principal directions, rotated, shape ``(d, DIMENSIONS)``.
        stops: whether a piece is a stop-word or punctuation, shape ``(vocabulary,)``.
        marks: whether a piece has neither letter nor digit, shape ``(vocabulary,)``.
    """

    basis: Matrix
    stops: npt.NDArray[np.bool_]
    marks: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Reduced:
    """What is kept of a text's token vectors, before only their signs are.

    Attributes:
        places: of the pieces that are kept, shape ``(k,)``.
        vectors: their projections, shape ``(k, DIMENSIONS)``.
    """

    places: npt.NDArray[np.intp]
    vectors: Matrix


@cache
def _weights() -> _Weights:
    with (files("hypermnesia.models") / "weights" / "late.npz").open("rb") as file:
        arrays = np.load(file)
        return _Weights(
            basis=arrays["basis"].astype(np.float32), stops=arrays["stops"], marks=arrays["marks"]
        )


def compress(pieces: Pieces, tokens: Matrix) -> bytes:
    """Reduce a memory's token vectors to at most ``1 + TOKENS * TOKEN_BYTES`` bytes, 993.

    Args:
        pieces: word-piece ids, shape ``(t,)``.
        tokens: L2-normalised vector of each piece, shape ``(t, d)``.

    Returns:
        The blob; empty when nothing can be kept: no token vectors, no piece with a letter or
        digit, or vectors of another dimension than the bundled encoder's (no basis exists).
    """
    return compress_all([Encoding(tokens[:0], pieces, tokens)])[0]


def compress_all(encodings: Sequence[Encoding]) -> list[bytes]:
    """What :func:`compress` makes of each text, with one projection for all of them.

    A projection a text is many small matrix products, which cost more in starting threads than
    in arithmetic; and every step lets go of the interpreter lock, for which it then has to wait.
    """
    return pack_all([reduced.vectors for reduced in reduce_all(encodings)])


def reduce_all(encodings: Sequence[Encoding]) -> list[Reduced]:
    """The first step of :func:`compress_all`, for texts of which parts are to be packed, too."""
    places = [_telling(e.pieces, e.tokens) for e in encodings]
    kept = [e.tokens[where] for e, where in zip(encodings, places, strict=True) if len(where)]
    if not kept:
        return [Reduced(where, np.zeros((0, DIMENSIONS), np.float32)) for where in places]
    vectors = products(np.concatenate(kept), _weights().basis.T)
    ends = np.cumsum([0, *map(len, places)]).tolist()
    found = (vectors[start:end] for start, end in pairwise(ends))
    return list(map(Reduced, places, found))


def pack_all(texts: Sequence[Matrix]) -> list[bytes]:
    """The blobs of texts from their projected token vectors, shape ``(t, DIMENSIONS)`` each.

    Of a text with more than :data:`TOKENS`, consecutive ones are added up in as many groups of
    equal size. More than saving space, it takes away the advantage that a long text has in
    MaxSim: among many tokens some resemble anything.
    """
    if not any(map(len, texts)):
        return [b""] * len(texts)
    counts = list(map(len, texts))
    groups = [min(count, TOKENS) for count in counts]
    firsts = np.cumsum([0, *counts])[:-1].tolist()
    starts = [
        first + np.arange(groups) * count // groups
        for first, count, groups in zip(firsts, counts, groups, strict=True)
        if groups
    ]
    pooled = _added_up(_normalise(np.concatenate(texts)), np.concatenate(starts))
    bits = np.packbits(pooled > 0, axis=1, bitorder="little").tobytes()
    ends = (TOKEN_BYTES * np.cumsum(groups)).tolist()
    return [
        _CURRENT + bits[start:end] if end > start else b"" for start, end in pairwise([0, *ends])
    ]


def expand(blob: bytes) -> Matrix:
    """The L2-normalised token vectors of a blob, shape ``(t, DIMENSIONS)``; ``t`` may be 0."""
    if blob[:1] != _CURRENT:
        return np.zeros((0, DIMENSIONS), np.float32)
    packed = np.frombuffer(blob, np.uint8, offset=1)
    return np.take(_UNPACKED, packed, axis=0).reshape(-1, DIMENSIONS)


def expand_all(blobs: Sequence[bytes]) -> tuple[Matrix, Offsets]:
    """Unpack many blobs into one matrix.

    Returns:
        The concatenated token vectors, shape ``(t, DIMENSIONS)``, and their offsets,
        shape ``(len(blobs) + 1,)``: blob ``i`` owns rows ``offsets[i]`` to ``offsets[i + 1]``.
        A blob of another version has no rows, like an empty one.
    """
    bodies = [blob[1:] if blob[:1] == _CURRENT else b"" for blob in blobs]
    counts = np.fromiter(map(len, bodies), np.int64, len(bodies)) // TOKEN_BYTES
    packed = np.frombuffer(b"".join(bodies), np.uint8)
    # take() copies whole rows of the table; indexing with brackets is six times slower.
    tokens = np.take(_UNPACKED, packed, axis=0).reshape(-1, DIMENSIONS)
    return tokens, np.concatenate([[0], np.cumsum(counts)])


def query_tokens(encoding: Encoding, importance: Importance | None = None) -> tuple[Matrix, Vector]:
    """A query's reduced token vectors and their weights, the square root of importance.

    Args:
        encoding: the query as the encoder sees it.
        importance: see :data:`Importance`; ``None`` = :func:`rarity`.

    Returns:
        Vectors, shape ``(q, DIMENSIONS)``, and weights, shape ``(q,)``. Stop-words stay in with
        their small weight, punctuation does not; ``q`` is 0 when nothing is left.
    """
    pieces, tokens = encoding.pieces, encoding.tokens
    if not _fits(tokens):
        return np.zeros((0, DIMENSIONS), np.float32), np.zeros(0, np.float32)
    kept = ~_weights().marks[pieces]
    importances = (importance or rarity)(pieces[kept])
    reduced = _normalise(product(tokens[kept], _weights().basis.T))
    return reduced, np.sqrt(importances).astype(np.float32)


def rarity(pieces: Pieces) -> Vector:
    """How rare a piece is in English: the logarithm of its rank by frequency (Zipf's law).

    The vocabulary is ordered by frequency, so the id alone tells.
    """
    return np.log1p(np.maximum(pieces - FIRST_WORD, 0) + 1).astype(np.float32)


def token_maxima(query: Matrix, documents: Matrix, offsets: Offsets) -> Matrix:
    """Similarity of each query token to the nearest token of each document.

    Args:
        query: shape ``(q, p)``.
        documents: all documents' tokens, shape ``(t, p)``.
        offsets: shape ``(n + 1,)``, see :func:`expand_all`.

    Returns:
        Cosines, shape ``(q, n)``; NaN for a document without tokens.
    """
    maxima = np.full((len(query), len(offsets) - 1), np.nan, np.float32)
    filled = np.flatnonzero(np.diff(offsets))
    if len(filled) and len(query):
        similarities = product(documents, query)
        maxima[:, filled] = np.maximum.reduceat(similarities, offsets[filled], axis=0).T
    return maxima


def packed_maxima(query: Matrix, blobs: Sequence[bytes]) -> Matrix:
    """:func:`token_maxima` of compressed documents, ``(q, n)``.

    They are unpacked :data:`UNPACKED` at a time: unpacked all at once a thousand outgrow the
    processor's cache, and take nearly twice as long.
    """
    parts = [
        token_maxima(query, *expand_all(blobs[start : start + UNPACKED]))
        for start in range(0, len(blobs), UNPACKED)
    ]
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(query), 0), np.float32)


def maxsim(query: Matrix, weights: Vector, documents: Matrix, offsets: Offsets) -> Vector:
    """Weighted mean, over the query's tokens, of :func:`token_maxima`.

    Returns:
        Scores in [-1, 1], shape ``(n,)``; NaN where nothing can be said: a document without
        tokens, or a query without weight.
    """
    if not weights.sum():
        return np.full(len(offsets) - 1, np.nan, np.float32)
    return weighted(token_maxima(query, documents, offsets), weights)


def weighted(maxima: Matrix, weights: Vector) -> Vector:
    """:func:`maxsim` from maxima that are known already, ``(q, n)``."""
    total = weights.sum()
    if not total:
        return np.full(maxima.shape[1], np.nan, np.float32)
    return np.einsum("q,qn->n", weights / total, maxima)


def _fits(tokens: Matrix) -> bool:
    return len(tokens) > 0 and tokens.shape[1] == len(_weights().basis)


def _telling(pieces: Pieces, tokens: Matrix) -> npt.NDArray[np.intp]:
    """Positions of the pieces to keep: no stop-words, unless there is nothing else."""
    if not _fits(tokens):
        return np.zeros(0, np.intp)
    telling = np.flatnonzero(~_weights().stops[pieces])
    return telling if len(telling) else np.flatnonzero(~_weights().marks[pieces])


def _added_up(rows: Matrix, starts: npt.NDArray[np.intp]) -> Matrix:
    """``np.add.reduceat(rows, starts, axis=0)``, much faster where most sums are of few rows."""
    sizes = np.diff(starts, append=len(rows))
    sums = rows[starts]
    for further in range(1, int(sizes.max())):
        more = sizes > further
        sums[more] += rows[starts[more] + further]
    return sums


def _normalise(vectors: Matrix) -> Matrix:
    norm = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.maximum(norm, 1e-12)
