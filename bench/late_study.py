"""How small token vectors may be: MaxSim over all memories for several ways to store them.

Run from the repository's root; see ``bench/recall_study.py`` for the folders::

    .venv/bin/python -m bench.late_study --data DIR --cache DIR2
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from training.late import Mask, corpus, piece_kinds, principal, spread, vocabulary

from bench.published import publish
from bench.recall_data import MEASURES, Collection, beam, encoded, locomo, measure
from hypermnesia.evals.stored import storable
from hypermnesia.models.encoder import Encoding, OnnxEncoder
from hypermnesia.models.late import Pieces, maxsim, rarity
from hypermnesia.types import Matrix, Vector

PROJECT_TEXTS = 5000
"""Texts of the training corpus that the project's basis is fitted on here."""
SEED = 1
RESULTS = Path("results", "published", "late-study.json")
"""What the page refers to."""

Pool = Callable[[Pieces, Matrix, int], Matrix]
"""Brings the vectors of a text, ``(t, p)``, down to a number."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to store and weigh token vectors.

    Attributes:
        basis: whose principal directions: ``project``, ``own`` (the data set's), ``random``, or
            ``none`` (all dimensions).
        bits: a dimension; 0 = no quantisation.
        cap: vectors a memory at most; 0 = all.
        weights: of query tokens: ``rarity``, ``idf`` (of the store) or ``equal``.
    """

    basis: str = "project"
    dimensions: int = 256
    bits: int = 1
    cap: int = 31
    pool: str = "mean"
    stop_words: bool = False
    weights: str = "rarity"


SHIPPED = Variant()
VARIANTS = {
    "as shipped": SHIPPED,
    "not reduced, no cap": Variant(basis="none", dimensions=384, bits=0, cap=0),
    "the same, with stop-words": Variant("none", 384, bits=0, cap=0, stop_words=True),
    "no cap": replace(SHIPPED, cap=0),
    "cap 16": replace(SHIPPED, cap=16),
    "cap 24": replace(SHIPPED, cap=24),
    "cap 48": replace(SHIPPED, cap=48),
    "cap 64": replace(SHIPPED, cap=64),
    "the rarest 31 pieces": replace(SHIPPED, pool="rarest"),
    "with stop-words": replace(SHIPPED, stop_words=True),
    "256 dimensions, not quantised": replace(SHIPPED, bits=0),
    "192 dimensions, 1 bit": replace(SHIPPED, dimensions=192),
    "384 dimensions, 1 bit": replace(SHIPPED, dimensions=384),
    "128 dimensions, 2 bits": replace(SHIPPED, dimensions=128, bits=2),
    "192 dimensions, 2 bits": replace(SHIPPED, dimensions=192, bits=2),
    "128 dimensions, 3 bits": replace(SHIPPED, dimensions=128, bits=3),
    "96 dimensions, 4 bits": replace(SHIPPED, dimensions=96, bits=4),
    "basis of the data": replace(SHIPPED, basis="own"),
    "random basis": replace(SHIPPED, basis="random"),
    "equal weights": replace(SHIPPED, weights="equal"),
    "weights from idf of the store": replace(SHIPPED, weights="idf"),
}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A collection with its encodings, texts and questions."""

    collection: Collection
    texts: list[Encoding]
    questions: list[Encoding]


@dataclass(frozen=True, slots=True)
class Study:
    """What all variants share.

    Attributes:
        stops: which pieces are dropped, ``(vocabulary,)``.
        marks: which pieces have neither letter nor digit, ``(vocabulary,)``.
        project: token vectors the project's basis is fitted on, ``(n, 384)``.
    """

    stops: Mask
    marks: Mask
    project: Matrix

    def basis(self, variant: Variant, data: Sequence[Prepared]) -> Matrix:
        """Rotated directions, ``(384, dimensions)``."""
        match variant.basis:
            case "project":
                directions = principal(self.project, variant.dimensions)
            case "own":
                kept = [e.tokens[~self.stops[e.pieces]] for p in data for e in p.texts]
                directions = principal(np.concatenate(kept)[:200_000], variant.dimensions)
            case _:
                directions = np.eye(384, dtype=np.float32)
                rotated = spread(directions, SEED)
                return rotated[:, : variant.dimensions]
        return spread(directions, SEED)

    def kept(self, pieces: Pieces, variant: Variant) -> Mask:
        """Which pieces of a text are stored."""
        telling = ~(self.marks if variant.stop_words else self.stops)[pieces]
        return telling if telling.any() else np.ones(len(pieces), bool)


def mean_pool(_pieces: Pieces, vectors: Matrix, count: int) -> Matrix:
    """Consecutive vectors averaged, as shipped."""
    starts = np.arange(count) * len(vectors) // count
    return unit(np.add.reduceat(vectors, starts, axis=0))


def rarest(pieces: Pieces, vectors: Matrix, count: int) -> Matrix:
    """The vectors of the rarest pieces, each piece's first occurrence before any repeat."""
    first = np.zeros(len(pieces), bool)
    first[np.unique(pieces, return_index=True)[1]] = True
    return vectors[np.lexsort((-rarity(pieces), ~first))[:count]]


