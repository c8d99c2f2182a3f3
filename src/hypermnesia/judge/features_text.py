"""Reading one text: words, their kinds, and the cues a judgement can rest on."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from hypermnesia.judge import features_change as change
from hypermnesia.judge import features_words as words
from hypermnesia.types import Vector

SHORT = 3
"""Letters of a short word: not stemmed further; and words of a text too short to tell much."""
CAP = 3.0
"""Cue words per ten words, and tokens of a kind, beyond which more make no difference."""
READ_CHARACTERS = 4000
"""Only the head of a longer text is read word by word; the vectors cover the rest."""

_TOKEN = re.compile(
    r"[^\W_]+(?:[-_./:@#][^\W_]+)*(?:['\u2019][^\W_]+)?%?|[=?!]",
)
_SENTENCE_END = re.compile(r"[.!?:;\u2014]\s+|\n+|\s-\s")
_NO_ONE = re.compile(r"\bno one\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(?=.*\d)(?=.*[^\W\d_])|[_/@#]|\w\.\w")
_NUMBER = re.compile(r"v?\d[\d.,:/-]*%?$|\d+(?:st|nd|rd|th|am|pm|k|m|s|ms|gb|mb|kg|km|cm|h|x)$")


class Word(NamedTuple):
    """What a word tells wherever it stands.

    Attributes:
        surface: as written.
        lower: lower-cased.
        stem: without inflection; of a number, its value.
        kind: ``stop``, ``number``, ``identifier`` or ``date``; empty for any other.
    """

    surface: str
    lower: str
    stem: str
    kind: str


class Token(NamedTuple):
    """A word at its place; see :class:`Word`.

    Attributes:
        kind: as there, or ``name`` or ``word``.
        sentence: 0-based number of the clause it stands in.
    """

    surface: str
    lower: str
    stem: str
    kind: str
    sentence: int


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Cut inflection off a lower-case English word; crude, but the same for both texts."""
    word = word.removesuffix("'s").removesuffix("\u2019s")
    if len(word) > SHORT + 1 and word.endswith("ies"):
        return word[:-3] + "y"
    for suffix in ("ing", "ed"):
        base = word.removesuffix(suffix)
        if base != word and len(base) >= SHORT:
            doubled = len(base) > SHORT and base[-1] == base[-2] and base[-1] not in "ls"
            return (base[:-1] if doubled else base).removesuffix("e")
    if len(word) > SHORT and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        sibilant = word.endswith(("shes", "ches", "xes", "sses"))
        word = word.removesuffix("es") if sibilant else word[:-1]
    return word.removesuffix("e") if len(word) > SHORT else word


@lru_cache(maxsize=4096)
def tokenize(text: str) -> tuple[Token, ...]:
    """Words of the first :data:`READ_CHARACTERS` characters, with their kinds."""
    out: list[Token] = []
    for number, clause in enumerate(_SENTENCE_END.split(_head(text))):
        first = not out or _TOKEN.match(clause) is not None
        for surface in _TOKEN.findall(clause):
            out.append(_token(surface, first, number))
            first = False
    return tuple(out)


def words_of(text: str) -> list[Word]:
    """The words of :func:`tokenize` without their places, which most of the time goes into.

    Of the marks among them, some that end a sentence are left out there.
    """
    return [word(surface) for surface in _TOKEN.findall(_head(text))]


def _head(text: str) -> str:
    head = text[:READ_CHARACTERS]
    return _NO_ONE.sub("nobody", head) if "no one" in head.lower() else head


@lru_cache(maxsize=8192)
def word(surface: str) -> Word:
    """A word taken apart; words come back far more often than texts."""
    surface = surface.replace("\u2019", "'")
    lower = surface.lower()
    kind = _kind(surface, lower)
    if kind == "number":
        base = words.NUMERALS.get(lower, lower.replace(",", "").rstrip("%"))
    else:
        base = lower if kind == "identifier" else stem(lower)
    return Word(surface, lower, base, kind)


