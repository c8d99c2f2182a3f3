"""What the rules of the date grammar read from, and what they read.

A rule is a function of a :class:`Source`, the index of a token and whether the words before it
announce a date; it returns the :class:`Reading` that starts there, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, TypeAlias

from hypermnesia.language import dates_words as words
from hypermnesia.language.dates_calendar import Span, between
from hypermnesia.language.dates_lexer import Token

Tense = Literal["past", "future", "habit", "present", ""]

FIRST_YEAR = 1900
LAST_YEAR = 2099
_DAYS_OF_MONTH = 31
_NOTHING = Token("mark", "", 0, 0, 0)
_LEFT_ASIDE = frozenset({"the"} | words.APPROXIMATE - {"around"})


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the tokens from somewhere up to ``end``.

    Attributes:
        build: the days meant, if the year is the given one; raises ValueError or OverflowError
            where there are none.
        end: index past the last token.
        year: the year to build with; ``None`` if the words leave it open.
        explicit: a calendar date, not one counted from the anchor.
        about: the words say that it is approximate.
    """

    build: Callable[[int], Span]
    end: int
    year: int | None = None
    explicit: bool = True
    about: bool = False

    def then(self, step: Callable[[Span], Span]) -> Reading:
        """The same with a step applied to the days that it means."""
        build = self.build

        def stepped(year: int) -> Span:
            return step(build(year))

        return replace(self, build=stepped)


def relative(day: date, step: Callable[[date], Span], end: int, *, about: bool = False) -> Reading:
    """What is counted from a known day."""
    return Reading(lambda _: step(day), end, day.year, explicit=False, about=about)


def joined(left: Reading, right: Reading) -> Reading:
    """From the start of one to the end of the other; a year stated once holds for both."""

    def build(year: int) -> Span:
        first = left.build(year if left.year is None else left.year)
        last = right.build(year if right.year is None else right.year)
        if last.last < first.first and left.year is None:
            if right.year is None:
                last = right.build(year + 1)
            else:
                first = left.build(year - 1)
        elif last.last < first.first and right.year is None:
            last = right.build(year + 1)
        return between(first.first, last.last)

    return Reading(
        build,
        right.end,
        right.year if left.year is None else left.year,
        left.explicit and right.explicit,
        left.about or right.about,
    )


@dataclass(frozen=True, slots=True)
class Source:
    """A text's tokens and what is known of the moment they were said.

    Attributes:
        tokens: from the lexer.
        tenses: tells for each token the tense of its clause as seen from there; worked out when
            first asked for, since most dates say their year.
        anchor: day the text was said; ``None`` if unknown.
        openings: indices at which a stretch from one date to another can begin.
        previous: the days of the mention before, which "two days later" counts from.
        taken: index past the mention before: what it took in says nothing of what follows.
        depth: how many dates may still be nested in one another.
    """

    tokens: Sequence[Token]
    tenses: Callable[[], Sequence[Tense]]
    anchor: date | None
    openings: Collection[int]
    previous: Span | None = None
    taken: int = 0
    depth: int = 2

    def deeper(self) -> Source:
        """The same for a date inside a date."""
        return replace(self, depth=self.depth - 1)

    def token(self, i: int) -> Token:
        """The token at an index; an empty mark outside the text."""
        return self.tokens[i] if 0 <= i < len(self.tokens) else _NOTHING

    def word(self, i: int) -> str:
        """The word or mark at an index, lower case."""
        return self.token(i).word

    def follow(self, i: int, *expected: str) -> int:
        """Index past the given words, or -1 if the text does not go on with them."""
        for offset, word in enumerate(expected):
            if self.word(i + offset) != word:
                return -1
        return i + len(expected)

    def skip(self, i: int, *optional: str) -> int:
        """Index past one of the words, if one of them stands here."""
        return i + (self.word(i) in optional)

    def cue(self, i: int) -> str:
        """The word before, "the" and approximations left aside."""
        for back in (1, 2, 3):
            word = self.word(i - back)
            if word not in _LEFT_ASIDE:
                return word
        return ""

    def tense(self, i: int) -> Tense:
        """The tense of the clause as seen from a token."""
        return self.tenses()[i] if 0 <= i < len(self.tokens) else ""

    def year(self, i: int) -> int:
        """The year 1900 to 2099 written at an index, or 0."""
        token = self.token(i)
        written = token.kind == "number" and token.word.isdigit()
        return token.number if written and FIRST_YEAR <= token.number <= LAST_YEAR else 0

    def day(self, i: int) -> int:
        """The day of a month at an index, in digits or as an ordinal, or 0."""
        token = self.token(i)
        written = token.kind == "ordinal" or (token.kind == "number" and token.word.isdigit())
        return token.number if written and 1 <= token.number <= _DAYS_OF_MONTH else 0

    def month(self, i: int) -> int:
        """The month named at an index, 1 to 12, or 0."""
        token = self.token(i)
        return words.MONTHS.get(token.word, 0) if token.kind == "word" else 0


Rule: TypeAlias = Callable[[Source, int, bool], Reading | None]
"""What starts at an index, given whether the words before it announce a date."""


def longest(readings: Iterable[Reading | None]) -> Reading | None:
    """The reading that takes in most tokens, the first of equals."""
    return max((r for r in readings if r is not None), key=lambda r: r.end, default=None)


def tenses(tokens: Sequence[Token]) -> list[Tense]:
    """The tense at each token: that of the nearest verb or cue before it in its clause, else after.

    Present forms count only in a clause without any other: "what is fun is that we went Friday".
    """
    strong: list[Tense] = [_tense_of(token) for token in tokens]
    out: list[Tense] = [""] * len(tokens)
    for order in (range(len(tokens)), range(len(tokens) - 1, -1, -1)):
        found: Tense = ""
        for i in order:
            if tokens[i].word == "." or tokens[i].word in {"but", "so"}:
                found = ""
            elif strong[i] not in {"present", ""}:
                found = strong[i]
            out[i] = out[i] or found
    return _with_present(tokens, strong, out)


def _with_present(
    tokens: Sequence[Token], strong: Sequence[Tense], out: list[Tense]
) -> list[Tense]:
    start = 0
    for i in range(len(tokens) + 1):
        if i == len(tokens) or tokens[i].word == ".":
            if "present" in strong[start:i]:
                out[start:i] = [tense or "present" for tense in out[start:i]]
            start = i
    return out


_SHORTEST_PAST = len("ended")


def _tense_of(token: Token) -> Tense:
    word = token.word
    if word in words.FUTURE_CUES or word.endswith("'ll"):
        return "future"
    if word in words.PRESENT_CUES:
        return "present"
    if word in words.HABITUAL:
        return "habit"
    regular = len(word) >= _SHORTEST_PAST and word.endswith("ed")
    if word in words.PAST_VERBS or word.endswith("'ve"):
        return "past"
    return "past" if regular and word not in words.NOT_PAST_VERBS else ""
