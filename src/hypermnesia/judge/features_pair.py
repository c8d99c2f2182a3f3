"""Features of an existing and an incoming memory, for the question of supersession.

Everything is a scalar between about -1 and 3. The order matters: ``a`` is the existing memory,
``b`` the incoming one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hypermnesia.judge import features_change as change
from hypermnesia.judge import features_words as words
from hypermnesia.judge.features_about import about_features
from hypermnesia.judge.features_kinds import agreed, clash, opposed
from hypermnesia.judge.features_reading import Reading, read
from hypermnesia.judge.protocol import Passage
from hypermnesia.types import Matrix, Vector

_RESIDUAL = 0.8
"""A token whose best match is below this has, more or less, no counterpart."""
_TINY = 1e-6
_OPPOSITES = {
    word: frozenset[str]().union(*(pair for pair in change.ANTONYMS if word in pair)) - {word}
    for word in frozenset[str]().union(*change.ANTONYMS)
}
_LATE = ("late_a", "late_b", "late_low_a", "late_low_b", "residual")
_KINDS = ("number", "identifier", "name", "date")


def pair_features(
    existing: Sequence[Passage], incoming: Passage, cosines: Sequence[float]
) -> list[dict[str, float]]:
    """All features of each pair by name, in a fixed order.

    Args:
        existing: the existing memories.
        incoming: the incoming memory.
        cosines: similarity of each one's dense vectors to the incoming one's.
    """
    new = read(incoming.text)
    late = late_features([p.tokens for p in existing], incoming.tokens)
    return [
        _features(read(old.text), new, cosine, dict(zip(_LATE, row, strict=True)))
        for old, cosine, row in zip(existing, cosines, late.tolist(), strict=True)
    ]


def _features(
    old: Reading, new: Reading, cosine: float, late: dict[str, float]
) -> dict[str, float]:
    features = {"cosine": cosine} | late | _overlap(old, new) | _values(old, new)
    features |= _cues(old, new) | _structure(old, new)
    features |= about_features(old.text, new.text, old.stems & new.stems) | _told(old, new)
    return features | _interactions(features)


def late_features(existing: Sequence[Matrix], incoming: Matrix) -> Matrix:
    """Late interaction both ways, and how alike the parts without a counterpart are.

    Args:
        existing: token vectors of each existing memory, shape ``(t, p)`` each.
        incoming: token vectors of the incoming one, shape ``(u, p)``.

    Returns:
        Shape ``(n, 5)``, columns as in ``_LATE``; zeros for a pair that lacks token vectors.
    """
    out = np.zeros((len(existing), len(_LATE)), np.float32)
    filled = [i for i, tokens in enumerate(existing) if len(tokens)]
    if not (filled and len(incoming)):
        return out
    tokens = np.concatenate([existing[i] for i in filled])
    counts = np.asarray([len(existing[i]) for i in filled])
    starts = np.cumsum(counts) - counts
    # One product a pair: small enough that the library of matrix products starts no threads.
    similarity = np.concatenate([existing[i] @ incoming.T for i in filled])
    best_old = similarity.max(axis=1)
    best_new = np.maximum.reduceat(similarity, starts, axis=0)
    # The sums of the token vectors, each weighted by how far it is from any counterpart.
    weights = np.zeros((len(filled), len(tokens)), np.float32)
    weights[np.arange(len(filled)).repeat(counts), np.arange(len(tokens))] = np.maximum(
        _RESIDUAL - best_old, 0
    )
    rest_old = weights @ tokens
    rest_new = np.maximum(_RESIDUAL - best_new, 0) @ incoming
    columns = (
        np.add.reduceat(best_old, starts) / counts,
        best_new.mean(axis=1),
        np.minimum.reduceat(best_old, starts),
        best_new.min(axis=1),
        _alike(rest_old, rest_new),
    )
    out[filled] = np.stack(columns, axis=1)
    return out


def _alike(a: Matrix, b: Matrix) -> Vector:
    """Row-wise cosine of remainders; 0 if either text is matched in full."""
    size = np.sqrt(np.einsum("ij,ij->i", a, a) * np.einsum("ij,ij->i", b, b))
    return np.where(size > _TINY, np.einsum("ij,ij->i", a, b) / np.maximum(size, _TINY), 0)


def _overlap(old: Reading, new: Reading) -> dict[str, float]:
    shared = len(old.stems & new.stems)
    only_a, only_b = len(old.stems) - shared, len(new.stems) - shared
    core = len(old.core & new.core)
    prefix, suffix = _affixes(old.lowers, new.lowers)
    longest = max(len(old.lowers), len(new.lowers), 1)
    return {
        "jaccard": shared / max(shared + only_a + only_b, 1),
        "cover_a": shared / max(len(old.stems), 1),
        "cover_b": shared / max(len(new.stems), 1),
        "only_a": min(only_a, 6) / 2,
        "only_b": min(only_b, 6) / 2,
        "core_cover_a": core / max(len(old.core), 1),
        "core_cover_b": core / max(len(new.core), 1),
        "core_only_a": min(len(old.core) - core, 5) / 2,
        "core_only_b": min(len(new.core) - core, 5) / 2,
        "swapped": float(
            only_a == only_b == 0 and old.order != new.order and bool(new.words & change.COMPARISON)
        ),
        "growth": max(-2.0, min(2.0, math.log((1 + len(new.stems)) / (1 + len(old.stems))))),
        "same": float(only_a == only_b == 0),
        "affix": (prefix + suffix) / longest,
        "prefix": min(prefix, 6) / 3,
        "gap_a": min(len(old.lowers) - prefix - suffix, 6) / 3,
        "gap_b": min(len(new.lowers) - prefix - suffix, 6) / 3,
        "length": math.log1p(min(len(old.lowers), len(new.lowers))) / 2,
    }


def _affixes(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[int, int]:
    """Words that both begin with, and words that both end with."""
    shortest = min(len(a), len(b))
    prefix = next((i for i in range(shortest) if a[i] != b[i]), shortest)
    rest = shortest - prefix
    suffix = next((i for i in range(rest) if a[-1 - i] != b[-1 - i]), rest)
    return prefix, suffix


def _values(old: Reading, new: Reading) -> dict[str, float]:
    """Numbers, identifiers, names and dates that differ, in the predicate and in the subject."""
    out: dict[str, float] = {}
    for kind in _KINDS:
        a, b = old.values[kind] - new.stems, new.values[kind] - old.stems
        out[f"{kind}_clash"] = float(bool(a - old.subject) and bool(b - new.subject))
        out[f"{kind}_same"] = float(bool(old.values[kind] & new.values[kind]))
    named_a = frozenset().union(*(old.values[k] for k in _KINDS)) & old.subject
    named_b = frozenset().union(*(new.values[k] for k in _KINDS)) & new.subject
    out["named_subject_clash"] = float(bool(named_a - new.stems) and bool(named_b - old.stems))
    out["ordinal_clash"] = float(
        bool(old.ordinals - new.ordinals) and bool(new.ordinals - old.ordinals)
    )
    out["identity_clash"] = float(
        bool(old.identities - new.ordinals) and bool(new.identities - old.ordinals)
    )
    out["count_clash"] = float(
        {n for n, _ in old.counts - new.counts} & {n for n, _ in new.counts - old.counts} != set()
    )
    only_a, only_b = old.words - new.words, new.words - old.words
    out["state_clash"] = float(opposed(only_a, only_b))
    out["state_same"] = float(agreed(only_a, only_b))
    out["sort_clash"] = float(clash(only_a, only_b))
    contrasts = bool(only_a & change.CONTRASTS) and bool(only_b & change.CONTRASTS)
    out["contrast"] = float(contrasts)
    out["new_value_only"] = float(
        any(new.values[k] - old.stems for k in _KINDS)
        and not any(old.values[k] - new.stems for k in _KINDS)
    )
    return out


def _cues(old: Reading, new: Reading) -> dict[str, float]:
    return {
        "change_b": min(new.changes, 3.0) / 2,
        "change_a": min(old.changes, 3.0) / 2,
        "end_b": float(new.ends and not old.ends),
        "end_a": float(old.ends and not new.ends),
        "end_both": float(old.ends and new.ends),
        "past_a": float(old.past),
        "past_b": float(new.past),
        "adds": float(new.adds),
        "plan_done": float(old.plans and new.completes and not new.ends),
        "plan_a": float(old.plans),
        "plan_b": float(new.plans),
        "events": (float(bool(old.events)) + float(bool(new.events))) / 2,
        "same_event": float(bool(old.events & new.events)),
        "negative_one": float(old.negative != new.negative),
        "negative_both": float(old.negative and new.negative),
        "antonym": float(_antonym(old, new)),
        "polarity": -old.polarity * new.polarity,
        "polarity_any": float(old.polarity != 0 and new.polarity != 0),
        "asks": float(old.asks or new.asks),
    }


def _told(old: Reading, new: Reading) -> dict[str, float]:
    """How much of what is said of the subject comes back, and whether both tell of an event."""
    return {
        "said_kept": len(old.predicate & new.stems) / max(len(old.predicate), 1),
        "said_back": len(new.predicate & old.stems) / max(len(new.predicate), 1),
        "events_both": float(bool(old.events and new.events) and not (new.changes or new.ends)),
        "event_b": float(bool(new.events)),
    }


def _antonym(old: Reading, new: Reading) -> bool:
    left, right = old.words - new.words, new.words - old.words
    return any(word in _OPPOSITES and not right.isdisjoint(_OPPOSITES[word]) for word in left)


def _structure(old: Reading, new: Reading) -> dict[str, float]:
    shared_words = old.words & new.words
    subjects = old.subject | new.subject
    subject_shared = len(old.subject & new.subject)
    return {
        "subject_same": subject_shared / len(subjects)
        if subjects
        else float(old.first_person and new.first_person),
        "subject_only_a": min(len(old.subject - new.stems), 3) / 2,
        "subject_only_b": min(len(new.subject - old.stems), 3) / 2,
        "subject_swap": float(bool(old.subject - new.stems) and bool(new.subject - old.stems)),
        "person_differs": float(old.first_person != new.first_person),
        "kin_differs": float(bool((old.words ^ new.words) & words.KIN)),
        "predicate_only_a": min(len(old.predicate - new.stems), 4) / 2,
        "predicate_only_b": min(len(new.predicate - old.stems), 4) / 2,
        "functional": min(len(shared_words & change.FUNCTIONAL), 3) / 2,
        "functional_any": float(
            bool(old.words & change.FUNCTIONAL) and bool(new.words & change.FUNCTIONAL)
        ),
        "multi_valued": float(bool(shared_words & change.MULTI_VALUED)),
        "exclusive": float(bool(shared_words & change.EXCLUSIVE)),
        "scene": (float(old.scene) + float(new.scene)) / 2,
        "reasoned": min(old.reasoned, new.reasoned),
        "item": len(old.item & new.item) / max(min(len(old.item), len(new.item)), 1),
    }


def _interactions(f: dict[str, float]) -> dict[str, float]:
    """Products that a linear model cannot form itself."""
    cover = min(f["core_cover_a"], f["core_cover_b"])
    plain = 1 - f["reasoned"]
    clash = max(f["number_clash"], f["date_clash"], f["name_clash"], f["identifier_clash"])
    aside = max(f["subject_swap"], f["identity_clash"], f["named_subject_clash"], f["holder_clash"])
    near = max(f["cosine"] - 0.4, 0.0) * 2
    return {
        "reasoned_cosine": f["reasoned"] * f["cosine"],
        "reasoned_late": f["reasoned"] * min(f["late_a"], f["late_b"]),
        "plain_cosine": plain * f["cosine"],
        "denial": f["negative_one"] * cover,
        "denial_half": f["negative_one"] * max(f["cover_a"], f["cover_b"]) * near,
        "flip": f["antonym"] * cover,
        "taste_flip": max(f["polarity"], 0.0) * max(f["cover_a"], f["cover_b"]),
        "announced": f["change_b"] * near * (1 - aside),
        "ended": f["end_b"] * max(f["cover_a"], f["cover_b"]) * (1 - aside),
        "clash": clash * (1 - aside) * plain,
        "clash_frame": clash * (1 - aside) * f["affix"] * plain,
        "slot": f["functional"] * f["subject_same"] * (1 - f["multi_valued"]) * plain,
        "slot_residual": f["residual"] * f["subject_same"] * f["affix"] * plain,
        "frame_clash": clash * f["subject_same"] * f["functional"] * plain,
        "scene_frame": f["scene"] * f["affix"],
        "aside_near": aside * near,
        "count_frame": f["count_clash"] * max(f["core_cover_a"], f["core_cover_b"]) * (1 - aside),
        "denial_either": f["negative_one"] * max(f["core_cover_a"], f["core_cover_b"]) * near,
        "nothing_new": float(f["core_only_b"] == 0) * (1 - clash) * (1 - f["negative_one"]),
        "exclusive_swap": f["exclusive"] * f["subject_same"] * (1 - aside),
        "state_frame": f["state_clash"] * f["subject_same"] * (1 - aside),
        "sort_frame": f["sort_clash"] * max(f["subject_same"], f["change_b"]) * (1 - aside),
        "event_clash": f["events_both"] * max(clash, f["subject_swap"]),
        "unsaid_end": f["end_b"] * (1 - f["said_kept"]),
        "unsaid_change": f["change_b"] * (1 - f["said_kept"]),
        "swap_announced": f["change_b"] * f["residual"] * near * (1 - aside),
    }  # fmt: skip
