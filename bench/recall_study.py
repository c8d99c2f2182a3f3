"""How the channels of a search are best fused: the tables of ``docs/explanation/retrieval.md``.

Run from the repository's root; ``DIR`` holds ``locomo-dev.json`` and ``beam-dev/*.json``::

    .venv/bin/python -m bench.recall_study --data DIR --cache DIR2
    .venv/bin/hypermnesia eval verify --write

Each memory stands alone: no session window, speaker, date or link is used. "Held out": weights
chosen on all conversations but one and reported on that one.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from bench.published import publish
from bench.recall_data import (
    MEASURES,
    Collection,
    beam,
    encoded,
    locomo,
    measure,
    synthetic,
)
from hypermnesia.evals.stored import storable
from hypermnesia.models import late
from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.read.fuse import LATE, NO_LATE, Logistic, ranking, reciprocal_rank_fusion, z_scores
from hypermnesia.store.lexicon import TOKENIZER, index_terms, match_expression, query_terms
from hypermnesia.types import Matrix, Vector

DEPTH = 60
"""Candidates each of the two first channels brings (DGUI-HyperMem, read path)."""
SMALL = (2, 3, 5, 12)  # sizes of the small stores
RESULTS = Path("results", "published", "recall-study.json")
"""What the page refers to."""

Fusion = Callable[[Vector, Vector, Vector], Vector]
"""Scores of the candidates from their (lexical, dense, late) values, each ``(n,)``."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Every channel's score of every memory for every question of a collection, ``(q, n)``."""

    collection: Collection
    lexical: Matrix
    dense: Matrix
    late: Matrix
    bytes_each: float


def score(memories: Collection, asked: Collection, encoder: OnnxEncoder, cache: Path) -> Scored:
    """Ask the questions of one collection in the store of another (usually the same)."""
    texts = encoded(encoder, memories.name, memories.texts, cache)
    queries = encoded(encoder, f"{asked.name}-questions", asked.questions, cache)
    windows = np.concatenate([[0], np.cumsum([len(e.dense) for e in texts])[:-1]])
    cosines = np.stack([q.dense[0] for q in queries]) @ np.concatenate([e.dense for e in texts]).T
    blobs = [late.compress(e.pieces, e.tokens.astype(np.float32)) for e in texts]
    documents, offsets = late.expand_all(blobs)
    reduced = [late.query_tokens(q) for q in queries]
    return Scored(
        asked,
        lexical=lexical_scores(memories.texts, asked.questions),
        dense=np.maximum.reduceat(cosines, windows, axis=1),
        late=np.stack([late.maxsim(q, w, documents, offsets) for q, w in reduced]),
        bytes_each=float(np.mean(list(map(len, blobs)))),
    )


def lexical_scores(texts: Sequence[str], questions: Sequence[str]) -> Matrix:
    """BM25 of FTS5 over analysed text, ``(q, n)``; 0 where no term matches."""
    database = apsw.Connection(":memory:")
    database.execute(
        f'CREATE VIRTUAL TABLE i USING fts5(terms, content="", tokenize="{TOKENIZER}")'
    )
    with database:
        rows = ((i, index_terms(text)) for i, text in enumerate(texts))
        database.executemany("INSERT INTO i(rowid, terms) VALUES (?, ?)", rows)
    scores = np.zeros((len(questions), len(texts)), np.float32)
    for row, question in enumerate(questions):
        expression = match_expression(query_terms(question))
        if expression:
            found = database.execute("SELECT rowid, bm25(i) FROM i WHERE i MATCH ?", (expression,))
            for rowid, bm25 in found:
                scores[row, int(rowid)] = -bm25
    return scores


def candidates(lexical: Vector, dense: Vector, depth: int) -> npt.NDArray[np.intp]:
    """Positions that either of the first two channels brings, at most ``2 * depth``."""
    keys = range(len(dense))
    first = [*ranking(keys, lexical)[:depth], *np.argsort(-dense, kind="stable")[:depth]]
    return np.unique(np.array(first, np.intp))


def order(scored: Scored, row: int, fusion: Fusion, depth: int) -> npt.NDArray[np.intp]:
    """The ten best memories for one question."""
    lexical, dense, tokens = scored.lexical[row], scored.dense[row], scored.late[row]
    found = candidates(lexical, dense, depth)
    fused = fusion(lexical[found], dense[found], tokens[found])
    best = np.argsort(-fused, kind="stable")[:10]
    return found[best[fused[best] > -np.inf]]


def measures(scored: Iterable[Scored], fusion: Fusion, depth: int = DEPTH) -> Matrix:
    """:data:`MEASURES` of every question, ``(questions, 4)``."""
    rows = [
        measure(order(s, row, fusion, depth), gold)
        for s in scored
        for row, gold in enumerate(s.collection.gold)
    ]
    return np.array(rows, np.float32)


