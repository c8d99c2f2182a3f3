"""Does a new memory replace an old one? Two experts and the gate between them.

Statements are decided by gradient-boosted trees over the explicit features of the pair
(:mod:`~hypermnesia.judge.features_pair`). For preferences told with their reasons the words
differ even where the subject is the same, and plain similarity decides best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hypermnesia.judge.features_pair import pair_features
from hypermnesia.judge.features_query import cosines
from hypermnesia.judge.features_reading import read
from hypermnesia.judge.local_heads import Floats, sigmoid, trees
from hypermnesia.judge.protocol import Passage
from hypermnesia.types import Matrix

AT_THRESHOLD = math.log(4)
"""Logit of 0.80, the probability at which the write path supersedes."""
REASONED_SCORE = 0.60
"""At this score one reasoned preference replaces another.

The score is the cosine + :data:`ITEM_WEIGHT` x (shared item + changed side).

Chosen on the development half of HaluMem's preference changes, see
``docs/explanation/local-judge.md``.
"""
REASONED_SLOPE = 20.0
"""Logits a unit of that score is worth."""
ITEM_WEIGHT = 0.1
"""Cosine that agreement of the first clauses, or a change of sides, is worth."""
OTHER_THING = 0.5
"""Factor for statements about different things, whatever else is alike.

Two numbers (INV-1001, INV-1002) name two things; two descriptions of what "a man" or "a dog" is
doing are two occasions unless one denies the other.
"""
NO_COSINE = 0.7
"""Stands in for the cosine where no comparable vectors exist."""

_GATE_MIDDLE, _GATE_SLOPE = 0.35, 12.0
_EMPTY = np.zeros((0, 1), np.float32)


def probabilities(
    existing: Sequence[Passage], incoming: Passage, preference: Floats, *, vectors: bool
) -> Floats:
    """Probability that ``incoming`` replaces each existing memory, shape ``(n,)``.

    Args:
        existing: the memories already stored.
        incoming: the new memory.
        preference: probability that each existing memory, and last the incoming one, is a
            preference, shape ``(n + 1,)``.
        vectors: the passages carry the bundled encoder's vectors.
    """
    x, names = pair_matrix(existing, incoming, vectors=vectors)
    head = trees("supersede/full" if vectors else "supersede/text")
    stated = sigmoid(head.logits(x))
    apart = x[:, names.index("identity_clash")] > 0
    scenes = (x[:, names.index("scene")] == 1) & (x[:, names.index("negative_one")] == 0)
    stated = np.where(apart | scenes, stated * OTHER_THING, stated)
    if not vectors:
        return stated
    score = x[:, names.index("cosine")] + ITEM_WEIGHT * (
        x[:, names.index("item")] + x[:, names.index("taste_flip")]
    )
    taste = sigmoid(REASONED_SLOPE * (score.astype(np.float64) - REASONED_SCORE) + AT_THRESHOLD)
    gate = _reasoned(existing, incoming, preference)
    return np.where(_repeats(existing, incoming), 0.0, gate * taste + (1 - gate) * stated)


def pair_matrix(
    existing: Sequence[Passage], incoming: Passage, *, vectors: bool
) -> tuple[Matrix, list[str]]:
    """Features of each pair, shape ``(n, features)``, and their names."""
    if vectors:
        cosine = cosines(incoming, existing)
        rows = [pair_features(e, incoming, float(c)) for e, c in zip(existing, cosine, strict=True)]
    else:
        new = _bare(incoming)
        rows = [pair_features(_bare(e), new, NO_COSINE) for e in existing]
    return np.asarray([list(r.values()) for r in rows], np.float32), list(rows[0])


def _bare(passage: Passage) -> Passage:
    return Passage(passage.text, _EMPTY, _EMPTY, _EMPTY[:, 0])


def _reasoned(existing: Sequence[Passage], incoming: Passage, preference: Floats) -> Floats:
    """How much a pair is one of preferences with reasons, in [0, 1], shape ``(n,)``."""
    new = read(incoming.text)
    length = np.asarray(
        [_told_at_length(min(len(read(e.text).lowers), len(new.lowers))) for e in existing]
    )
    scene = np.asarray([read(e.text).scene and new.scene for e in existing])
    both = np.sqrt(preference[:-1] * preference[-1]) * length * ~scene
    return sigmoid(_GATE_SLOPE * (both - _GATE_MIDDLE))


def _told_at_length(count: int) -> float:
    """0 for a bare statement of up to 8 words, 1 from 14: room for a reason."""
    return min(max(count - 8, 0) / 6, 1.0)


def _repeats(existing: Sequence[Passage], incoming: Passage) -> npt.NDArray[np.bool_]:
    """The same words again replace nothing."""
    new = read(incoming.text).lowers
    return np.asarray([read(e.text).lowers == new for e in existing], np.bool_)