POOLS: dict[str, Pool] = {"mean": mean_pool, "rarest": rarest}


def quantised(vectors: Matrix, bits: int) -> Matrix:
    """Each value replaced by the nearest of ``2 ** bits`` levels fitted to a normal variable."""
    if not bits:
        return vectors
    normal = np.random.default_rng(SEED).normal(size=100_000) / np.sqrt(vectors.shape[1])
    levels = np.quantile(normal, (np.arange(2**bits) + 0.5) / 2**bits)
    for _ in range(50):  # Lloyd 1982
        nearest = np.searchsorted((levels[1:] + levels[:-1]) / 2, normal)
        levels = np.bincount(nearest, normal, 2**bits) / np.bincount(nearest, minlength=2**bits)
    nearest = np.searchsorted((levels[1:] + levels[:-1]) / 2, vectors)
    return unit(levels.astype(np.float32)[nearest])


def unit(vectors: Matrix) -> Matrix:
    """Rows at length 1."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def ranked(study: Study, variant: Variant, data: Sequence[Prepared]) -> Iterator[tuple[float, ...]]:
    """:data:`MEASURES` of every question, and the mean bytes of a memory of its store."""
    basis = study.basis(variant, data)
    for prepared in data:
        documents: list[Matrix] = []
        for e in prepared.texts:
            kept = study.kept(e.pieces, variant)
            vectors = unit(e.tokens[kept].astype(np.float32) @ basis)
            if variant.cap and len(vectors) > variant.cap:
                vectors = POOLS[variant.pool](e.pieces[kept], vectors, variant.cap)
            documents.append(vectors)
        offsets = np.concatenate([[0], np.cumsum([len(d) for d in documents])])
        stored = quantised(np.concatenate(documents), variant.bits)
        size = float(offsets[-1] / len(documents) * variant.dimensions * (variant.bits or 32) / 8)
        idf = _idf(prepared.texts) if variant.weights == "idf" else np.zeros(0)
        for e, gold in zip(prepared.questions, prepared.collection.gold, strict=True):
            pieces = e.pieces[~study.marks[e.pieces]]
            query = unit(e.tokens[~study.marks[e.pieces]].astype(np.float32) @ basis)
            weights = {"rarity": rarity, "idf": idf.__getitem__, "equal": np.ones_like}
            weight = np.sqrt(weights[variant.weights](pieces)).astype(np.float32)
            scores = maxsim(query, weight, stored, offsets)
            yield *measure(np.argsort(-scores, kind="stable")[:10], gold), size


def _idf(texts: Sequence[Encoding], vocabulary_size: int = 30522) -> Vector:
    frequency = np.zeros(vocabulary_size, np.float32)
    for e in texts:
        frequency[np.unique(e.pieces)] += 1
    rest = len(texts) - frequency
    return np.log1p((rest + 0.5) / (frequency + 0.5)).astype(np.float32)


def main() -> None:
    """Measure every variant on both data sets; print a table each, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    encoder = OnnxEncoder()
    pieces = vocabulary(encoder)
    stops, marks = piece_kinds(pieces)
    project = encoded(encoder, "project", corpus(pieces, PROJECT_TEXTS), options.cache)
    kept = np.concatenate([e.tokens[~stops[e.pieces]] for e in project]).astype(np.float32)
    study = Study(stops, marks, kept)
    sets = {
        "locomo": ("LoCoMo", locomo(options.data / "locomo-dev.json")),
        "beam": ("BEAM 100K", beam(options.data / "beam-dev")),
    }
    tables = {
        key: storable(
            f"{name}: token vectors",
            ("token vectors", *MEASURES, "bytes a memory"),
            _rows(study, encoder, collections, options.cache),
            {"columns": [".3f"] * len(MEASURES) + [",.0f"]},
        )
        for key, (name, collections) in sets.items()
    }
    publish(RESULTS, "python -m bench.late_study --data DIR", tables)


def _rows(
    study: Study, encoder: OnnxEncoder, collections: Iterable[Collection], cache: Path
) -> Iterator[tuple[str, *tuple[float, ...]]]:
    data = [
        Prepared(
            c,
            encoded(encoder, c.name, c.texts, cache),
            encoded(encoder, f"{c.name}-questions", c.questions, cache),
        )
        for c in collections
    ]
    for name, variant in VARIANTS.items():
        yield name, *map(float, np.mean(list(ranked(study, variant, data)), axis=0))


if __name__ == "__main__":
    main()
