"""What a turn of talk and a question about it give away by their words alone.

English; a turn or question in another language gives no signal, which is neutral everywhere.
Which signals are worth having, and how much, was measured by ``bench/dialogue_study.py``.
"""

from __future__ import annotations

import re
from calendar import isleap
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hypermnesia.store.lexicon import STOP_WORDS
from hypermnesia.types import Vector

ASSISTANTS = frozenset({"assistant", "ai", "bot", "chatbot", "model", "system", "tool", "agent"})
"""Names, in lower case, that no person has: who speaks under them is no one's "I"."""
READ = 500
"""Characters of a turn that are looked at; far more than a :data:`BRIEF` turn has."""
BRIEF = 300
"""Characters up to which a turn counts in full as one thing said: about the word pieces that
:data:`hypermnesia.models.late.TOKENS` vectors hold without pooling."""
HEARD = 50_000
"""Turns whose style is remembered, since searches hear much the same ones; as many as a store
holds (:data:`hypermnesia.store.sqlite.talk.HELD`)."""
NAMES = 2
"""Names that count in one turn."""
NEAR = 3
"""Days round a stated day that still speak of it: people tell of yesterday and of tomorrow."""
SHORT, MONTH = 10, 31
"""Longest period, in days, that is meant as a day (or a week), and as a month."""

Days = npt.NDArray[np.int64]
"""Ordinals of days (:meth:`datetime.date.toordinal`); 0 where none is known."""

