"""Cutting a text into the tokens of the date grammar.

The text falls into chunks between spaces and marks of punctuation; a chunk is one token or a few
(``mid-May``, ``5-7``, ``2023-05-07``). Whatever is no word and no plain number (an identifier, an
address, a version, a fraction, a time of day) becomes an opaque token that no rule accepts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hypermnesia.language import dates_words as words

Kind = Literal["word", "number", "ordinal", "decade", "quarter", "day", "month", "mark", "opaque"]

_MARKS = r",;!?()\[\]{}\"\u201c\u201d\u2014\u2013\u2026*<>|"
# A comma between thousands stays inside: "1,200" must not be read as "200". The look-arounds are
# of fixed length, so each character is looked at a bounded number of times.
_CHUNK = re.compile(
    rf"[^\s.{_MARKS}](?:[^\s.{_MARKS}]|\.(?!\.)|(?<=[0-9]),(?=[0-9]{{3}}(?![0-9])))*"
    rf"|[.{_MARKS}]|\n"
)
_DATE = re.compile(
    r"(?P<iso>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[Tt][0-9:.]{4,15}(?:[Zz]|[+-][0-9:]{4,6})?)?"
    r"|(?P<y>[0-9]{4})/(?P<m>[0-9]{1,2})/(?P<d>[0-9]{1,2})"
    r"|(?P<a>[0-9]{1,2})/(?P<b>[0-9]{1,2})/(?P<c>[0-9]{4}|[0-9]{2})"
)
_MONTH = re.compile(r"(?P<y>(?:19|20)[0-9]{2})-(?P<m>[0-9]{2})")
_ATOM = re.compile(
    r"(?P<ordinal>[0-9]{1,2})(?:st|nd|rd|th)|(?P<decade>(?:19|20)?[1-9]0)['\u2019]?s"
    r"|(?P<number>[0-9]{1,4})|q(?P<quarter>[1-4])|(?P<word>[^\W\d_]+(?:['\u2019][^\W\d_]+)?)",
    re.IGNORECASE,
)
_ATOM_LENGTH = 40
"""Longer atoms are no words; none is copied to be looked up."""
_SHORT_YEAR = re.compile("[0-9]{2}")
"""Behind an apostrophe: "the summer of '21"."""
_LEADING = "'\u2018\u2019~"
_TRAILING = ".:'\u2019"
_STOPS = frozenset(".;!?:\n\u2026\u2014")
_CENTURY_SPLIT = 69
_MAX_MONTH = 12


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text.

    Attributes:
        kind: ``word``, ``number``, ``ordinal``, ``decade``, ``quarter``, ``day`` (``word`` is an
            ISO 8601 date), ``month`` (``word`` is year and month), ``mark`` or ``opaque``.
        word: lower-cased word or mark; a stop of any kind is ``.``, a hyphen inside a chunk ``-``,
            a free-standing dash ``--``.
        number: value of a number, ordinal, quarter, or the first year of a decade.
        start: offset of the first character.
        end: offset past the last.
        capital: begins with a capital letter.
    """

    kind: Kind
    word: str
    number: int
    start: int
    end: int
    capital: bool = False


def lex(text: str) -> list[Token]:
    """All tokens of a text, in order; linear in its length."""
    out: list[Token] = []
    for match in _CHUNK.finditer(text):
        chunk, start = match.group(), match.start()
        if chunk.isalpha() and len(chunk) <= _ATOM_LENGTH and (word := _plain(chunk)):
            out.append(Token("word", word, 0, start, match.end(), chunk[0].isupper()))
        elif chunk[0] in _STOPS:
            out.append(Token("mark", ".", 0, start, match.end()))
        elif chunk in {"-", "\u2013"}:
            out.append(Token("mark", "--", 0, start, match.end()))
        elif len(chunk) == 1 and not chunk.isalnum():
            out.append(Token("mark", chunk, 0, start, match.end()))
        else:
            out.extend(_chunk(chunk, start))
    return out


def _plain(chunk: str) -> str:
    """Letters in lower case if they are a mere word; most of a text is, and needs no more."""
    word = chunk.lower()
    return "" if word in _COUNTING else word


_COUNTING = words.NUMBERS.keys() | words.ORDINALS.keys() | words.DECADES.keys()


