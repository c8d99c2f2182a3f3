"""Cutting what somebody says into statements: sentences, list items, and clauses that stand alone.

Talk is no prose: run-on sentences strung together with commas, pasted lists and code, emoji where
a full stop would be. A statement is always a slice of the text, so that what is found in it can be
shown where it was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

WRAPPED = 60
"""A line at least this long without a full stop goes on in the next line: it was wrapped."""
CLAUSE_WORDS = 3
"""Words that each side of a cut inside a sentence has at least: shorter clauses say nothing."""

_FENCE = re.compile(r"[ \t]*(```|~~~)")
_MARKER = re.compile(
    r"[ \t]*(?:(?:[-*+\u2022\u2023\u25cf\u2013]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\))[ \t]+"
    r"(?:\[[ xX]\][ \t]+)?"
    r"|#{1,6}[ \t]+|>[ \t]?)+"
)
_ROW = re.compile(r"[ \t]*\|")
_EMOJI = r"[\u2600-\u27bf\u2b50\U0001f000-\U0001faff\ufe0f\u200d]"
_CLOSERS = r"[\"'\u201d\u2019\u00bb)\]*_]*"
# Runs are taken whole, from their start, so that a text of nothing else costs linear time.
_STOP = re.compile(
    rf"(?<![.!?\u2026])[.!?\u2026]++{_CLOSERS}(?:[ \t]*{_EMOJI})*(?=\s)"
    r"|[\u3002\uff01\uff1f]++[\u300d\u300f\u201d\u2019)]*"
    rf"|(?<!{_EMOJI}){_EMOJI}++(?=\s+[A-Z])"
    r"|;(?=\s)"
)
_NEVER_LAST = re.compile(
    r"(?:^|[\s(\"'\u201c])(?:mr|mrs|ms|mx|dr|prof|st|vs|approx|dept|fig|vol|[a-z]|e\.g|i\.e)\.$",
    re.IGNORECASE,
)
_SHORTENED = re.compile(
    r"(?:^|[\s(\"'\u201c\d])(?:jr|sr|etc|est|inc|ltd|co|corp|no|min|max|hrs?|mins?|secs?|tel|ext"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thur?s?|fri|(?:[a-z]\.)+[a-z])\.$",
    re.IGNORECASE,
)
_PRONOUN = r"(?:I|we|you|he|she|they|it|this|that|there)"
_ASKING = (
    r"(?:(?:can|could|would|will|should|do|does|did|is|are|was|have|has)(?:n't|n\u2019t)?\s+"
    rf"{_PRONOUN}\b"
    r"|(?:how|what|when|where|which|who|why)(?:['\u2019]s|\s+(?:can|could|should|would|do|does|did"
    r"|is|are|was|were|kind|steps|else|much|many|long|often))\b|any\s+(?:tips|ideas|advice)\b)"
)
_CLAUSE = re.compile(
    r"(?:,|\s[-\u2013\u2014]|\u2014)\s*"
    rf"(?=(?:(?:and|but|so|or|yet|plus|also|then)\s+)+(?:{_PRONOUN}\b|my\s|our\s|let['\u2019]s\b|{_ASKING})"
    rf"|{_ASKING}|(?:I|[Ww]e)(?:['\u2019]|\s+(?:am|are|was|were|have|had|will|want|need|also|just|\w+ed)\b))",
)
_WORDS = re.compile(rf"\s*\S+(?:\s+\S+){{{CLAUSE_WORDS - 1}}}")
_SUBORDINATE = re.compile(
    r"\W*(?:(?:and|but|so|or)\s+)?(?:when|whenever|if|since|because|although|though|while|after|before|as|once"
    r"|until|unless|now that|given|even|considering)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A piece of a text that says one thing.

    Attributes:
        text: the slice ``text[start:end]`` of the whole; no white space round it.
        start: offset of its first character.
        end: offset behind its last character.
        code: a fenced block of code, fences included, kept whole.
    """

    text: str
    start: int
    end: int
    code: bool = False


def statements(text: str) -> list[Statement]:
    """The statements of a text in their order, without overlap.

    Sentences end at full stops (not those of abbreviations, decimals, addresses), at emoji
    followed by a capital, at semicolons, list items and paragraphs. Run-on sentences are cut
    again before a clause with its own subject ("..., and I have", "..., can you"). List markers,
    headings' marks and white space belong to no statement.
    """
    found: list[Statement] = []
    for start, end, code in _blocks(text):
        spans = [(start, end)] if code else _clauses(text, start, end)
        found += [s for a, b in spans if (s := _trimmed(text, a, b, code=code)).text]
    return found


def _trimmed(text: str, start: int, end: int, *, code: bool) -> Statement:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end = start + len(piece.strip())
    return Statement(text[start:end], start, end, code)


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Paragraphs, list items, table rows and fenced code: start, end, whether code."""
    start = end = 0
    fence = before = ""
    for line_start, line_end in _lines(text):
        line = text[line_start:line_end]
        mark = _FENCE.match(line)
        if fence:
            end = line_end
            if mark and mark[1] == fence:
                yield start, end, True
                start, fence, before = end, "", ""
            continue
        lead = _MARKER.match(line)
        if mark or lead or _ROW.match(line) or not _goes_on(before, line):
            yield start, end, False
            start = line_start + (lead.end() if lead and not mark else 0)
            fence = mark[1] if mark else ""
        end, before = line_end, line.rstrip()
    yield start, end, bool(fence)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every line, its line break left out."""
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line.rstrip("\r\n"))
        start += len(line)


def _goes_on(before: str, line: str) -> bool:
    """Whether a line continues the one before it."""
    here = line.lstrip()
    if not before or not here or before[-1] in ".!?:;\u2026":
        return False
    return here[0].islower() or len(before) >= WRAPPED


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of a block, run-on ones cut further."""
    for first, last in _sentences(text, start, end):
        begin = first
        for cut in _CLAUSE.finditer(text, first, last):
            if _stands(text, begin, cut.start()) and _WORDS.match(text, cut.end(), last):
                yield begin, cut.start()
                begin = cut.end()
        yield begin, last


def _stands(text: str, start: int, end: int) -> bool:
    """Whether what was said so far can end here: "when I moved" waits for more."""
    if not _WORDS.match(text, start, end):
        return False
    clause = text[start:end]
    if clause.count("(") > clause.count(")") or clause.count('"') % 2 == 1:
        return False
    return "," in clause or not _SUBORDINATE.match(clause)


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for stop in _STOP.finditer(text, start, end):
        if _ends_here(text, stop.end(), end):
            yield start, stop.end()
            start = stop.end()
    yield start, end


def _ends_here(text: str, stop: int, end: int) -> bool:
    """Whether the punctuation that ends at ``stop`` ends a sentence."""
    said = text[max(0, stop - 24) : stop]
    following = text[stop : min(end, stop + 24)].lstrip()
    lower = following[:1].islower()
    if lower and (said.endswith(("..", "\u2026")) or said[-1] in "\"'\u201d\u2019\u00bb)]*_"):
        return False
    if following and _NEVER_LAST.search(said):
        return False
    return not (_SHORTENED.search(said) and (lower or following[:1].isdigit()))
