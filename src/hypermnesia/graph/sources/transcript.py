"""Talk as people write it down, and as messengers export it: a line for each utterance.

Understood are ``Ann: hi`` with or without a date and time before it (``[2023-05-08 13:56] Ann:
hi``, ``08/05/2023, 13:56 - Ann: hi``), a name and time on a line of their own (``Ann  10:03 AM``),
and headings that set the date and the session (``## 8 May 2023``, ``--- session 3, 8 May 2023
---``). Every other line goes on with the message above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import chain

from hypermnesia.graph.sources.conversations import Conversation, Item, Notice
from hypermnesia.graph.sources.decoding import Line, lines
from hypermnesia.graph.timestamps import Stamp, day_first, stamp

MAX_HELD = 1_000_000
"""Characters of an utterance held in memory; what follows becomes another of the same speaker."""
MAX_FENCED = 200
"""Lines of a code block; a fence open for longer is taken for a stray one."""
_OPENING = 300
"""Characters of a line in which a message can open or a heading stand."""
_MAX_TITLE = 200
_ALWAYS = 5
"""Messages with a time, one after another, that show that every message has one."""
_LOOK_AHEAD = 40
"""Lines that tell whether a text is a transcript at all."""

_FENCE = "```"
_INVISIBLE = re.compile("[\u200e\u200f\u202a-\u202e]")
_NAME = r"[^\W\d_][\w.'\u2019&()@/-]{0,39}(?: [\w.'\u2019&()@/-]{1,39}){0,3}"
_SAYS = re.compile(rf"(?:\*\*)?(?P<name>{_NAME})(?:\*\*:|:\*\*|:)(?:\s+(?P<text>.*))?", re.DOTALL)
_BRACKETED = re.compile(r"\[(?P<stamp>[^\]]{4,60})\][\s:-]*(?P<rest>.*)", re.DOTALL)
_DASHED = re.compile(r"(?P<stamp>\d.{3,50}?)\s+[-\u2013\u2014|]\s+(?P<rest>.*)", re.DOTALL)
_DATED = re.compile(r"(?P<stamp>\d{4}-\d{2}-\d{2}[T ]\d{1,2}:\d{2}\S*)\s+(?P<rest>\S.*)", re.DOTALL)
_ANYBODY = re.compile(r"(?P<name>[^:]{1,80}):(?:\s+(?P<text>.*))?", re.DOTALL)
_NAMED_FIRST = re.compile(
    rf"(?P<name>{_NAME})(?:\s{{2,}}|\t|\s+\u2014\s+|\s*(?=[\[(]))[\[(]?(?P<stamp>[^\[\]()]{{4,60}})[\])]?"
    r"(?::\s+(?P<text>.*))?",
    re.DOTALL,
)
_HEADING = re.compile(r"(?:#{1,6}\s+|[-=*_]{2,}\s*)(?P<title>\S.*?)\s*[-=*_#]*")
_SESSION = re.compile(
    r"(?P<session>(?:session|conversation|chat|meeting|part|day)\s+#?\w{1,40})\b[\s,:;(|\u2013-]*"
    r"(?P<rest>.*?)\)?",
    re.IGNORECASE,
)
_LABELS = frozenset(
    {
        *("answer", "cc", "date", "e.g", "edit", "example", "fact", "from", "fyi", "hint", "i.e"),
        *("important", "link", "nb", "note", "notes", "p.s", "ps", "question", "re", "reminder"),
        *("result", "source", "subject", "summary", "tip", "to", "todo", "update", "warning"),
    }
)
"""Words before a colon that are no speaker."""
_ROLES = frozenset({"user", "human", "assistant", "system", "ai"})
_ASSISTANTS = frozenset({"bot", "chatgpt", "claude", "copilot", "gemini", "tool"})
"""Names that answer a role; alone they may be anybody's."""