def reciprocal(weights: Sequence[float]) -> Fusion:
    """Reciprocal rank fusion with weights of (lexical, dense, late)."""

    def fuse(*channels: Vector) -> Vector:
        keys = range(len(channels[0]))
        ranked = [ranking(keys, c + (0.0 if i == 0 else 2.0)) for i, c in enumerate(channels)]
        fused = reciprocal_rank_fusion(ranked, weights)
        return np.array([fused.get(key, -np.inf) for key in keys], np.float32)

    return fuse


def standard(weights: Sequence[float]) -> Fusion:
    """Sum of z-scores with weights of (lexical, dense, late)."""

    def fuse(*channels: Vector) -> Vector:
        parts = [w * z_scores(c) for w, c in zip(weights, channels, strict=True)]
        return np.asarray(np.sum(parts, axis=0), np.float32)

    return fuse


def absolute(weights: Sequence[float]) -> Fusion:
    """Sum of values, BM25 as a share of the best, with weights of (lexical, dense, late)."""
    share, cosine, maxsim = weights
    return lambda b, c, x: np.asarray(
        share * b / max(float(b.max(initial=0)), 1e-9) + cosine * c + maxsim * x, np.float32
    )


def lexical_only(lexical: Vector, _dense: Vector, _late: Vector) -> Vector:
    """BM25; what matches no term is not found."""
    return np.where(lexical > 0, lexical, -np.inf).astype(np.float32)


def _weights(logistic: Logistic) -> tuple[float, float, float]:
    return logistic.lexical, logistic.dense, logistic.late


NAMED: Mapping[str, tuple[Fusion, int]] = {
    "lexical": (lexical_only, DEPTH),
    "dense": (absolute((0, 1, 0)), DEPTH),
    "RRF, lexical 1": (reciprocal((1, 1, 0)), DEPTH),
    "RRF, lexical 0.3": (reciprocal((0.3, 1, 0)), DEPTH),
    "z-scores, lexical 1, no MaxSim": (standard((1, 1, 0)), DEPTH),
    "absolute, no MaxSim (NO_LATE)": (absolute(_weights(NO_LATE)), DEPTH),
    "RRF of all three": (reciprocal((1, 1, 1)), DEPTH),
    "MaxSim, depth 20": (absolute((0, 0, 1)), 20),
    "MaxSim, depth 60": (absolute((0, 0, 1)), 60),
    "MaxSim, depth 200": (absolute((0, 0, 1)), 200),
    "z-scores, weights of LATE": (standard(_weights(LATE)), DEPTH),
    "absolute, 1 : 0.2 : 0.05": (absolute((0.05, 0.2, 1)), DEPTH),
    "absolute, 1 : 0.35 : 0.1": (absolute((0.1, 0.35, 1)), DEPTH),
    "absolute, 1 : 0.35 : 0.05 (LATE, the default)": (absolute(_weights(LATE)), DEPTH),
}
GRID = tuple(product((0, 0.05, 0.1, 0.2, 0.4), (0, 0.1, 0.2, 0.4, 0.8), (1.0,)))
"""Weights of (lexical, dense, late) that are tried."""


def held_out(scored: Sequence[Scored], family: Callable[[Sequence[float]], Fusion]) -> Vector:
    """Mean measures, weights for each collection chosen on the others by R@10 + nDCG@10."""
    each = np.array([[measures([s], family(w)).mean(0) for s in scored] for w in GRID])
    sizes = np.array([len(s.collection.questions) for s in scored])
    chosen: list[Vector] = []
    for left_out in range(len(scored)):
        others = np.where(np.arange(len(scored)) == left_out, 0, sizes)
        means = np.average(each, axis=1, weights=others)
        chosen.append(each[int((means[:, 1] + means[:, 2]).argmax()), left_out])
    return np.average(chosen, axis=0, weights=sizes)


def pooled(scored: Iterable[Scored], fusion: Fusion) -> tuple[Vector, npt.NDArray[np.bool_]]:
    """Scores of all candidates of all questions, and whether each is evidence."""
    values: list[Vector] = []
    relevant: list[bool] = []
    for s in scored:
        for row, gold in enumerate(s.collection.gold):
            found = candidates(s.lexical[row], s.dense[row], DEPTH)
            values.append(fusion(s.lexical[row][found], s.dense[row][found], s.late[row][found]))
            relevant += [int(i) in gold for i in found]
    return np.concatenate(values), np.array(relevant)


def fit(scored: Iterable[Scored], logistic: Logistic) -> tuple[float, float, float]:
    """Slope and threshold of a balanced logistic regression, and the area under the curve."""
    values, relevant = pooled(scored, absolute(_weights(logistic)))
    model = LogisticRegression(class_weight="balanced", C=1e4).fit(values[:, None], relevant)
    slope = float(model.coef_[0, 0])
    return slope, -float(model.intercept_[0]) / slope, float(roc_auc_score(relevant, values))