# "What did I say ... you suggested": the answer is in the assistant's words as likely as not.
_ASKER = re.compile(r"\b(?:I|my|me|mine|myself)\b")
_YOURS = re.compile(
    r"\byou (?:\w+ )?(?:said|told|gave|suggest|recommend|mention|provid|list|advis|explain|propos)"
    r"|\byour (?:\w+ )?(?:suggest|recommend|advice|answer|list|explanation|response|reply)",
    re.IGNORECASE,
)
_OF_THEIRS = (
    (re.compile(r"\btheir\b"), "our"),
    (re.compile(r"\bthey\b"), "we"),
    (re.compile(r"\bthem\b"), "us"),
)
_ONES_OWN = re.compile(r"\b(?:his|her|their)\b")
# A capital after a lower-case word: no start of a sentence.
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|this|ago|since|recently|just|now"
    r"|weeks?|weekends?|months?|years?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(r"[?\uff1f]['\")\u201d\s]*$")


@dataclass(frozen=True, slots=True)
class Address:
    """Whom a question is about, and how that person would have put it.

    Attributes:
        speaker: the participant whose turns should answer; ``None`` = anyone's.
        text: the question in that person's words: "my" for "Maria's".
    """

    speaker: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Period:
    """Days a question names, both inclusive.

    Attributes:
        yearly: no year was stated; the days are those of any year.
    """

    first: date
    last: date
    yearly: bool = False


def address(question: str, participants: Sequence[str]) -> Address:
    """Find whom a question is about and put it in that person's words.

    One named participant, or the first of several, is the one who knows, unless they are named
    in one breath ("Ana and Ben"): then both are. In a chat between one person and assistants "I"
    is that person.

    Args:
        question: any text.
        participants: everyone who speaks in the scope, as written there.
    """
    people = persons(participants)
    named = _named(question, people)
    if not named:
        alone = len(people) == 1 and len(people) < len(participants)
        asks_of_self = alone and _ASKER.search(question) and not _YOURS.search(question)
        return Address(people[0] if asks_of_self else None, question)
    any_name = "|".join(mention.pattern for mention, _ in named)
    pair = rf"\b(?:both )?(?:{any_name})(?:'s)?,? (?:and|or|&) (?:{any_name})"
    if re.search(rf"{pair}|\bboth\b", question, named[0][0].flags):
        return Address(None, _as_we(question, re.compile(pair, named[0][0].flags)))
    text = _replaced(question, named[0][0], "my", "I")
    for mention, _ in named[1:]:
        text = _replaced(text, mention, "your", "you")
    return Address(named[0][1], _ONES_OWN.sub("my", text))


def persons(participants: Sequence[str]) -> list[str]:
    """The participants that are no assistants and have a name."""
    return [p for p in participants if p.strip() and p.casefold() not in ASSISTANTS]


@dataclass(frozen=True, slots=True)
class Style:
    """What a turn gives away by the way it is put.

    Attributes:
        brevity: how far it is one thing said, in (0, 1]: 1 up to :data:`BRIEF` characters, then
            less. In a long text a name or a date says nothing, and its neighbours are no part
            of it.
        asks: it ends with a question mark.
        names: capitalised words inside its sentences, in lower case.
        says_when: it places itself in time: "last week", "just".
    """

    brevity: float
    asks: bool
    names: tuple[str, ...]
    says_when: bool

    def news(self, known: Collection[str]) -> int:
        """How many of the names are no known words (in lower case), at most :data:`NAMES`."""
        return min(len([name for name in self.names if name not in known]), NAMES)


@lru_cache(HEARD)
def style(text: str) -> Style:
    """Look at a turn: what was said, without the speaker; the first :data:`READ` characters."""
    return Style(
        brevity=min(1.0, BRIEF / max(len(text), 1)),
        asks=_ASKING.search(text[-16:]) is not None,
        names=tuple(name.casefold() for name in _NAME.findall(text[:READ])),
        says_when=_TIME.search(text[:READ]) is not None,
    )


def nearness(periods: Sequence[Period], days: Days) -> Vector:
    """How well the days on which turns were said fit the days a question names.

    Args:
        periods: what the question names; of several the best fit counts.
        days: shape ``(n,)``.

    Returns:
        In [0, 1], shape ``(n,)``: 1 inside a stated day, week or month, .7 within :data:`NEAR`
        days of a stated day, .3 in its month, .5 inside a longer period; 0 otherwise, for an
        unknown day, and without a period.
    """
    years = sorted({date.fromordinal(int(day)).year for day in np.unique(days) if day > 0})
    best = np.zeros(len(days), np.float32)
    for period in periods:
        spans = [_in_year(period, year) for year in years] if period.yearly else [period]
        for span in spans:
            np.maximum(best, _fit(span, days), out=best)
    return best


def _fit(period: Period, days: Days) -> Vector:
    start, end = period.first.toordinal(), period.last.toordinal()
    gap = np.maximum(np.maximum(start - days, days - end), 0)
    if end - start < SHORT:
        month = period.first.replace(day=1)
        opening, closing = month.toordinal(), (month + timedelta(days=MONTH)).replace(day=1)
        near = np.where((days >= opening) & (days < closing.toordinal()), 0.3, 0.0)
        fit = np.where(gap == 0, 1.0, np.where(gap <= NEAR, 0.7, near))
    else:
        fit = np.where(gap == 0, 1.0 if end - start < MONTH else 0.5, 0.0)
    return np.where(days > 0, fit, 0.0).astype(np.float32)


def _in_year(period: Period, year: int) -> Period:
    """The same days of another year; 29 February becomes the 28th where there is none."""
    leap_day = (period.first.month, period.first.day) == (2, 29)
    first = period.first.replace(
        year=year, day=28 if leap_day and not isleap(year) else period.first.day
    )
    length = period.last - period.first
    return Period(first, first + min(length, date.max - first))


def _named(question: str, people: Sequence[str]) -> list[tuple[re.Pattern[str], str]]:
    """The participants a question names, in the order in which it does, and how it names each.

    By the whole name, or by its first word if no one else's name begins so; capitals count unless
    the question has none.
    """
    flags = re.IGNORECASE if question.islower() else re.NOFLAG
    folded = question.casefold()
    firsts = Counter(person.split()[0] for person in people)
    found: list[tuple[int, re.Pattern[str], str]] = []
    for person in people:
        first = person.split()[0]
        for name in dict.fromkeys((person, first if firsts[first] == 1 else person)):
            # The plain look-up spares a pattern for each of many participants.
            if name.casefold() not in folded or (flags and name.casefold() in STOP_WORDS):
                continue
            mention = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", flags)
            if match := mention.search(question):
                found.append((match.start(), mention, person))
                break
    return [(mention, person) for _, mention, person in sorted(found, key=lambda f: f[0])]


def _replaced(text: str, mention: re.Pattern[str], owner: str, self: str) -> str:
    possessive = re.compile(rf"{mention.pattern}['\u2019]s(?!\w)", mention.flags)
    return mention.sub(self, possessive.sub(owner, text))


def _as_we(text: str, pair: re.Pattern[str]) -> str:
    text = pair.sub("we", re.sub(rf"{pair.pattern}['\u2019]s(?!\w)", "our", text, flags=pair.flags))
    for pattern, ours in _OF_THEIRS:
        text = pattern.sub(ours, text)
    return text
