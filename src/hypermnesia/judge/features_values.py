"""Values that a statement of talk gives: amounts, shares, prices, dates, times of day.

"I've completed 12 of the exercises" gives a count of exercises. A value can be updated by a later
statement; a number that names something (sprint 2, port 5000, Python 3.11), a difference (by 10%,
two more) or a range cannot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from hypermnesia.judge.features_talk import holder, spoken
from hypermnesia.judge.features_text import stem, tokenize
from hypermnesia.judge.features_words import NUMERALS, STOP, word_set

READ = 1000
"""Characters of a statement that are read for values: talk says what counts within a sentence."""
NEAR = 8
"""Content words on either side that say what a value is the value of."""
REACH = 90
"""Characters before a value in which its verb stands."""

_TIMED = frozenset({"date", "clock"})
LARGEST = 1e15
"""Numbers beyond are all the same: nobody counts so far."""

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_NUMBER = r"\d[\d,]*(?:\.\d+)?(?:k\b)?"
_ORDINAL_END = r"(?:st|nd|rd|th)?"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DATE = (
    rf"\b{_MONTH}\.?\s+\d{{1,2}}{_ORDINAL_END}(?:,?\s+\d{{4}})?(?![\d%])"
    rf"|\b\d{{1,2}}{_ORDINAL_END}\s+(?:of\s+)?{_MONTH}\b(?:,?\s+\d{{4}})?"
    rf"|\b\d{{4}}-\d\d-\d\d\b|\b{_MONTH}\s+\d{{4}}\b"
    rf"|\b{_WEEKDAY}\b"
)
_WORDS = "|".join(word for word in NUMERALS if word != "one")  # "one of them" counts nothing
_COUNTED = rf"(?:{_WORDS}|once|twice|thrice)\b"
_VALUE = re.compile(
    rf"(?P<date>{_DATE})"
    r"|(?P<clock>\b\d{1,2}(?::\d\d)?\s*(?:am|pm|a\.m\.|p\.m\.)(?!\w)|\b\d{1,2}:\d\d\b)"
    r"|(?P<name>\bv?\d+(?:\.\d+){2,}\b|\bv\d+(?:\.\d+)*\b|\b\d+\s*[/\u2013-]\s*\d+\b)"
    rf"|(?P<money>[$\u20ac\u00a3]\s?{_NUMBER}\b|\b{_NUMBER}\s*(?:dollars|euros|usd|eur|pounds)\b)"
    rf"|(?P<percent>\b{_NUMBER}\s*(?:%|percent\b|per\s+cent\b))"
    rf"|(?<![\w.,/-])(?P<count>{_NUMBER}|{_COUNTED})",
    re.IGNORECASE,
)
_ANY_VALUE = rf"\d|\b(?:{_COUNTED}|{_WEEKDAY}\b)"
"""What every value has one of."""
_ANY_LOWER, _ANY_CASE = re.compile(_ANY_VALUE), re.compile(_ANY_VALUE, re.IGNORECASE)
_QUOTED = re.compile(r"`[^`]*`|https?://\S+")
_SHORT_UNIT = re.compile(r"\s?(ms|[kmgt]b|[kcm]m|kg|mph|hrs?|mins?|secs?|[hs])\b", re.IGNORECASE)
_PHRASE = re.compile(
    r"(?:\s*/\s*|[\s-]+)((?:[^\W\d_][\w'\u2019]*)(?:[\s-]+[^\W\d_][\w'\u2019]*){0,5})"
)
_OF = word_set("of the my our his her their these those all")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LAST_WORD = re.compile(r"(?:^|(.)\s*)\b([\w'\u2019]+)[\s:]+$", re.DOTALL)
_FROM = re.compile(
    rf"\bfrom\s+(?:\w+\s+){{0,2}}?[$\u20ac\u00a3]?({_NUMBER})[^.;]{{0,40}}?\bto\s+(?:\w+\s+){{0,2}}$",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"\b(?:initially|originally|previously|formerly|instead of|rather than|used to be|compared to"
    r"|down from|up from)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_STARTING = re.compile(r"\bfrom\s+(?:\w+\s+)?$", re.IGNORECASE)
_ONWARD = re.compile(r"[^,.;]{0,40}?\bto\b", re.IGNORECASE)
_MORE_BEFORE = re.compile(
    r"\b(?:by|another|extra|additional|more|every|each)\s+(?:(?:about|around|over|to|just)\s+)?$",
    re.IGNORECASE,
)
_MORE_AFTER = re.compile(
    r"(?:\s?%)?\s*(?:\w+\s+)?(?:increase|decrease|improvement|reduction|rise|drop|boost|growth|gain"
    r"|discount|off|faster|slower|more|extra|additional|new|other|higher|lower|better|less|fewer)\b",
    re.IGNORECASE,
)

_NAMED = word_set(
    "sprint step port problem chapter version phase day week part section issue ticket task"
    " question example exercise page room unit level grade round stage session status error code"
    " http act scene line slide objective goal option no number figure table case row column pr age"
    " aged item lesson module episode season highway route gate platform apartment apt suite floor"
)
_UNITS = {
    "hr": "hour", "hrs": "hour", "h": "hour", "min": "minut", "mins": "minut",
    "sec": "second", "secs": "second", "s": "second",
}  # fmt: skip
_CLOSING = STOP | word_set(
    "after before since using per while because without like during including between under over"
    " until across around through against versus via worth ago plus now altogether instead"
)
"""Words that end the phrase of what is counted."""
_VOID = frozenset({"stop", "number", "date"})
"""Kinds of token that do not say what a value is the value of."""
_OPERATORS = ("=", "+", "*", "^", "\u00d7", "\u00f7", "\\")
"""Signs that make a number part of a formula."""
_TIMES = {"once": "1", "twice": "2", "thrice": "3"}


@dataclass(frozen=True, slots=True)
class Value:
    """One value in a text.

    Attributes:
        kind: ``count``, ``percent``, ``money``, ``date`` or ``clock``.
        value: its normalised form; digits without separators for a number.
        unit: stem of what is counted, or the unit of measure; empty if not said.
        modifiers: stems of the words between a number and what it counts.
        near: stems of the content words around it, without who tells it.
        before: the clause before it, as far as :data:`REACH` goes.
        after: the rest of the clause behind it.
        former: the amount named as the one before it ("from A to B"), if one is.
    """

    kind: str
    value: str
    unit: str
    modifiers: frozenset[str]
    near: frozenset[str]
    before: str
    after: str
    former: float | None

    @property
    def number(self) -> float:
        """The amount; 0 for dates and times of day."""
        return 0.0 if self.kind in _TIMED else _amount(self.value)


@lru_cache(maxsize=4096)
def values(text: str) -> tuple[Value, ...]:
    """The values that a later statement could update, in order; cached like the readings."""
    said = spoken(text)[1][:READ]
    if not _may_hold(said):  # as of most that people say
        return ()
    plain = _QUOTED.sub(lambda m: " " * len(m.group()), said)
    teller = frozenset({stem(holder(text))})
    found = (_value(plain, match, teller) for match in _VALUE.finditer(plain))
    return tuple(value for value in found if value)


def _may_hold(said: str) -> bool:
    """Whether a value may be found; told soonest in lower case, which only ASCII surely has."""
    found = _ANY_LOWER.search(said.lower()) if said.isascii() else _ANY_CASE.search(said)
    return found is not None


@lru_cache(maxsize=65536)
def kinds(text: str) -> frozenset[str]:
    """Kinds of the :func:`values`; small, so that many are kept: most neighbours have no other."""
    return _one_of_few(frozenset([value.kind for value in values(text)]))


@lru_cache
def _one_of_few(found: frozenset[str]) -> frozenset[str]:
    """The same set for equal ones, so that many texts share what the collector has to visit."""
    return found


def _value(text: str, match: re.Match[str], teller: frozenset[str]) -> Value | None:
    kind = str(match.lastgroup)
    start, end = match.span()
    unit, modifiers = _counted(text, match) if kind == "count" else ("", frozenset[str]())
    before, after = _clause_before(text, start), _clause_after(text, end)
    if kind == "name" or _names(text, match, unit) or _differs(kind, before, after):
        return None
    if _FORMER.search(before) or (_STARTING.search(before) and _ONWARD.match(after)):
        return None
    told = None if kind in _TIMED else _FROM.search(before)
    return Value(
        kind=kind,
        value=_normalised(kind, match.group()),
        unit=unit,
        modifiers=modifiers,
        near=_near(text, start, end) - teller,
        before=before,
        after=after,
        former=_amount(told[1]) if told else None,
    )


def _amount(text: str) -> float:
    return min(float(re.sub(r"[^\d.]", "", text).strip(".") or 0), LARGEST)


def _normalised(kind: str, surface: str) -> str:
    text = re.sub(r"\s+", " ", surface.lower().replace(",", ""))
    text = re.sub(r"([\d.]+)k\b", lambda m: f"{float(m[1]) * 1000:.0f}", text)
    if kind == "count":
        return _TIMES.get(text, NUMERALS.get(text, text))
    if kind == "date":
        text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|\bof |\.| (?:19|20)\d\d$", "", text)
        text = re.sub(rf"\b({_MONTH})\b", lambda m: m[1][:3], text)
        return " ".join(sorted(text.split()))
    return text.replace(" percent", "%").replace(" per cent", "%").replace(" ", "")


def _counted(text: str, match: re.Match[str]) -> tuple[str, frozenset[str]]:
    """What a number counts, and the words in between: "12 open source tools"."""
    if match.group().lower() in _TIMES:
        return stem("times"), frozenset()
    short = _SHORT_UNIT.match(text, match.end())
    if short:
        unit = short[1].lower()
        return _UNITS.get(unit, unit), frozenset()
    phrase = _PHRASE.match(text, match.end())
    words = [word.lower() for word in re.split(r"[\s-]+", phrase[1])] if phrase else []
    while words and words[0] in _OF:
        del words[0]
    stop = next((i for i, word in enumerate(words) if word in _CLOSING), len(words))
    words = words[:stop]
    if not words:
        return "", frozenset()
    head = next((i for i, word in enumerate(words) if _plural(word)), 0)
    unit = _UNITS.get(words[head], stem(words[head]))
    return unit, frozenset(stem(word) for word in words[:head])


def _plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "'s", "\u2019s"))


def _names(text: str, match: re.Match[str], unit: str) -> bool:
    """Whether a number says which thing, not how many: years, #12, sprint 2, Python 3.11."""
    if match.lastgroup != "count":
        return False
    before = text[max(0, match.start() - 40) : match.start()]
    if before.rstrip().endswith(_OPERATORS) or text[match.end() :].lstrip().startswith(_OPERATORS):
        return True
    if before.endswith("#") or (_YEAR.fullmatch(match.group()) and not unit):
        return True
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    opens = not word[1] or word[1] in ".!?:\n"
    return word[2].lower() in _NAMED or (
        word[2][0].isupper() and word[2] != "I" and not opens and word[2].lower() not in STOP
    )


def _differs(kind: str, before: str, after: str) -> bool:
    """Whether an amount is a difference to another: by 10%, two more, a 5% increase."""
    if kind in _TIMED:
        return False
    return bool(_MORE_BEFORE.search(before) or _MORE_AFTER.match(after))


def _clause_before(text: str, start: int) -> str:
    head = text[max(0, start - REACH) : start]
    cuts = [m.end() for m in re.finditer(r"[.;:]\s|,\s(?!which|who|now)", head)]
    return head[cuts[-1] :] if cuts else head


def _clause_after(text: str, end: int) -> str:
    return re.split(r"[.;,:]\s", text[end : end + REACH], maxsplit=1)[0]


def _near(text: str, start: int, end: int) -> frozenset[str]:
    def content(part: str) -> list[str]:
        return [t.stem for t in tokenize(part) if t.kind not in _VOID and t.stem[0].isalnum()]

    return frozenset(content(text[:start])[-NEAR:] + content(text[end:])[:NEAR])
