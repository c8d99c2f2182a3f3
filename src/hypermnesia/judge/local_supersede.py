"""Does a new memory replace an old one? Two experts, and rules for who is asked.

Statements are decided by gradient-boosted trees over the explicit features of the pair
(:mod:`~hypermnesia.judge.features_pair`). For preferences told with their reasons the words
differ even where the subject is the same, and plain similarity decides best. What differs too
widely, is told by somebody else, or asks instead of telling, replaces nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from hypermnesia.judge.features_pair import pair_features
from hypermnesia.judge.features_query import cosines
from hypermnesia.judge.features_reading import outline, read
from hypermnesia.judge.local_heads import SHIPPED, Floats, Heads, sigmoid
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
REASONED_PREFERENCE = 0.22
"""Geometric mean of two texts' probabilities of being a preference, from which they are read so.

Low, because only texts long enough to hold a reason come here; chosen like the score above.
"""
BARE = 8
"""Words up to which a statement has no room for a reason."""
OTHER_THING = 0.5
"""Factor for two different things (INV-1001 and INV-1002, Ana's and Ben's): identity decides."""
CHANGED_PLACES = 1
"""Places at which a memory may differ from the one that replaces it; one more if that says so.

Whoever states a new value repeats the rest: the hand-written pairs that replace differ in one
place, with few exceptions. Two memories made alike, say two incidents, differ in several.
"""
CHANGED_WORDS = 3
"""Content words of a memory that the one that replaces it leaves out at most (the same pairs)."""
NO_COSINE = 0.7
"""Stands in for the cosine where no comparable vectors exist."""

_OTHER_THINGS = ("identity_clash", "named_subject_clash", "holder_clash")
"""Features that tell two things apart, whatever else agrees."""
_HOLDER = re.compile(r"(\w+) (?:(?:dis)?likes|loves|prefers|enjoys|hates|wants|adores|avoids)\b")
_EMPTY = np.zeros((0, 1), np.float32)


def can_reach(
    floor: float,
    existing: Sequence[Passage],
    incoming: Passage,
    preference: Floats,
    *,
    vectors: bool,
) -> npt.NDArray[np.bool_]:
    """Pairs whose :func:`probabilities` may be ``floor`` or more, shape ``(n,)``.

    What differs too widely or is told by somebody else stays at :data:`OTHER_THING` or below,
    unless it is a preference with its reason. Arguments as there.
    """
    if floor <= OTHER_THING:
        return np.ones(len(existing), np.bool_)
    bounded = _bounded([e.text for e in existing], incoming.text)
    if vectors:
        bounded &= ~_reasoned(existing, incoming, preference)
    return ~bounded


def may_reach(
    floor: float, existing: Sequence[str], incoming: str
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Pairs for which :func:`can_reach` may hold whatever the vectors are.

    Args:
        floor: as there.
        existing: texts of the memories already stored.
        incoming: text of the new one.

    Returns:
        Those for which it holds in any case, and those for which it may if ``incoming`` is a
        preference with its reason, each of shape ``(n,)``.
    """
    stated = np.ones(len(existing), np.bool_)
    if floor > OTHER_THING:
        stated = ~_bounded(existing, incoming)
    if outline(incoming).words <= BARE:
        return stated, np.zeros(len(existing), np.bool_)
    return stated, np.asarray([outline(text).words > BARE for text in existing], np.bool_)


def _bounded(existing: Sequence[str], incoming: str) -> npt.NDArray[np.bool_]:
    """Pairs that :data:`OTHER_THING` bounds, but for preferences with reasons, shape ``(n,)``."""
    return _differs_widely(existing, incoming) | _other_persons(existing, incoming)


def probabilities(
    existing: Sequence[Passage],
    incoming: Passage,
    preference: Floats,
    *,
    vectors: bool,
    heads: Heads = SHIPPED,
) -> Floats:
    """Probability that ``incoming`` replaces each existing memory, shape ``(n,)``.

    Args:
        existing: the memories already stored.
        incoming: the new memory.
        preference: probability that each existing memory, and last the incoming one, is a
            preference, shape ``(n + 1,)``.
        vectors: the passages carry the bundled encoder's vectors.
        heads: whose trees decide.
    """
    x, names = pair_matrix(existing, incoming, vectors=vectors)
    head = heads.trees("supersede/full" if vectors else "supersede/text")
    stated = sigmoid(head.logits(x))
    texts = [e.text for e in existing]
    others = _other_persons(texts, incoming.text)
    apart = others | _any(x, names, *_OTHER_THINGS)
    wide = _differs_widely(texts, incoming.text)
    scenes = (x[:, names.index("scene")] == 1) & (x[:, names.index("negative_one")] == 0)
    stated = np.where(apart | wide | scenes, stated * OTHER_THING, stated)
    if not vectors:
        return stated
    score = x[:, names.index("cosine")] + ITEM_WEIGHT * (
        x[:, names.index("item")] + x[:, names.index("taste_flip")]
    )
    taste = sigmoid(REASONED_SLOPE * (score.astype(np.float64) - REASONED_SCORE) + AT_THRESHOLD)
    taste = np.where(others | _any(x, names, "identity_clash"), taste * OTHER_THING, taste)
    reasoned = _reasoned(existing, incoming, preference)
    silent = _repeats(existing, incoming) | _any(x, names, "asks")
    return np.where(silent, 0.0, np.where(reasoned, taste, stated))


