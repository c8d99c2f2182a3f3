"""The first person replaced by the speaker's name, where that is safe.

"I'm glad my sister called" said by Ann is "Ann is glad Ann's sister called". Gender is unknown,
so the name is repeated. Where a reading is doubtful (who "we" are, whom a generic "you" means,
whether "I put" is past) the answer is that it is doubtful, and the caller leaves the words alone.
"""

# ruff: noqa: SIM905 - a list of words reads best as words

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from hypermnesia.graph.local import verbs
from hypermnesia.language.dates_words import MONTHS, WEEKDAYS
from hypermnesia.store.lexicon import STOP_WORDS

_TOKEN = re.compile(r"\w+(?:['\u2019]\w+)*")
_PERSON = re.compile(
    r"\b(?:i|im|ive|me|my|mine|myself|we|us|our|ours|ourselves|lets|let['\u2019]s|am"
    r"|you|your|yours|yourself|yourselves|ya|y['\u2019]all)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|(?<!\w)['\u2018][^'\u2018\u2019]+['\u2019](?!\w)"
)
_DOUBTFUL = frozenset(
    "we us our ours ourselves let's lets we're we've we'll we'd y'all ya myself".split()
)
"""Who belongs to a group is not said; "myself" has no form without a gender."""
_EXCLAIMED = frozenset(["", "god", "gosh", "goodness", "word", "bad"])
_SECOND = frozenset(
    "you your yours yourself yourselves you're you've you'll you'd youre youve".split()
)
_LINKS = frozenset("and or but then".split())
_INVERTING = frozenset(verbs.CHANGED) | verbs.INVARIANT | {"did", "had", "was", "were"}
_BE = frozenset("is was has are were".split())
_NUMBERED = frozenset(
    "phase type part class volume chapter level stage article section act title category tier"
    " grade war".split()
)
_BEFORE_MINE = frozenset("of is are was were than like to and or".split())
_TOWARDS = frozenset(
    """
    told tell show showed send sent gave give miss missed love see saw met meet help helped join
    joined call called text texted email emailed invite invited visit visited owe asked ask remind
    reminded with to from thank
    """.split()
)
"""What "you" is the object of when one person is meant."""
_BESIDE_YOUR = frozenset(
    "love like loved liked enjoyed read saw watched heard appreciate remember borrowed used tried"
    " met".split()
)
_AFTER_YOU = frozenset(
    """
    a an the my that this some about at on in for from to with and but last next yesterday today
    tomorrow tonight soon again later there here when so too very because
    """.split()
)
_TURNS_GENERIC = frozenset(
    "if when whenever that how what as because where think guess believe".split()
)


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement in a text: characters ``start`` to ``end`` become ``text``."""

    start: int
    end: int
    text: str


class _Word(NamedTuple):
    """A word outside quotations: folded, as written, its place, and what stands before it."""

    folded: str
    raw: str
    start: int
    end: int
    gap: str


@lru_cache(maxsize=1024)
def resolve(text: str, speaker: str, other: str | None = None) -> tuple[Edit, ...] | None:
    """What to replace so that a statement speaks of its speaker by name.

    Args:
        text: one statement.
        speaker: who says it.
        other: the only other person present, if there is just one; "you" is resolved then
            where it is plainly the object ("I told you about it").

    Returns:
        Edits from left to right, empty when no person is meant; ``None`` when it is doubtful.
    """
    if not _PERSON.search(text):
        return ()
    if _unbalanced(text):
        return None
    found = list(_words(text))
    edits: list[Edit] = []
    for i in range(len(found)):
        edit = _edit(found, i, speaker, other)
        if edit is None:
            return None
        edits += edit
    return None if edits and _lacks_subject(found) else tuple(edits)


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text with edits from left to right, which do not overlap, carried out."""
    out: list[str] = []
    place = 0
    for edit in edits:
        out += [text[place : edit.start], edit.text]
        place = edit.end
    return "".join(out) + text[place:]


def possessive(name: str) -> str:
    """``Ann's``."""
    return f"{name}'s"


def _unbalanced(text: str) -> bool:
    return text.count('"') % 2 == 1 or text.count("\u201c") != text.count("\u201d")


def _words(text: str) -> Iterator[_Word]:
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    place = 0
    for match in _TOKEN.finditer(text):
        while quoted and quoted[0][1] <= match.start():
            quoted.pop(0)
        if quoted and quoted[0][0] <= match.start():
            continue
        raw, gap = match[0], text[place : match.start()]
        yield _Word(raw.casefold().replace("\u2019", "'"), raw, match.start(), match.end(), gap)
        place = match.end()


def _lacks_subject(found: Sequence[_Word]) -> bool:
    """Whether the statement begins with its verb: "Wish I could", "Makes me sad"."""
    folded = [w.folded for w in found if w.folded not in _LINKS]
    if len(folded) > 1 and folded[1] in _BE:
        return False
    if len(folded) > 1 and folded[1] in {"me", "my"} and folded[0].endswith("s"):
        return folded[0] not in STOP_WORDS
    return bool(folded) and verbs.leaves_out_subject(folded[0])


def _edit(found: Sequence[_Word], i: int, speaker: str, other: str | None) -> list[Edit] | None:
    """The replacement of one word, none, or ``None`` for doubt."""
    word = found[i]
    if word.folded in _SECOND:
        return _addressed(found, i, other)
    if word.folded in _DOUBTFUL:
        return [] if word.raw == "US" else None
    if word.folded in _ENDINGS:
        return [Edit(word.start, word.end, speaker + _ENDINGS[word.folded])]
    if word.folded in _RULES:
        return _RULES[word.folded](found, i, speaker)
    return None if word.folded.startswith("i'") else []


