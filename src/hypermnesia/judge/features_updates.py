"""How a statement presents a value: as news, as a running tally, as a goal, or in passing.

"It has improved to 250 ms", "the new deadline of 5 April", "I now have 12" announce a value;
"I've completed 12 problems" gives a tally that only grows; "I want to reach 90%" is a goal.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from hypermnesia.judge.features_values import Value

Manner: TypeAlias = Literal["up", "down", "new", "tally", ""]
"""Announced as risen, as fallen or as different; a tally; or none of these."""

_UP = (
    r"increas(?:e|ed|es|ing)|rais(?:e|ed|es|ing)|extend(?:ed|s|ing)?"
    r"|gr[eo]wn?|growing|growth|risen|rose|rises|expand(?:ed|s|ing)?|boost(?:ed|s|ing)?|bump(?:ed|s|ing)?"
    r"|climb(?:ed|s|ing)?|jump(?:ed|s|ing)?|up|doubled|tripled|upgraded|scal(?:ed|ing)"
)
_DOWN = (
    r"drop(?:ped|s|ping)?|reduc(?:e|ed|es|ing)|lower(?:ed|s|ing)?|fell|fallen|cut|down"
    r"|decreas(?:e|ed|es|ing)|shr[aiu]nk|trim(?:med|ming)|shorten(?:ed|ing)|brought down|slashed"
)
_OTHER = (
    r"improv(?:e|ed|es|ing)|chang(?:e|ed|es|ing)|updat(?:e|ed|es|ing)|switch(?:ed|ing)|revis(?:ed|ing)|adjust(?:ed|ing)"
    r"|set|gone|went|mov(?:e|ed|es|ing)|brings?|bringing|brought|reset|corrected"
)
_MOVE = (
    r"mov(?:e|ed|es|ing)|shift(?:ed|ing)?|postpon(?:e|ed|ing)|push(?:ed|ing)?|reschedul(?:e|ed|ing)"
    r"|delay(?:ed|ing)?|chang(?:e|ed|ing)|extend(?:ed|ing)?|bring|brought|bringing|set back"
    r"|slip(?:ped|ping)?|switch(?:ed|ing)?|bump(?:ed|ing)?|updat(?:ed|ing)"
)
_FRESH = (
    r"new|latest|(?:the|an?|my|our|his|her|their|its|this)\s+"
    r"(?:updated|revised|extended|rescheduled)"
)
# Possessive, so that a text of apostrophes costs no more than any other.
_WORD = r"\w++(?:['\u2019]\w++)*+"
_ASIDE = r"(?!(?:on|in|from|after|with|about|at|by|during|\w+ed)\b)"
"""What begins another event than the one that is new: "a new site launched on 8 May"."""
_NOT_ON = r"(?:(?!(?:on|in|at|by)\b)\w+\W+)?"
"""At most a determiner stands between "to" and a date: "switched to Scrivener on 5 May"."""


def _until(verbs: str, link: str, words: int, closing: int) -> re.Pattern[str]:
    """The verb, up to ``words`` words, a linking word, up to ``closing`` words, and the value."""
    return re.compile(
        rf"(?<!add )\b(?:{verbs})\b(?:\W++{_WORD}){{0,{words}}}?"
        rf"\W++(?:{link})\W++(?:[^\W\d]++\W++){{0,{closing}}}$",
        re.IGNORECASE,
    )


_NEWS: tuple[tuple[Manner, re.Pattern[str]], ...] = (
    ("up", _until(_UP, "to|at", 7, 2)),
    ("down", _until(_DOWN, "to|at", 7, 2)),
    ("new", _until(_OTHER, "to|at|reflects?|is", 7, 3)),
    ("new", _until(_FRESH, "of|is|at|to", 4, 2)),
    (
        "new",
        re.compile(
            r"(?<!add )\b(?:now|total of|reach(?:ed|es|ing)?|hit|totals|currently at|stands? at"
            r"|up to)\W++(?:[^\W\d]++\W++){0,3}$",
            re.IGNORECASE,
        ),
    ),
)
_NEW_DATES = tuple(
    re.compile(rf"{start}\W++(?:{link})\W++{_NOT_ON}$", re.IGNORECASE)
    for start, link in (
        (rf"\b(?:{_MOVE})\b(?:\W++(?!\w+ed\b){_WORD}){{0,9}}?", "to|until|till|for"),
        (rf"\b(?:{_FRESH})(?:\W++{_ASIDE}{_WORD}){{1,5}}?", "of|is|on|at|for|to"),
        (
            rf"(?<!it's )(?<!it\u2019s )\bnow\b(?:\W++{_WORD}){{0,3}}?",
            "on|by|for|at|is|due|until|ends?|starts?|targets?",
        ),
        (r"(?<!today )\b(?:is|are|falls?|due|ends?|starts?)", "now"),
    )
)
_DATE_AND = re.compile(
    r"\b(?:[a-z]{3,9}\.?\s+\d{1,2}|\d{1,2}\s+[a-z]{3,9})(?:st|nd|rd|th)?(?:,?\s+\d{4})?"
    r",?\s+at\s*$"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\s+at\s*$",
    re.IGNORECASE,
)
"""A date before a time of day: "moved to Monday at 11 am" moves both."""
_AFTERWARDS = re.compile(
    rf"(?:\W*+{_WORD}){{0,3}}?\W*+\b(?:now|instead(?! of)|these days)\b"
    rf"|(?:\W*+{_WORD}){{0,5}}?\W*+\b(?:in total|so far|altogether|to date)\b",
    re.IGNORECASE,
)
_TALLY = re.compile(
    r"\b(?:(?:I|we|he|she|they|(?-i:[A-Z]\w+))(?:['\u2019](?:ve|s))?|has|have)"
    r"(?:\s+(?:already|now|just|recently|also|only|finally|currently|successfully|even|has|have))*"
    r"\s+(?:\w+ed|\w+en|\w+wn|got|have|had|made|ran|run|read|won|wrote|spent|done|did|met|sent"
    r"|built|taught|paid|bought|sold|put|held|gave)\b"
    r"(?:\W+(?:a|the|my|our|about|around|over|total|of|all|nearly|almost|just|at|least|up|to"
    r"|aside))*\W+$"
    r"|\b(?:has|have|contains?|includes?|totals?|holds?|counts?)\W+"
    r"(?:(?:about|around|over|nearly|already|now|almost|a|total|of)\W+)*$",
    re.IGNORECASE,
)
_GOAL = re.compile(
    r"\b(?:goals?|target(?:ing|s|ed)?|aim(?:ing|s|ed)?|under|at least|within|achieve|hop(?:e|ing)"
    r"|want(?:s|ed)?|should|less than|below|would|could|might|if|(?:need|plan|planning) to"
    r"|(?:I|we|you)['\u2019]d|suppose|imagine|say"
    r"|trying to (?:get|reach|hit|bring|raise|improve|increase|reduce)|to reach|to get|get it)\W+"
    r"(?:\w++(?:['\u2019]\w++)*+\W++){0,6}$",
    re.IGNORECASE,
)
_INSTANTS = frozenset({"ms", "second", "kb", "mb", "gb", "tb", "cm", "km", "mm", "kg", "m", "mph"})
TIMES = frozenset({"hour", "minut", "day", "week", "month", "year"})
"""Units of the time that people spend on things."""
MEASURES = _INSTANTS | TIMES
"""Units that anything can be measured in: alone they do not say what is measured."""


def manner(value: Value) -> Manner:
    """How a statement presents a value."""
    if value.kind in {"date", "clock"}:
        if _AFTERWARDS.match(value.after):
            return "new"
        before = _DATE_AND.sub("", value.before) if value.kind == "clock" else value.before
        return "new" if any(pattern.search(before) for pattern in _NEW_DATES) else ""
    for said, pattern in _NEWS:
        if pattern.search(value.before):
            return said
    if _AFTERWARDS.match(value.after):
        return "new"
    adds_up = value.kind != "count" or (value.unit and value.unit not in _INSTANTS)
    return "tally" if adds_up and _TALLY.search(value.before) else ""


def is_goal(value: Value) -> bool:
    """Whether a value is wished for, planned or supposed rather than given."""
    return bool(_GOAL.search(value.before))


def measured(value: Value) -> bool:
    """Whether what a value is the value of must be told by the words around it."""
    return value.kind != "count" or not value.unit or value.unit in MEASURES