def pair_matrix(
    existing: Sequence[Passage], incoming: Passage, *, vectors: bool
) -> tuple[Matrix, list[str]]:
    """Features of each pair, shape ``(n, features)``, and their names."""
    if vectors:
        rows = pair_features(existing, incoming, cosines(incoming, existing).tolist())
    else:
        bare = [_bare(e) for e in existing]
        rows = pair_features(bare, _bare(incoming), [NO_COSINE] * len(bare))
    return np.asarray([list(r.values()) for r in rows], np.float32), list(rows[0])


def _bare(passage: Passage) -> Passage:
    return Passage(passage.text, _EMPTY, _EMPTY, _EMPTY[:, 0])


def _reasoned(
    existing: Sequence[Passage], incoming: Passage, preference: Floats
) -> npt.NDArray[np.bool_]:
    """Which pairs are of preferences with reasons, shape ``(n,)``."""
    new = outline(incoming.text).words
    length = np.asarray([_told_at_length(min(outline(e.text).words, new)) for e in existing])
    both = np.sqrt(preference[:-1] * preference[-1]) * length
    told = np.asarray(both >= REASONED_PREFERENCE, np.bool_)
    if not told.any():
        return told
    scene = [read(e.text).scene and read(incoming.text).scene for e in existing]
    return told & ~np.asarray(scene, np.bool_)


def told_at_length(existing: Sequence[Passage], incoming: Passage) -> bool:
    """Whether any pair has room for reasons: in no other does it matter what is a preference."""
    return outline(incoming.text).words > BARE and any(
        outline(e.text).words > BARE for e in existing
    )


def may_be_reasoned(preference: float) -> bool:
    """Whether a pair may be of preferences with reasons, if one is a preference so likely."""
    return math.sqrt(preference) >= REASONED_PREFERENCE


def _told_at_length(count: int) -> float:
    """0 for a bare statement of up to :data:`BARE` words, 1 from 14: room for a reason."""
    return min(max(count - BARE, 0) / 6, 1.0)


def _any(x: Matrix, names: Sequence[str], *wanted: str) -> npt.NDArray[np.bool_]:
    """Which pairs have any of these features, shape ``(n,)``."""
    columns = x[:, [names.index(name) for name in wanted]]
    return np.asarray((columns > 0).any(axis=1), np.bool_)


def _differs_widely(existing: Sequence[str], incoming: str) -> npt.NDArray[np.bool_]:
    """Whether each memory differs in more places than one change explains, shape ``(n,)``."""
    stems = frozenset(outline(incoming).order)
    return np.asarray([_differ(text, incoming, stems) for text in existing], np.bool_)


def _differ(existing: str, incoming: str, stems: frozenset[str]) -> bool:
    """Whether too many words, or words at too many places, are left out."""
    left = [stem not in stems for stem in outline(existing).order]
    if sum(left) > CHANGED_WORDS:  # most neighbours; the rest costs more to tell
        return True
    new = read(incoming)
    return _runs(left) > CHANGED_PLACES + (new.changes > 0 or new.ends)


def _runs(left: Sequence[bool]) -> int:
    """Runs of content words of the old text that the new one does not repeat."""
    return sum(here and not before for before, here in pairwise([False, *left]))


def _other_persons(existing: Sequence[str], incoming: str) -> npt.NDArray[np.bool_]:
    """Whether each memory is told by, or tells the taste of, somebody else, shape ``(n,)``."""
    new = _person(incoming)
    return np.asarray([bool(new) and _person(text) not in {"", new} for text in existing], np.bool_)


@lru_cache(maxsize=4096)
def _person(text: str) -> str:
    holder = _HOLDER.match(text)
    return holder[1].lower() if holder else outline(text).speaker


def _repeats(existing: Sequence[Passage], incoming: Passage) -> npt.NDArray[np.bool_]:
    """The same words again replace nothing."""
    new = read(incoming.text).lowers
    return np.asarray([read(e.text).lowers == new for e in existing], np.bool_)