@dataclass(slots=True)
class _Utterance:
    """A message being read."""

    speaker: str
    at: datetime | None
    session: str | None
    line: int
    texts: list[str] = field(default_factory=list[str])
    size: int = 0

    def add(self, text: str) -> None:
        self.texts.append(text)
        self.size += len(text) + 1

    def item(self) -> Item:
        fields = {
            "speaker": self.speaker,
            "content": "\n".join(self.texts),
            "timestamp": self.at,
            "session": self.session,
        }
        return Item(fields, f"line {self.line}")


@dataclass(frozen=True, slots=True)
class _Opening:
    """A line that begins a message."""

    speaker: str
    text: str
    stamp: Stamp | None = None
    strict: bool = False


@dataclass(slots=True)
class _Reader:
    """What the lines so far have settled.

    Attributes:
        day_first: how "08/05/2023" is read.
        day: the last date named, for lines that name a time alone.
        start: the date, or date and time, of the last heading.
        strict: every message is stamped, so "Name: text" alone begins none.
        lower: names are written in lower case.
        roles: a chat with an assistant, whose answers are full of words before colons.
        begun: a message was read.
        stamped: messages with a time since the last without.
        fenced: lines of the code block that is open, or 0.
        blank: the line before was blank, or there was none.
        now: the message being read.
    """

    day_first: bool
    day: date | None = None
    start: datetime | None = None
    session: str | None = None
    strict: bool = False
    lower: bool = False
    roles: bool = False
    begun: bool = False
    stamped: int = 0
    fenced: int = 0
    blank: bool = True
    now: _Utterance | None = None

    def read(self, line: Line) -> Iterator[Item | Notice]:
        """Take in a line; yields what is complete by it."""
        text = _INVISIBLE.sub("", line.text).rstrip()
        if not line.whole:
            yield Notice(f"line {line.number}", "the line is too long; it was cut")
        opening = None if self._in_code(text) else self._opening(text)
        if opening:
            yield from self.end()
            self._begin(opening, line.number)
        elif not self.fenced and self._heading(text):
            yield from self.end()
        elif self.now is not None:
            yield from self._go_on(self.now, text)
        elif text:
            yield Notice(f"line {line.number}", "nobody speaks here; a line reads 'Ann: text'")
        self.blank = not text

    def end(self) -> Iterator[Item]:
        """The message being read, as complete."""
        if self.now is not None:
            yield self.now.item()
        self.now, self.fenced = None, 0

    def _begin(self, opening: _Opening, number: int) -> None:
        self.stamped = 0 if opening.stamp is None else self.stamped + 1
        self.strict = self.strict or opening.strict or self.stamped >= _ALWAYS
        if not self.begun:
            self.begun = True
            self.lower = opening.speaker[:1].islower()
            self.roles = opening.speaker.lower() in _ROLES
        if opening.stamp is None:
            at = self.start
        else:
            self.day = opening.stamp.day or self.day
            at = opening.stamp.at(self.day)
        self.now = _Utterance(opening.speaker, at, self.session, number)
        self.now.add(opening.text)
        self.fenced = opening.text.count(_FENCE) % 2

    def _go_on(self, now: _Utterance, text: str) -> Iterator[Item]:
        now.add(text)
        if now.size > MAX_HELD:
            yield now.item()
            self.now = _Utterance(now.speaker, now.at, now.session, now.line)

    def _in_code(self, text: str) -> bool:
        """Whether the line is part of a code block, where "name: value" is no speaker."""
        if self.now is None:
            return False
        inside = bool(self.fenced)
        if inside:
            self.fenced = self.fenced + 1 if self.fenced < MAX_FENCED else 0
        if (inside or text.lstrip().startswith(_FENCE)) and text.count(_FENCE) % 2:
            self.fenced = int(not inside)
            return True
        return bool(self.fenced)

    def _opening(self, text: str) -> _Opening | None:
        begin = text[:_OPENING]
        found = (
            _stamped(begin, self.day_first)
            or _named_first(begin, self.day_first)
            or (None if self.strict else self._said(begin))
        )
        return found and replace(found, text=found.text + text[_OPENING:])

    def _said(self, text: str) -> _Opening | None:
        found = _SAYS.fullmatch(text)
        if not found or not self._is_name(found["name"]):
            return None
        return _Opening(found["name"], found["text"] or "")

    def _is_name(self, name: str) -> bool:
        word = name.lower()
        if word in _ROLES or self.roles:
            return word in _ROLES or word in _ASSISTANTS
        if word in _LABELS:
            return False
        return not name[0].islower() or (" " not in name and (self.lower or not self.begun))

    def _heading(self, text: str) -> bool:
        """Take over the date and session of a heading, if the line is one that has them."""
        if len(text) > _OPENING:
            return False
        decorated = _HEADING.fullmatch(text)
        title = decorated["title"] if decorated else text
        if not title or (not decorated and not self.blank):
            return False
        session = _SESSION.fullmatch(title) if decorated else None
        rest = session["rest"] if session else title
        found = stamp(rest, day_first=self.day_first) if rest else None
        if rest and (found is None or found.day is None):
            return bool(decorated) and self._title(title)
        if session:
            self.session = session["session"]
        if found:
            self.day, self.start = found.day, found.at()
        return True

    def _title(self, title: str) -> bool:
        """A heading above all else names the session; further down it is part of a message."""
        if self.now is not None or self.session is not None:
            return False
        self.session = title[:_MAX_TITLE]
        return True