def best_scores(scored: Iterable[Scored], fusion: Fusion) -> list[float]:
    """The score of the best memory for every question."""
    return [
        float(np.max(fusion(s.lexical[row], s.dense[row], s.late[row])))
        for s in scored
        for row in range(len(s.collection.questions))
    ]


def small_store(scored: Iterable[Scored], fusion: Fusion, size: int, seed: int = 0) -> float:
    """Mean reciprocal rank of one evidence memory among ``size - 1`` others, drawn at random.

    Others picked by a channel's own score would be biased against that channel.
    """
    rng = np.random.default_rng(seed)
    ranks: list[float] = []
    for s in scored:
        for row, gold in enumerate(s.collection.gold):
            others = [i for i in range(len(s.collection.texts)) if i not in gold]
            picked = [min(gold), *rng.choice(others, size - 1, replace=False)]
            fused = fusion(s.lexical[row][picked], s.dense[row][picked], s.late[row][picked])
            ranks.append(1 / (1 + int((fused[1:] >= fused[0]).sum())))
    return float(np.mean(ranks))


def tables_of(
    key: str, name: str, scored: Sequence[Scored], foreign: Sequence[Scored]
) -> dict[str, dict[str, Any]]:
    """The tables of one data set, their names beginning with ``key``.

    Args:
        key: the data set's name in the results.
        name: the data set's name in captions.
        scored: its questions asked where their answers are.
        foreign: its questions asked in another store.
    """
    questions = sum(len(s.collection.questions) for s in scored)
    stored = float(np.mean([s.bytes_each for s in scored]))
    rows = [(label, *_means(scored, *named)) for label, named in NAMED.items()]
    if len(scored) > 1:
        families = {"z-scores": standard, "absolute": absolute}
        rows += [(f"{k}, held out", *held_out(scored, f)) for k, f in families.items()]
    compared = [
        k for k in NAMED if k.startswith(("RRF of all", "absolute, 1")) or "z-scores, w" in k
    ]
    fitted = {"LATE": LATE, "NO_LATE": NO_LATE}
    return {
        f"{key}-fusion": storable(
            f"{name}: {questions} questions, {stored:.0f} bytes of token vectors a memory",
            ("fusion", *MEASURES),
            rows,
        ),
        f"{key}-logistic": storable(
            f"{name}: the logistic",
            _FITTED,
            ((k, *fit(scored, v), *_own_or_foreign(scored, foreign, v)) for k, v in fitted.items()),
        ),
        f"{key}-small": storable(
            f"{name}: small stores",
            ("MRR in a store of", *map(str, SMALL)),
            ((k, *(small_store(scored, NAMED[k][0], n) for n in SMALL)) for k in compared),
        ),
    }


_FITTED = (
    "logistic",
    "slope",
    "threshold",
    "AUC, evidence",
    "AUC, own or foreign",
    "own",
    "foreign",
)


def _means(scored: Sequence[Scored], fusion: Fusion, depth: int) -> list[float]:
    return [float(value) for value in measures(scored, fusion, depth).mean(axis=0)]


def _own_or_foreign(
    own: Sequence[Scored], foreign: Sequence[Scored], logistic: Logistic
) -> tuple[float, float, float]:
    """Area under the curve, and the shares of best scores of at least 0.5 as shipped."""
    fusion = absolute(_weights(logistic))
    best = [np.array(best_scores(scored, fusion)) for scored in (own, foreign)]
    labels = np.repeat([True, False], [len(scores) for scores in best])
    shares = [float((scores >= logistic.threshold).mean()) for scores in best]
    return float(roc_auc_score(labels, np.concatenate(best))), shares[0], shares[1]


def main() -> None:
    """Score every data set at hand; print their tables, and keep them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="locomo-dev.json and beam-dev/")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    sets = {
        "synthetic": ("Synthetic", list(synthetic())),
        "locomo": ("LoCoMo", list(locomo(options.data / "locomo-dev.json"))),
        "beam": ("BEAM 100K", list(beam(options.data / "beam-dev"))),
    }
    encoder = OnnxEncoder()
    tables: dict[str, dict[str, Any]] = {}
    for key, (name, collections) in sets.items():
        scored = [score(c, c, encoder, options.cache) for c in collections]
        # A question asked in the next store: nothing there answers it.
        others = collections[1:] + collections[:1]
        foreign = [
            score(o, c, encoder, options.cache) for c, o in zip(collections, others, strict=True)
        ]
        tables |= tables_of(key, name, scored, foreign)
    publish(RESULTS, "python -m bench.recall_study --data DIR", tables)


if __name__ == "__main__":
    main()