def _subject(found: Sequence[_Word], i: int, speaker: str) -> list[Edit] | None:
    """Edits of "I" and of its verb."""
    word = found[i]
    if i and (_is_inverted(found, i) or _is_numeral(found, i)):
        return None
    j = i + 1
    while j < len(found) and not found[j].gap.strip() and verbs.is_adverb(found[j].folded):
        j += 1
    if j == len(found) or found[j].gap.strip():
        return None
    verb = found[j]
    form = verbs.agreed(verb.folded)
    if form is None:
        return None
    named = Edit(word.start, word.end, speaker)
    if form == verb.folded:
        return None if _shares_subject(found, j, verbs.FINITE) else [named]
    if verb.raw != verb.raw.lower() or _in_company(found, i) or _coordinates(found, j):
        return None
    return [named, Edit(verb.start, verb.end, form)]


def _am(found: Sequence[_Word], i: int, speaker: str) -> list[Edit] | None:
    """Edit of "I'm"."""
    if _coordinates(found, i):
        return None
    return [Edit(found[i].start, found[i].end, f"{speaker} is")]


def _have(found: Sequence[_Word], i: int, speaker: str) -> list[Edit] | None:
    """Edit of "I've"."""
    if _in_company(found, i) or _coordinates(found, i):
        return None
    return [Edit(found[i].start, found[i].end, f"{speaker} has")]


def _bare_am(found: Sequence[_Word], i: int, speaker: str) -> list[Edit] | None:
    """An "am" is that of the "I" before it, or of a time of day; else its subject is missing."""
    del speaker
    before = next((w for w in reversed(found[:i]) if not verbs.is_adverb(w.folded)), None)
    known = before is not None and (before.folded == "i" or before.folded[-1].isdigit())
    return [] if known else None


def _my(found: Sequence[_Word], i: int, speaker: str) -> list[Edit] | None:
    """The owner's name, unless "my" is an exclamation."""
    following = found[i + 1].folded if i + 1 < len(found) else ""
    if following in _EXCLAIMED or (i and found[i - 1].folded == "oh"):
        return None
    return [Edit(found[i].start, found[i].end, possessive(speaker))]


def _mine(found: Sequence[_Word], i: int, speaker: str) -> list[Edit] | None:
    """The owner's name, unless it may be a mine in the ground."""
    if i and found[i - 1].folded not in _BEFORE_MINE:
        return None
    return [Edit(found[i].start, found[i].end, possessive(speaker))]


_RULES: Mapping[str, Callable[[Sequence[_Word], int, str], list[Edit] | None]] = {
    "i": _subject, "i'm": _am, "im": _am, "i've": _have, "ive": _have, "am": _bare_am, "my": _my,
    "mine": _mine,
}  # fmt: skip
_ENDINGS = {"me": "", "i'll": " will", "i'd": "'d"}
"""What follows the name in the place of these words. "'d" keeps had and would apart no less."""


def _in_company(found: Sequence[_Word], i: int) -> bool:
    """Whether "and" before "I" may join it to another subject."""
    return i > 1 and found[i - 1].folded in {"and", "or", "nor"}


def _coordinates(found: Sequence[_Word], verb: int) -> bool:
    """Whether a later verb shares the subject and would have to agree as well."""
    infinitive = verb + 1 < len(found) and found[verb + 1].folded in {"to", "gonna", "going"}
    return _shares_subject(found, verb, verbs.FINITE if infinitive else verbs.COORDINATED)


def _shares_subject(found: Sequence[_Word], verb: int, forms: frozenset[str]) -> bool:
    """Whether one of these forms follows a conjunction or a comma, perhaps behind an adverb."""
    return any(
        found[i].folded in forms
        and (
            found[i - 1].folded in _LINKS
            or found[i].gap.strip() == ","
            or (verbs.is_adverb(found[i - 1].folded) and found[i - 2].folded in _LINKS)
        )
        for i in range(verb + 1, len(found))
    )


def _is_inverted(found: Sequence[_Word], i: int) -> bool:
    """Whether the auxiliary stands before "I", as in "so do I"; the month of May is none."""
    return found[i - 1].folded in _INVERTING and not (i > 1 and found[i - 1].raw == "May")


def _is_numeral(found: Sequence[_Word], i: int) -> bool:
    """Whether "I" may number the word before it: World War I, phase I."""
    before = found[i - 1]
    dated = before.folded in MONTHS or before.folded in WEEKDAYS
    named = i > 1 and before.raw[0].isupper() and not found[i].gap.strip() and not dated
    return named or before.folded in _NUMBERED


def _addressed(found: Sequence[_Word], i: int, other: str | None) -> list[Edit] | None:
    """The other's name for a "you" or "your" that plainly means them."""
    word = found[i]
    before = [w.folded for w in found[:i]]
    mine = any(w == "i" or w.startswith("i'") for w in before)
    if other is None or not mine or _TURNS_GENERIC.intersection(before):
        return None
    if word.folded == "you" and before[-1] in _TOWARDS and _ends_object(found, i):
        return [Edit(word.start, word.end, other)]
    if word.folded == "your" and before[-1] in _BESIDE_YOUR and i + 1 < len(found):
        return [Edit(word.start, word.end, possessive(other))]
    return None


def _ends_object(found: Sequence[_Word], i: int) -> bool:
    if i + 1 == len(found):
        return True
    following = found[i + 1]
    return bool(following.gap.strip()) or following.folded in _AFTER_YOU
