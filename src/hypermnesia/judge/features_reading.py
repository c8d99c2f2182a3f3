"""Reading one memory for a comparison: subject, predicate, values, and the cues of change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from hypermnesia.judge import features_change as change
from hypermnesia.judge import features_words as words
from hypermnesia.judge.features_text import (
    READ_CHARACTERS,
    SHORT,
    Token,
    Word,
    has_phrase,
    lowered,
    share,
    tokenize,
    words_of,
)

_LABEL = re.compile(r"([A-Z]\w+): ")
_MARKS = frozenset("=?!")
_SERIAL = re.compile(r"[^\W\d_]+[-#]\d+")
_VALUE_KINDS = frozenset({"number", "identifier", "name", "date"})


@dataclass(frozen=True, slots=True)
class Reading:
    """One memory, taken apart.

    Attributes:
        lowers: its words in order, lower-cased, marks left out.
        stems: stems of its content words.
        core: the same without the words that speak about a change, and without numbers.
        order: the content stems in their order.
        subject: stems of the content words before the first verb (or before ``:``, ``=`` or a
            closing number where there is no verb).
        predicate: the other stems.
        item: stems of the first clause.
        speaker: who says it, where the text is a turn ("Ana: ..."), else empty.
        values: stems of numbers, identifiers, names and dates, by kind.
        ordinals: numbers that identify ("step 2") rather than measure.
        identities: ordinals and serial numbers that say which thing is spoken of.
        events: past-tense verbs in the active voice.
        counts: nouns with the number that counts them.
        first_person: the subject is the speaker or "the user" without any other noun.
        negative: it denies something.
        polarity: liking minus disliking words, negation turned around, clipped to [-1, 1].
        scene: it describes what some generic being is doing.
        reasoned: how much it looks like a preference with its reason, in [0, 1].
    """

    text: str
    lowers: tuple[str, ...]
    words: frozenset[str]
    stems: frozenset[str]
    core: frozenset[str]
    order: tuple[str, ...]
    subject: frozenset[str]
    predicate: frozenset[str]
    item: frozenset[str]
    speaker: str
    values: dict[str, frozenset[str]]
    ordinals: frozenset[str]
    counts: frozenset[tuple[str, str]]
    first_person: bool
    negative: bool
    polarity: float
    scene: bool
    reasoned: float
    changes: float
    ends: bool
    past: bool
    adds: bool
    completes: bool
    plans: bool
    events: frozenset[str]
    identities: frozenset[str]
    asks: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """What tells at little cost that two memories are about different things.

    Small, so that many are kept: see :class:`Reading` for the attributes.
    """

    order: tuple[str, ...]
    words: int
    speaker: str


@lru_cache(maxsize=4096)
def outline(text: str) -> Outline:
    """The part of :func:`read` that most pairs of neighbours need no more than."""
    found = _bare(text)
    order = tuple([w.stem for w in found if w.kind != "stop"])
    return Outline(order, len(found), _speaker(text, found))


@dataclass(frozen=True, slots=True)
class Tidings:
    """What of a reading tells whether a statement takes something back; see :class:`Reading`."""

    words: frozenset[str]
    changes: float
    ends: bool


@lru_cache(maxsize=1024)
def tidings(text: str) -> Tidings:
    """The part of :func:`read` that most newcomers among talk need no more than."""
    found = _bare(text)
    low = lowered(text)
    vocabulary = frozenset([w.lower for w in found])
    ends = has_phrase(low, change.ENDING_PHRASES) or not vocabulary.isdisjoint(change.ENDING)
    return Tidings(vocabulary, _changes(found, low), ends)


@dataclass(frozen=True, slots=True)
class Matter:
    """What of a reading tells what a memory speaks of; see :class:`Reading`."""

    words: frozenset[str]
    stems: frozenset[str]
    core: frozenset[str]


@lru_cache(maxsize=4096)
def matter(text: str) -> Matter:
    """The part of :func:`read` that most neighbours of a newcomer among talk need no more than.

    More of them are kept than of readings, since neighbours come from the whole of a store.
    """
    found = _bare(text)
    content = [w for w in found if w.kind != "stop"]
    return Matter(
        words=frozenset([w.lower for w in found]),
        stems=frozenset([w.stem for w in content]),
        core=_core(content),
    )


def _core(content: Sequence[Token | Word]) -> frozenset[str]:
    return frozenset([t.stem for t in content if t.lower not in change.CUES and t.kind != "number"])


def _words(text: str) -> tuple[Token, ...]:
    return tuple([t for t in tokenize(text) if t.surface not in _MARKS])


def _bare(text: str) -> list[Word]:
    """What :func:`_words` gives, without places."""
    return [w for w in words_of(text) if w.surface not in _MARKS]


def _changes(tokens: Sequence[Token | Word], low: str) -> float:
    return min(share(tokens, change.CHANGE), 3) + has_phrase(low, change.CHANGE_PHRASES)


@lru_cache(maxsize=1024)
def read(text: str) -> Reading:
    """Take one memory apart; cached, since stored memories come back as neighbours."""
    tokens = _words(text)
    lowers = tuple(t.lower for t in tokens)
    vocabulary = frozenset(lowers)
    content = [t for t in tokens if t.kind != "stop"]
    split = _predicate_start(text, tokens)
    subject = frozenset(t.stem for t in tokens[:split] if t.kind != "stop")
    ordinals = _ordinals(tokens)
    low = lowered(text)
    ends = has_phrase(low, change.ENDING_PHRASES)
    speaker = _speaker(text, tokens)
    return Reading(
        text=text,
        lowers=lowers,
        words=vocabulary,
        stems=frozenset(t.stem for t in content),
        core=_core(content),
        order=tuple(t.stem for t in content),
        subject=subject,
        predicate=frozenset(t.stem for t in tokens[split:] if t.kind != "stop"),
        item=_item(content, speaker),
        speaker=speaker,
        values={k: frozenset(t.stem for t in content if t.kind == k) for k in _VALUE_KINDS},
        ordinals=ordinals,
        counts=_counts(tokens),
        first_person=_first_person(tokens[:split], subject),
        negative=ends or not vocabulary.isdisjoint(words.NEGATION),
        polarity=_polarity(lowers, ends=ends),
        scene=_scene(tokens),
        reasoned=_reasoned(tokens, vocabulary),
        changes=_changes(tokens, low),
        ends=ends or not vocabulary.isdisjoint(change.ENDING),
        past=has_phrase(low, change.PAST_PHRASES),
        adds=bool(vocabulary & change.ADDITION) or has_phrase(low, change.ADDITION_PHRASES),
        completes=bool(vocabulary & change.COMPLETION),
        plans=bool(vocabulary & change.PLAN),
        events=_events(lowers),
        identities=_identities(tokens, split, ordinals),
        asks="?" in text[:READ_CHARACTERS],
    )


def _predicate_start(text: str, tokens: tuple[Token, ...]) -> int:
    """Index of the first word of the predicate; 0 if there is no telling."""
    for i, token in enumerate(tokens):
        if token.sentence:
            break
        if token.lower in change.VERBS or (
            i and token.lower.endswith("ed") and token.kind == "word"
        ):
            return i
    head = sum(t.sentence == 0 for t in tokens)
    if head < len(tokens) and ":" in text[:READ_CHARACTERS]:
        return head
    if "=" in text[:READ_CHARACTERS] and len(tokens) > 1:
        return len(tokens) - 1
    closing = tokens[-1].kind in _VALUE_KINDS if tokens else False
    return len(tokens) - 1 if closing and head == len(tokens) else 0


def _ordinals(tokens: tuple[Token, ...]) -> frozenset[str]:
    """Numbers right after a noun that they identify, and identifiers such as ``INV-1001``."""
    found = {
        b.stem
        for a, b in pairwise(tokens)
        if b.kind == "number" and a.lower in change.ORDINAL_NOUNS
    }
    return frozenset(found | {t.stem for t in tokens if _SERIAL.fullmatch(t.surface)})


def _identities(tokens: tuple[Token, ...], split: int, ordinals: frozenset[str]) -> frozenset[str]:
    """Ordinals in the subject, or anywhere in a text without a verb ("cat number 1")."""
    verbless = not any(t.lower in change.VERBS for t in tokens)
    head = tokens if verbless and not tokens[split:][1:] else tokens[:split]
    return ordinals & {t.stem for t in head}


def _events(lowers: tuple[str, ...]) -> frozenset[str]:
    return frozenset(
        word
        for before, word in pairwise(("", *lowers))
        if (word in change.EPISODIC or (word.endswith("ed") and len(word) > SHORT + 1))
        and before not in words.BE
    )


def _counts(tokens: tuple[Token, ...]) -> frozenset[tuple[str, str]]:
    """Numbers with the noun they count: ``(noun, number)``."""
    return frozenset(
        (b.stem, a.stem) for a, b in pairwise(tokens) if a.kind == "number" and b.kind == "word"
    )


def _first_person(before: tuple[Token, ...], subject: frozenset[str]) -> bool:
    lowers = {t.lower for t in before}
    return not subject - {"user"} and bool(lowers & (words.FIRST_PERSON | {"user"}))


def _polarity(lowers: tuple[str, ...], *, ends: bool) -> float:
    vocabulary = lowers[:24]
    score = sum(w in words.LIKE for w in vocabulary) - sum(w in words.DISLIKE for w in vocabulary)
    if ends or not words.NEGATION.isdisjoint(vocabulary[:8]):
        score = -score or -1
    return max(-1.0, min(1.0, float(score)))


def _scene(tokens: tuple[Token, ...]) -> bool:
    lowers = [t.lower for t in tokens]
    if not lowers or not (set(lowers[:8]) & change.GENERIC_BEINGS or lowers[0] in words.INDEFINITE):
        return False
    if set(lowers) & words.FIRST_PERSON or any(t.kind == "name" for t in tokens):
        return False
    return lowers[0] in words.INDEFINITE | {"the", "no"} and any(w.endswith("ing") for w in lowers)


def _speaker(text: str, tokens: Sequence[Token | Word]) -> str:
    """The name before a colon that opens a turn; a subject so named would be named again."""
    label = _LABEL.match(text)
    if label is None or any(t.stem == tokens[0].stem for t in tokens[1:]):
        return ""
    return label[1].lower()


def _item(content: Sequence[Token], speaker: str) -> frozenset[str]:
    """Stems of the first clause, unless that is who speaks."""
    if not content or speaker:
        return frozenset()
    return frozenset(t.stem for t in content if t.sentence == content[0].sentence)


def _reasoned(tokens: tuple[Token, ...], vocabulary: frozenset[str]) -> float:
    """Several clauses or a reason, words of liking, enough length; not a scene."""
    length = min(max(len(tokens) - 8, 0) / 8, 1.0)
    clauses = tokens[-1].sentence > 0 if tokens else False
    reason = bool(vocabulary & words.REASON)
    taste = bool(vocabulary & words.PREFERENCE)
    speaker = bool(vocabulary & words.FIRST_PERSON)
    return length * min((2 * clauses + reason + taste + speaker) / 3, 1.0)