@lru_cache(maxsize=8192)
def _token(surface: str, first: bool, sentence: int) -> Token:
    """A word at its place.

    Args:
        surface: as written.
        first: it opens a sentence, where a capital tells nothing.
        sentence: see :class:`Token`.
    """
    surface, lower, base, kind = word(surface)
    if not kind:
        named = surface[0].isupper() and (not first or surface[1:] != lower[1:])
        kind = "name" if named else "word"
    return Token(surface, lower, base, kind, sentence)


def _kind(surface: str, lower: str) -> str:
    if lower in words.STOP or lower in words.NEGATION:
        return "stop"
    if _NUMBER.match(lower) or lower in words.NUMERALS:
        return "number"
    if lower in words.MONTHS or lower in words.DAYS or (lower == "may" and surface[0] == "M"):
        return "date"
    if _IDENTIFIER.search(surface) and not surface.endswith(("'s", "n't")):
        return "identifier"
    return ""


def share(tokens: Sequence[Token | Word], vocabulary: frozenset[str]) -> float:
    """Words found in a list, per ten words (at least)."""
    return _per_ten(sum(t.lower in vocabulary for t in tokens), len(tokens))


def _per_ten(found: int, count: int) -> float:
    return found / max(count, 10) * 10


def lowered(text: str) -> str:
    """The part of a text that is read, as :func:`has_phrase` looks at it."""
    return text[:READ_CHARACTERS].lower().replace("\u2019", "'")


def has_phrase(low: str, phrases: tuple[str, ...]) -> bool:
    """Whether any of some lower-case phrases occurs in a :func:`lowered` text."""
    return any(map(low.__contains__, phrases))


_SHARES = (
    words.FIRST_PERSON, words.SECOND_PERSON, words.THIRD_PERSON, words.NEGATION, words.LIKE,
    words.DISLIKE,
    words.PREFERENCE, words.REASON, change.CHANGE, change.COMPLETION, change.PLAN, words.DECISION,
    words.PROJECT, words.SOLUTION, words.ARCHITECTURE, words.CHATTER, words.TOOL_NOISE, words.KIN,
    words.MEDICAL, change.FUNCTIONAL, words.BE, words.STOP,
)  # fmt: skip
_LISTED = {
    word: tuple(i for i, vocabulary in enumerate(_SHARES) if word in vocabulary)
    for word in frozenset[str]().union(*_SHARES)
}
"""Positions in :data:`_SHARES` of the lists that hold a word."""
_KINDS = ("number", "identifier", "name", "date")

ANALYSIS_FEATURES = len(_SHARES) + len(_KINDS) + 9
"""Length of :func:`analysis_features`."""


@lru_cache(maxsize=16384)
def analysis_features(text: str) -> Vector:
    """Explicit features of one memory for type, durability and salience.

    Returns:
        Shape ``(ANALYSIS_FEATURES,)``: cue words per ten words, kinds of token, length and marks.
    """
    tokens = tokenize(text)
    count = len(tokens)
    first = tokens[0].lower if tokens else ""
    stripped = text.rstrip()
    lowers = [t.lower for t in tokens]
    found = Counter(chain.from_iterable(map(_LISTED.get, lowers, repeat(())))).get
    kinds = [t.kind for t in tokens]
    values = [min(_per_ten(found(i, 0), count), CAP) for i in range(len(_SHARES))]
    values += [min(kinds.count(kind), CAP) for kind in _KINDS]
    values += [
        math.log1p(count),
        float(count <= SHORT),
        float(stripped.endswith("?")),
        float(stripped.endswith("!")),
        float("=" in text or ":" in text),
        float(first in words.CHATTER or first in words.TOOL_NOISE),
        float(first.endswith("ing")),
        sum(t.kind == "stop" or t.lower in words.CHATTER for t in tokens) / max(count, 1),
        float(any(word.endswith("ed") for word in lowers)),
    ]
    return np.asarray(values, np.float32)