def conversations(text: Iterator[str]) -> Iterator[Conversation]:
    """One conversation, read as it arrives, in memory of one message.

    A message has the time of its own line, of the last heading, or none. A time without a date
    has the date last named. Where "08/05/2023" can be read both ways, the first numbers above 12
    decide, and "am" or "pm" for the month first. Lines of a messenger without a speaker ("Ann
    left") are said by "system". A block between ``` is not searched for speakers.
    """
    head = next(text, "")
    reader = _Reader(day_first(head))
    yield Conversation(frozenset(), _items(lines(chain((head,), text)), reader))


def is_transcript(head: str) -> bool:
    """Whether the text begins like one: with a speaker or a heading, or soon with two speakers."""
    reader = _Reader(day_first(head))
    found = 0
    texts = [text for text in head.split("\n") if text.strip()]
    for number, text in enumerate(texts[:_LOOK_AHEAD], start=1):
        list(reader.read(Line(number, text[:MAX_HELD])))
        found += reader.now is not None and reader.now.line == number
        if number == 1 and (found or reader.start or _SESSION.match(reader.session or "")):
            return True
    return found > 1


def _items(source: Iterator[Line], reader: _Reader) -> Iterator[Item | Notice]:
    for line in source:
        yield from reader.read(line)
    yield from reader.end()


def _stamped(text: str, day_first: bool) -> _Opening | None:
    """``[stamp] Name: text``, ``stamp - Name: text`` or ``stamp Name: text``."""
    for form in (_BRACKETED, _DASHED, _DATED):
        found = form.fullmatch(text)
        when = stamp(found["stamp"], day_first=day_first) if found else None
        if not found or when is None or when.clock is None:
            continue
        said = (_SAYS if form is _DATED else _ANYBODY).fullmatch(found["rest"])
        if said:
            return _Opening(said["name"].strip(" *"), said["text"] or "", when, form is _DASHED)
        if form is _DASHED and when.day:
            return _Opening("system", found["rest"], when, strict=True)
    return None


def _named_first(text: str, day_first: bool) -> _Opening | None:
    """``Name  10:03 AM`` with the text below, or ``Name (10:03): text``."""
    found = _NAMED_FIRST.fullmatch(text)
    when = stamp(found["stamp"].strip(), day_first=day_first) if found else None
    if not found or when is None or when.clock is None:
        return None
    return _Opening(found["name"].strip(), found["text"] or "", when, strict=found["text"] is None)
