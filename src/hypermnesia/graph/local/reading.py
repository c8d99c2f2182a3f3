"""A statement of a turn as construction reads it: what it speaks of and how much it says."""

# ruff: noqa: SIM905 - a list of words reads best as words

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from hypermnesia.graph.local import cues, words
from hypermnesia.graph.local.said import Said, text_span
from hypermnesia.judge.features_values import values
from hypermnesia.language.dates import Mention
from hypermnesia.language.statements import statements

LONGEST = 1_000
"""Characters of a statement that can be a fact; something longer is no single statement."""

OPENING = 40
"""Characters before a statement that still opens a turn: "Thanks for asking!"."""
FEWEST = 3
"""Words of a fact, its lead left out, where words are written apart."""

_FIRST = frozenset(
    "I i I'm i'm I\u2019m I've i've I\u2019ve I'll I\u2019ll I'd I\u2019d me My my mine myself We"
    " we us Our our ours".split()
)
_SECOND = frozenset(
    "you your yours yourself You Your Yours You're you're You\u2019re you\u2019re".split()
)
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*%?")
_NAME = re.compile(
    r"\b[A-Z][\w'\u2019&-]*(?: (?:(?:of|the|de|da|van|von|and) )?[A-Z][\w'\u2019&-]*){0,4}"
)
_MOVING = (
    "went|go|goes|going|moved?|moving|flew|fly|flying|drove|drive|driving|travell?(?:ed|ing)|travel"
    "|trips?|came|come|back|been|returned|relocat(?:ed|ing)|hik(?:ed|ing)|born|raised|headed"
)
_PLACE = re.compile(
    r"\b(?:[Ii]n|[Aa]t|[Nn]ear|[Vv]isit(?:ed|ing)?|[Ll]eft"
    rf"|(?:{_MOVING}) (?:over |back |up |down |out )?(?:to|from))"
    r" (?P<place>(?:the )?[A-Z][\w'\u2019-]*"
    r"(?:,? (?:(?:of|the|de|da|la) )?[A-Z][\w'\u2019-]*){0,4})"
)
_NO_PLACES = frozenset(
    "lgbtq lgbt ai english french german spanish italian chinese japanese python java javascript"
    " rust sql html css react excel i christmas easter halloween thanksgiving spring summer"
    " autumn winter".split()
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One statement.

    Attributes:
        text: a slice of the turn's content.
        start: offset in the content.
        end: offset past it.
        lead: characters of interjections and conjunctions at its beginning.
        telling: its telling words, folded, participants left out.
        names: capitalised names inside it, participants left out.
        numbers: how many numbers it states outside its dates.
        mentions: its dates.
        first: it speaks of its speaker.
        second: it speaks to somebody.
        index: its place among the statements of the turn.
        opens: no more than a few words of the turn come before it.
    """

    text: str
    start: int
    end: int
    lead: int
    telling: tuple[str, ...]
    names: tuple[str, ...]
    numbers: int
    mentions: tuple[Mention, ...]
    first: bool
    second: bool
    index: int
    opens: bool

    @property
    def core(self) -> str:
        """The statement without its lead."""
        return self.text[self.lead :]

    @property
    def specificity(self) -> float:
        """How definite it is, in [0, 1].

        A quarter for each number, date or name, a tenth for each telling word.
        """
        marks = self.numbers + len(self.mentions) + len(self.names)
        return min(1.0, 0.25 * marks + 0.1 * len(self.telling))


def readings(turn: Said, people: Collection[str]) -> list[Reading]:
    """The statements of a turn that assert something; code is none.

    Nor is a question, unless it gives a value of the speaker's in passing: "is it enough that I
    have 5 references?"

    Args:
        turn: whose text is read.
        people: folded words of the participants' names.
    """
    start, end = text_span(turn)
    dates = tuple(m for m in turn.mentions if start <= m.start and m.end <= end)
    found: list[Reading] = []
    starts = [m.start for m in dates]
    for index, said in enumerate(statements(turn.content[start:end])):
        if said.code or len(said.text) > LONGEST or cues.introduces(said.text):
            continue
        lead = cues.lead(said.text)
        a, b = start + said.start, start + said.end
        within = dates[bisect_left(starts, a) : bisect_left(starts, b)]
        opens = said.start <= OPENING
        reading = _read(said.text, a, b, lead, within, people, index, opens=opens)
        if not cues.asks(said.text[lead:]) or (reading.first and values(said.text)):
            found.append(reading)
    return found


def _read(
    text: str,
    start: int,
    end: int,
    lead: int,
    dates: tuple[Mention, ...],
    people: Collection[str],
    index: int,
    *,
    opens: bool,
) -> Reading:
    said = words.words(text)
    covered = sum(len(_NUMBER.findall(m.phrase)) for m in dates)
    return Reading(
        text=text,
        start=start,
        end=end,
        lead=lead,
        telling=tuple(words.telling(said, people)),
        names=tuple(_names(text, dates, people)),
        numbers=max(0, len(_NUMBER.findall(text)) - covered),
        mentions=dates,
        first=not _FIRST.isdisjoint(said),
        second=not _SECOND.isdisjoint(said),
        index=index,
        opens=opens,
    )


def _names(text: str, dates: tuple[Mention, ...], people: Collection[str]) -> Iterator[str]:
    """Capitalised names; a single word that opens the statement has its capital from there."""
    for found in _NAME.finditer(text):
        name = found[0].rstrip("'\u2019-&")
        first, *more = map(words.term, words.words(name))
        opening = not found.start() or text[found.start() - 1] in "*_\"'\u201c.-"
        dated = any(name in m.phrase for m in dates)
        if not (dated or first in people or (opening and not more)) and words.is_telling(first):
            yield name


def place(reading: Reading, people: Collection[str]) -> str | None:
    """The place that a statement names behind a preposition of place, if any."""
    for found in _PLACE.finditer(reading.text):
        name = found["place"].rstrip("'\u2019-")
        parts = [words.term(part) for part in words.words(name)]
        first = parts[1] if parts[0] == "the" and len(parts) > 1 else parts[0]
        telling = any(map(words.is_telling, parts))
        if first in people or first in _NO_PLACES or not telling:
            continue
        offset = reading.start + found.start("place")
        if not any(m.start <= offset < m.end for m in reading.mentions):
            return name
    return None


def says_enough(reading: Reading) -> bool:
    """Whether a statement is worth keeping by itself.

    About the speaker: one telling word, name, number or date. About anything else: two. Said to
    somebody, it is mostly praise or advice, and what it says of them they say themselves: three
    telling words when the speaker is in it, else two and a name, number or date.
    """
    if cues.is_yes_or_no(reading.text) or cues.is_courtesy(reading.core):
        return False
    if reading.text.isascii() and reading.core.count(" ") < FEWEST - 1:
        return False
    marks = reading.numbers + len(reading.names) + len(reading.mentions)
    spoken = len(reading.telling) + sum(len(w) // 4 for w in reading.telling if not w.isascii())
    if reading.second:
        return spoken >= FEWEST if reading.first else marks > 0 and spoken > 1
    return spoken + marks >= (1 if reading.first else 2)