def _chunk(chunk: str, start: int) -> Iterator[Token]:
    core = chunk.rstrip(_TRAILING)
    tail = chunk[len(core) :]
    begin = len(core) - len(core.lstrip(_LEADING))
    if begin and _SHORT_YEAR.fullmatch(core, begin):
        year = _century(int(core[begin:]))
        yield Token("number", str(year), year, start, start + len(core))
    else:
        yield from _core(core[begin:], start + begin)
    if ":" in tail or ("." in tail and core[begin:].lower() not in words.ABBREVIATED):
        yield Token("mark", ".", 0, start + len(core), start + len(chunk))


def _core(core: str, start: int) -> Iterator[Token]:
    if not core:
        return
    end = start + len(core)
    if len(core) <= _ATOM_LENGTH:
        if core.lower() in words.NUMBERS:
            yield Token("number", core.lower(), words.NUMBERS[core.lower()], start, end)
            return
        if core.lower() in words.ORDINALS:
            yield Token("ordinal", core.lower(), words.ORDINALS[core.lower()], start, end)
            return
        if (dated := _dated(core, start)) is not None:
            yield dated
            return
    atoms = list(_atoms(core, start))
    if _is_compound(atoms):
        yield from atoms
    else:
        yield Token("opaque", "", 0, start, end)


def _dated(core: str, start: int) -> Token | None:
    """``2023-05-07T10:00Z``, ``2023/5/7``, ``5/7/2023``, ``5/7/23``, ``2023-05``.

    Of two numbers before a year the month comes first, unless it would exceed 12.
    """
    end = start + len(core)
    if (match := _MONTH.fullmatch(core)) and 1 <= int(match["m"]) <= _MAX_MONTH:
        return Token("month", core, 0, start, end)
    if not (match := _DATE.fullmatch(core)):
        return None
    if match["iso"]:
        return Token("day", match["iso"], 0, start, end)
    if match["y"]:
        year, month, day = int(match["y"]), int(match["m"]), int(match["d"])
    else:
        year, month, day = int(match["c"]), int(match["a"]), int(match["b"])
        if len(match["c"]) == len("23"):
            year = _century(year)
        if month > _MAX_MONTH:
            month, day = day, month
    return Token("day", f"{year:04}-{month:02}-{day:02}", 0, start, end)


def _century(year: int) -> int:
    """A year of two digits lies in 1969 to 2068 (POSIX strptime, %y)."""
    return year + (2000 if year < _CENTURY_SPLIT else 1900)


def _atoms(core: str, start: int) -> Iterator[Token]:
    """The parts of a chunk between hyphens and slashes, with these between them as hyphens."""
    place = 0
    for piece in re.split("([-/])", core):
        begin, place = start + place, place + len(piece)
        end = start + place
        if piece in {"-", "/"}:
            yield Token("mark", "-", 0, begin, end)
        elif len(piece) <= _ATOM_LENGTH and (match := _ATOM.fullmatch(piece)):
            yield _atom(match, begin, end)
        else:
            yield Token("opaque", "", 0, begin, end)


def _atom(found: re.Match[str], start: int, end: int) -> Token:
    text = found.group().lower().replace("\u2019", "'")
    capital = found.group()[0].isupper()
    match found.lastgroup:
        case "ordinal" | "number" | "quarter" as kind:
            return Token(kind, text, int(found[kind]), start, end)
        case "decade":
            year = int(found["decade"])
            return Token("decade", text, year if year > 100 else 1900 + year, start, end)  # noqa: PLR2004 - two digits
        case _:
            word = text.removesuffix("'s") if text not in _CONTRACTED else text
            if word in words.DECADES:
                return Token("decade", word, words.DECADES[word], start, end)
            return Token("word", word, 0, start, end, capital)


_CONTRACTED = frozenset({"he's", "she's", "it's", "there's", "let's", "that's", "what's"})


def _is_compound(atoms: list[Token]) -> bool:
    """Whether a chunk of several atoms is words, two numbers, or a day beside a month."""
    parts = [atom for atom in atoms if atom.kind != "mark"]
    kinds = {atom.kind for atom in parts}
    if len(parts) == 1 or kinds == {"word"}:
        return "opaque" not in kinds
    if kinds <= {"number", "ordinal"}:
        return len(parts) == 2 and atoms[1].word == "-" and len(atoms) == 3  # noqa: PLR2004 - "5-7"
    named = [atom.word for atom in parts if atom.kind == "word"]
    if "opaque" in kinds or len(parts) > 3:  # noqa: PLR2004 - day, month, year
        return False
    return all(word in words.MONTHS or word in words.PARTS for word in named)
