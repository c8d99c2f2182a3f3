"""Does a statement of talk update a value that an earlier one gave?

People report progress and changed plans in passing, in other words and amid other matters: "I've
completed 12 problems", and weeks later "I recently increased my practice to 15 problems". No two
words in a row need agree. What agrees is the kind of value, its unit, and the words around it;
what tells an update from another matter is that the later statement presents its value as news,
or as a tally that has grown. Each condition here rules pairs out; what remains is weighed by how
much the two statements have in common.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

import numpy as np

from hypermnesia.judge.features_query import cosines
from hypermnesia.judge.features_reading import Reading, read
from hypermnesia.judge.features_talk import ASSISTANTS, holder, is_talk, spoken
from hypermnesia.judge.features_text import stem
from hypermnesia.judge.features_updates import TIMES, Manner, is_goal, manner, measured
from hypermnesia.judge.features_values import Value, kinds, values
from hypermnesia.judge.local_heads import Floats
from hypermnesia.judge.local_supersede import AT_THRESHOLD
from hypermnesia.judge.protocol import Passage

ENOUGH = 0.5
"""Common ground from which the later value replaces the earlier one.

Common ground is measured in cosines: that of the two statements, and the terms below. They and
this bound were set on BEAM's development conversations and ``training/cases/updates.txt``;
``docs/explanation/local-judge.md`` has the figures, also of pairs that chose nothing.
"""
SLOPE = 8.0
"""Logits a unit of common ground is worth."""
SHARED_WORDS = 0.5
"""If one statement has all content words of the other."""
SHARED_NEAR = 0.075
"""For each content word near both values, :data:`MOST_NEAR` at most."""
MOST_NEAR = 4
NAMED_FORMER = 0.5
"""If the later statement names the earlier value ("from 8 to 12")."""
JUMP = -0.15
"""If the values are a factor e apart: a tally seldom jumps."""
FROM_GOAL = -0.15
"""If the earlier value was a goal."""
OTHER_NAMES = -0.5
"""If each statement has a name that the other has not."""
SAME_MATTER = 2
"""Content words near both values, if they are tallies of amounts that anything could come to."""
SAME_SHARE = 0.25
"""Share of the content words near the value that has fewer, if anything could come to it."""

_BREAK = re.compile(r"[.!?]\s+(?=[^\W\d_])|[;\n]")


@lru_cache(maxsize=1024)
def news(text: str, *, said: bool = False) -> tuple[tuple[Value, Manner], ...]:
    """The values that a statement of talk presents as new, and how; most have none.

    Remembered, since a newcomer is asked about more than once.

    Args:
        text: the statement.
        said: it is known to be talk; otherwise its wording tells.
    """
    if not (said or is_talk(text)):
        return ()
    return tuple([(v, how) for v in values(text) if (how := manner(v)) and not is_goal(v)])


def update_probabilities(existing: Sequence[Passage], incoming: Passage) -> Floats:
    """Probability that ``incoming`` updates a value of each existing statement, shape ``(n,)``.

    Of several earlier values of one kind it updates the one it has most in common with, wherever
    that was stated.

    Args:
        existing: earlier statements.
        incoming: the later one; both carry dense vectors of the bundled encoder.
    """
    told = news(incoming.text, said=incoming.said)
    if not (told and existing):
        return np.zeros(len(existing))
    ground = np.full(len(existing), -np.inf)
    near = cosines(incoming, existing)
    open_ = [_may_be_of_one(passage.text, incoming.text) for passage in existing]
    for value, how in told:
        rivals = [
            _rivals(passage.text, incoming.text, value, how, float(cosine)) if may else []
            for passage, cosine, may in zip(existing, near, open_, strict=True)
        ]
        found = max(chain(*rivals), key=lambda rival: rival[0], default=None)
        if found:
            same = [
                max((score for score, old in each if _restates(found[1], old)), default=-np.inf)
                for each in rivals
            ]
            ground = np.maximum(ground, same)
    return 1 / (1 + np.exp(-(SLOPE * (ground - ENOUGH) + AT_THRESHOLD)))


def may_update(existing: str, incoming: str, *, said: bool = False) -> bool:
    """Whether a statement may update a value of an earlier one, whatever their vectors.

    Args:
        existing: the earlier statement.
        incoming: the later one.
        said: see :func:`news`.
    """
    told = news(incoming, said=said)
    if not told:
        return False
    given = kinds(existing)  # most have no value of the kind, which is soonest told
    if not any(value.kind in given for value, _ in told) or not _may_be_of_one(existing, incoming):
        return False
    return any(_rivals(existing, incoming, value, how, 0.0) for value, how in told)


def _rivals(
    old: str, new: str, value: Value, how: Manner, cosine: float
) -> list[tuple[float, Value]]:
    """The values of an earlier statement that a later one may replace, with the common ground."""
    if value.kind not in kinds(old):
        return []
    given = values(old)
    if any(v.kind == value.kind and v.value == value.value for v in given):
        return []
    kept = {(v.kind, v.value) for v in values(new)}
    after = read(spoken(new)[1])
    former = [
        v for v in given if (v.kind, v.value) not in kept and _replaceable(v, value, how, after)
    ]
    if not former:  # most pairs; the rest costs more to tell
        return []
    before = read(spoken(old)[1])
    return [(cosine + _agreement(v, value, before, after), v) for v in former]


def _may_be_of_one(old: str, new: str) -> bool:
    """Whether a statement may take the place of an earlier one; asked first, it costs least."""
    return _single(old) and not _another_speaker(old, new)


def _restates(best: Value, other: Value) -> bool:
    """Whether another statement gives the value that is updated too."""
    if (best.value, best.unit) != (other.value, other.unit):
        return False
    return not measured(best) or len(best.near & other.near) >= min(SAME_MATTER, len(best.near))


@lru_cache(maxsize=8192)
def _single(text: str) -> bool:
    """Whether a text is one statement: of several, the others would be lost with it."""
    return not _BREAK.search(spoken(text)[1].strip())


def _another_speaker(old: str, new: str) -> bool:
    """Whether the two are told by, or of, different people, or by one who only computes."""
    a, b = holder(old), holder(new)
    if a in ASSISTANTS or b in ASSISTANTS:
        return True
    if spoken(old)[0] and spoken(new)[0]:
        return a != b
    return bool(a and b and a != b and a not in read(new).words and b not in read(old).words)


def _replaceable(old: Value, new: Value, how: Manner, reading: Reading) -> bool:
    """Whether a value can be the former state of another, which ``reading`` tells."""
    if old.kind != new.kind or not _same_unit(old, new, reading):
        return False
    if measured(new) and not _same_matter(old, new, how):
        return False
    if new.former is not None:
        return new.former == old.number
    if old.kind == "percent" and is_goal(old):
        return False
    step = new.number - old.number
    return step >= 0 if how in {"up", "tally"} else step <= 0 or how != "down"


def _same_matter(old: Value, new: Value, how: Manner) -> bool:
    shared = len(old.near & new.near - {new.unit})
    fewest = min(len(old.near), len(new.near))
    enough = 1 if new.unit in TIMES else SAME_SHARE * fewest
    return shared >= max(enough, SAME_MATTER if how == "tally" else 1)


def _same_unit(old: Value, new: Value, reading: Reading) -> bool:
    if old.kind != "count":
        return True
    if not new.unit:  # "the number of subscribers has reached 900"
        return not old.unit or old.unit in reading.stems
    apart = old.modifiers - reading.stems and new.modifiers - old.near - old.modifiers
    return old.unit == new.unit and not apart


def _agreement(old: Value, new: Value, before: Reading, after: Reading) -> float:
    """Common ground beyond the cosine."""
    fewer = max(min(len(before.core), len(after.core)), 1)
    jump = abs(math.log(new.number / old.number)) if old.number and new.number else 0.0
    names = _teller_aside(before, before.values["name"]) - after.stems
    others = _teller_aside(after, after.values["name"]) - before.stems
    return (
        SHARED_WORDS * len(before.core & after.core) / fewer
        + SHARED_NEAR * min(len(old.near & new.near - {new.unit}), MOST_NEAR)
        + NAMED_FORMER * (new.former is not None)
        + JUMP * jump
        + FROM_GOAL * is_goal(old)
        + OTHER_NAMES * bool(names and others)
    )


def _teller_aside(reading: Reading, stems: frozenset[str]) -> frozenset[str]:
    """Stems without the name of whom the statement is of ("User has ...")."""
    return stems - {stem(holder(reading.text))}
