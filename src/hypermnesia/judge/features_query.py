"""Scalar features of a query against candidate memories, all candidates at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hypermnesia.judge import features_words as words
from hypermnesia.judge.features_text import SHORT, Token, tokenize
from hypermnesia.judge.protocol import Passage
from hypermnesia.models.product import product
from hypermnesia.types import Matrix

LEXICAL_FEATURES = 11
"""Columns of :func:`lexical_features`."""
VECTOR_FEATURES = 5
"""Columns of :func:`vector_features`."""
TYPICAL_COSINE = (0.33, 0.17)
"""Mean and deviation of the bundled encoder's cosines over shortlists (training pairs)."""
ENOUGH = 3
"""Cosines from which a mean and a deviation say something."""
TINY = 1e-6
"""Spread below which all cosines count as equal."""
DENSE_DIMENSION = 384
"""Dimension of the encoder that the heads were trained on."""

_PLACE_CUES = frozenset(
    ["in", "at", "to", "from", "near", "lives", "live", "moved", "city", "country", "office"]
)


@dataclass(frozen=True, slots=True)
class _Lexical:
    """What the lexical features need of one text."""

    stems: frozenset[str]
    exact: frozenset[str]
    names: frozenset[str]
    kinds: frozenset[str]
    lowers: frozenset[str]
    count: int
    asks: bool


@lru_cache(maxsize=8192)
def _lexical(text: str) -> _Lexical:
    tokens = tokenize(text)
    content = [t for t in tokens if t.kind != "stop" and t.surface not in "=?!"]
    return _Lexical(
        frozenset(t.stem for t in content),
        frozenset(t.stem for t in content if t.kind in {"number", "identifier"}),
        frozenset(t.stem for t in content if t.kind == "name"),
        frozenset(t.kind for t in content),
        frozenset(t.lower for t in tokens),
        len(tokens),
        text.rstrip().endswith("?"),
    )


def lexical_features(query: str, candidates: Sequence[str]) -> Matrix:
    """Overlap, exact matches and the fit of the answer's kind.

    Returns:
        Shape ``(n, LEXICAL_FEATURES)``.
    """
    asked = _lexical(query)
    weights = _importance(tokenize(query), [_lexical(c).stems for c in candidates])
    total = sum(weights.values()) or 1.0
    wants = _wanted(asked.lowers)
    rows = [_lexical_row(asked, _lexical(text), weights, total, wants) for text in candidates]
    return np.asarray(rows, np.float32).reshape(len(candidates), LEXICAL_FEATURES)


def _lexical_row(
    asked: _Lexical, told: _Lexical, weights: dict[str, float], total: float, wants: str
) -> list[float]:
    shared = asked.stems & told.stems
    names = asked.names
    exact_hit = len(asked.exact & told.exact) / max(len(asked.exact), 1)
    exact_miss = float(bool(asked.exact) and bool(told.exact) and not exact_hit)
    name_hit = len(names & told.stems) / max(len(names), 1)
    return [
        sum(weights[s] for s in shared if s in weights) / total,
        min(len(shared), 5) / 5,
        len(shared) / math.sqrt(max(len(told.stems), 1) * max(len(asked.stems), 1)),
        exact_hit,
        exact_miss,
        name_hit,
        float(bool(names) and bool(told.names) and not name_hit),
        _answer_fit(wants, told),
        float(told.asks),
        math.log1p(told.count) / 4,
        float(told.count <= SHORT),
    ]


def _importance(tokens: Sequence[Token], candidates: Sequence[frozenset[str]]) -> dict[str, float]:
    """Weight of each query stem: idf over the candidates, more for names and identifiers."""
    out: dict[str, float] = {}
    for token in tokens:
        if token.kind == "stop" or token.surface in "=?!":
            continue
        found = sum(token.stem in stems for stems in candidates)
        idf = math.log(1 + (len(candidates) + 1) / (found + 0.5))
        out[token.stem] = idf * (1.5 if token.kind in {"identifier", "number", "name"} else 1.0)
    return out


def _wanted(lowers: frozenset[str]) -> str:
    """Kind of answer a question asks for: ``who``, ``when``, ``where``, ``many`` or nothing."""
    if lowers & {"when", "date", "day", "year", "month"}:
        return "when"
    if "how" in lowers and lowers & {"many", "much", "old", "long", "often", "far", "big", "tall"}:
        return "many"
    if lowers & {"port", "number", "version", "price", "cost", "limit", "timeout", "count"}:
        return "many"
    return next((w for w in ("who", "where", "why") if w in lowers), "")


def _answer_fit(wants: str, told: _Lexical) -> float:
    """1 if the candidate holds the wanted kind of answer, -1 if it does not, 0 if unknown."""
    match wants:
        case "when":
            fits = bool(told.kinds & {"date", "number"}) or bool(
                told.lowers & {"ago", "last", "week"}
            )
        case "many":
            fits = bool(told.kinds & {"number", "identifier"})
        case "who":
            fits = "name" in told.kinds or bool(told.lowers & words.KIN)
        case "where":
            fits = "name" in told.kinds and bool(told.lowers & _PLACE_CUES)
        case "why":
            fits = bool(told.lowers & words.REASON)
        case _:
            return 0.0
    return 1.0 if fits else -1.0


def cosines(query: Passage, candidates: Sequence[Passage]) -> Matrix:
    """Best cosine of any window of the candidate to any of the query, shape ``(n,)``."""
    rows = np.concatenate([c.dense for c in candidates])
    best = product(rows, query.dense).max(axis=1)
    return np.maximum.reduceat(best, _starts([len(c.dense) for c in candidates])).astype(np.float32)


def typical(values: Matrix) -> Matrix:
    """Cosines of an unknown encoder, brought to the range of the bundled one.

    Several are standardised among themselves; a single one is taken as it is.
    """
    mean, deviation = TYPICAL_COSINE
    spread = float(values.std())
    if len(values) < ENOUGH or spread < TINY:
        return values
    return ((values - values.mean()) / spread * deviation + mean).astype(np.float32)


def vector_features(query: Passage, candidates: Sequence[Passage]) -> Matrix:
    """Cosine and late-interaction similarities.

    Returns:
        Shape ``(n, VECTOR_FEATURES)``: best cosine, weighted MaxSim of the query's tokens,
        their lower quartile, mean MaxSim of the candidate's tokens, best single token.
    """
    tokens = np.concatenate([c.tokens for c in candidates])
    starts = _starts([len(c.tokens) for c in candidates])
    similarity = product(tokens, query.tokens).T
    forward = np.maximum.reduceat(similarity, starts, axis=1)
    counts = np.diff(np.append(starts, len(tokens)))
    backward = np.add.reduceat(similarity.max(axis=0), starts) / counts
    weights = query.weights / max(float(query.weights.sum()), 1e-9)
    return np.stack(
        [
            cosines(query, candidates),
            weights @ forward,
            np.quantile(forward, 0.25, axis=0),
            backward,
            forward.max(axis=0),
        ],
        axis=1,
    ).astype(np.float32)


def _starts(lengths: Sequence[int]) -> npt.NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.intp)
