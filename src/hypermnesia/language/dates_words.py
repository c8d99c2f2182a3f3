"""The words of the date grammar: numbers, names of days and months, and the cues around them.

Keys are as the lexer leaves words: lower case, straight apostrophes, without a possessive ``'s``.
"""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set to look things up in."""
    return frozenset(text.split())


MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
MONTHS: dict[str, int] = (
    {name.lower(): number for number, name in enumerate(MONTH_NAMES, 1)}
    | {name[:3].lower(): number for number, name in enumerate(MONTH_NAMES, 1)}
    | {"sept": 9}
)
"""Month by name or abbreviation, 1 to 12."""
AMBIGUOUS_MONTHS = frozenset({"may", "march", "mar"})
"""Also verbs or abbreviations of other words: in lower case they need more around them."""

_WEEKDAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAYS: dict[str, int] = (
    {name: number for number, name in enumerate(_WEEKDAY_NAMES)}
    | {name[:3]: number for number, name in enumerate(_WEEKDAY_NAMES)}
    | {"tues": 1, "weds": 2, "thur": 3, "thurs": 3}
)
"""Weekday by name or abbreviation, Monday is 0."""
AMBIGUOUS_WEEKDAYS = frozenset({"sun", "sat", "wed", "mon"})
"""In lower case these are other words."""
PLURAL_WEEKDAYS = {name + "s": number for number, name in enumerate(_WEEKDAY_NAMES)}
"""Counted back only ("three Fridays ago"); otherwise a habit, not a date."""

ABBREVIATED = frozenset(
    name
    for name in (*MONTHS, *WEEKDAYS)
    if name not in {*_WEEKDAY_NAMES, *(month.lower() for month in MONTH_NAMES)}
)
"""Names that a full stop may follow without ending the sentence."""

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First month of the meteorological seasons of the northern hemisphere (WMO convention)."""
PLURAL_SEASONS = {name + "s": month for name, month in SEASONS.items()}

UNITS = {
    name + ending: name
    for name in ("day", "week", "fortnight", "weekend", "month", "quarter", "year", "decade")
    for ending in ("", "s")
} | {"nights": "day"}
"""Unit of time by its singular or plural."""
PARTS_OF_DAY = frozenset({"morning", "afternoon", "evening", "night"})

_SMALL = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}
NUMBERS: dict[str, int] = (
    {word: value for value, word in enumerate(_SMALL.split(), 1)}
    | _TENS
    | {
        f"{ten}-{unit}": value + extra
        for ten, value in _TENS.items()
        for extra, unit in enumerate(_SMALL.split()[:9], 1)
    }
)
"""Numbers in words, 1 to 69."""
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
    " twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh"
    " twenty-eighth twenty-ninth thirtieth thirty-first"
)
ORDINALS: dict[str, int] = {word: value for value, word in enumerate(_ORDINALS.split(), 1)}
"""Ordinals in words, 1 to 31."""
VAGUE_COUNTS = {"couple": (2, 2), "few": (2, 5), "several": (3, 8), "dozen": (12, 12)}
"""Fewest and most that a word for an unstated number may mean; choices of this project."""

DECADES = {"sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990}

APPROXIMATE = word_set("around roughly approximately nearly almost circa about")
PARTS = {
    "early": "early", "mid": "mid", "late": "late", "middle": "mid", "start": "start",
    "beginning": "start", "end": "end",
}  # fmt: skip
"""Part of a period by its word; which share of the period it is, see ``dates_calendar.PARTS``."""
PARTS_WITH_OF = frozenset({"middle", "start", "beginning", "end"})

YEAR_CUES = word_set(
    "in since during by until till through from before after around of year early mid late"
    " circa throughout"
)
"""A number follows one of these to be read as a year."""
MONTH_CUES = word_set(
    "in since during by until till through throughout before after around of early mid late between"
)
STRONG_MONTH_CUES = word_set("in since during early mid late")
"""Even "may" and "march" in lower case are months after these."""
SEASON_CUES = word_set("in over during since by until till before after throughout")
HOLIDAY_CUES = word_set("on at over during around since by until till before after for this")
WEEKDAY_CUES = word_set("on by until till since before after from this")
WEEKEND_CUES = word_set("over during for on at this")
HABIT = word_set("every each any per another most half")
"""Before a day or a unit they speak of a habit, or of some other length of time."""

PAST_VERBS = word_set(
    "was were wasn't weren't went had hadn't did didn't got came saw took made met been haven't"
    " hasn't gave found left felt told said knew thought bought brought caught taught lost won ran"
    " began spent built sent held kept heard sat stood wrote drove flew grew spoke broke chose ate"
    " drank sang swam fell led paid sold wore woke became slept"
)
NOT_PAST_VERBS = word_set(
    "need feed speed indeed excited tired interested thrilled married supposed scheduled hundred"
    " planned booked invited stoked pumped worried concerned pleased prepared confused bored"
    " based related detailed required needed focused advanced limited naked sacred wicked beloved"
)
"""Words on -ed that place nothing in the past."""
FUTURE_CUES = word_set(
    "will won't shall gonna going plan plans planning hope hoping wait forward upcoming soon"
    " tomorrow let lets due deadline scheduled should must want wanna until till supposed"
    " can could would planned booked"
)
DEADLINE_CUES = frozenset({"by", "until", "till", "due"})
"""What ends then may be told of before or after, whatever the tense of the sentence."""
HABITUAL = word_set(
    "usually always often sometimes typically generally traditionally never tradition"
)
"""A holiday or a weekday beside one of these is a habit, not a date."""
PRESENT_CUES = word_set("am is are i'm we're they're you're he's she's it's there's")
"""Weaker than a verb in another tense; alone they point ahead ("the show is on Friday")."""

MONTH_DAY_HOLIDAYS: dict[str, tuple[int, int]] = {
    "christmas": (12, 25),
    "christmas day": (12, 25),
    "xmas": (12, 25),
    "christmas eve": (12, 24),
    "boxing day": (12, 26),
    "new year eve": (12, 31),
    "new years eve": (12, 31),
    "new year day": (1, 1),
    "new years day": (1, 1),
    "new years": (1, 1),
    "halloween": (10, 31),
    "valentine day": (2, 14),
    "valentines day": (2, 14),
    "valentines": (2, 14),
    "independence day": (7, 4),
    "juneteenth": (6, 19),
}
"""Month and day of the holidays that do not move."""
WEEKDAY_HOLIDAYS: dict[str, tuple[int, int, int, int]] = {
    "thanksgiving": (11, 3, 4, 0),
    "thanksgiving day": (11, 3, 4, 0),
    "black friday": (11, 3, 4, 1),
    "labor day": (9, 0, 1, 0),
    "memorial day": (5, 0, -1, 0),
    "mother day": (5, 6, 2, 0),
    "father day": (6, 6, 3, 0),
}
"""Month, weekday, which one of the month (-1: last) and days after it: as the United States
keeps them (5 U.S.C. 6103 for the federal ones, custom for the others)."""
EASTER_HOLIDAYS = {"easter": 0, "easter sunday": 0, "good friday": -2, "easter monday": 1}
"""Days from Easter Sunday."""
HOLIDAY_WORDS = 3
"""Words of the longest name of a holiday."""
