"""A JSON document read value by value, from pieces of text, as far as it is sound.

:mod:`json` needs a document whole and sound. Exports of chats are hundreds of megabytes, and
those that were cut off still hold what came before. So the outer structure is walked here, and
only what lies inside (a message) is left to :mod:`json`, once its end was found and its depth is
known to be harmless.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_VALUE = 16_000_000
"""Characters of one value that is decoded as a whole."""
MAX_NESTING = 64
"""Objects and lists within each other inside such a value; exports have about ten."""
_MAX_SCALAR = 4096

_LENIENT = json.JSONDecoder(strict=False)  # line ends within texts do no harm
_SPACE = re.compile(r"[ \t\r\n]*+")
_MARK = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.DOTALL)
_INSIDE = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_SCALAR = re.compile(r'[^\s,:\[\]{}"]*+')


class Broken(Exception):
    """The document is not sound from here on.

    Attributes:
        where: line and column, 1-based.
    """

    def __init__(self, where: str, message: str) -> None:
        super().__init__(message)
        self.where = where


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a value that has an end but cannot be decoded."""

    reason: str


class JsonStream:
    """A cursor in JSON text that arrives in pieces; keeps the value at hand, not the rest."""

    def __init__(self, text: Iterator[str]) -> None:
        self._pieces = text
        self._text = ""
        self._at = 0
        self._line = 1
        self._column = 1

    def peek(self) -> str:
        """The next character that is no white space, not consumed; empty at the end."""
        while True:
            self._at = _space_end(self._text, self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def items(self) -> Iterator[None]:
        """Stand before each element of a list; the caller consumes it.

        Raises:
            Broken: the list is cut off or malformed.
        """
        self._take("[")
        if self.peek() == "]":
            self._take("]")
            return
        while True:
            yield
            if self._take(",]") == "]":
                return

    def members(self) -> Iterator[str]:
        """The name of each member of an object; the caller consumes the value behind it.

        Raises:
            Broken: the object is cut off or malformed.
        """
        self._take("{")
        if self.peek() == "}":
            self._take("}")
            return
        while True:
            if self.peek() != '"':
                raise self.broken("a name in double quotes is missing")
            name = self.value()
            self._take(":")
            yield name if isinstance(name, str) else ""
            if self._take(",}") == "}":
                return

    def value(self) -> Any:
        """The value that begins here, decoded.

        Raises:
            Broken: the text ends inside it, or no value begins here.
        """
        if (opening := self.peek()) not in '"[{':
            return self._scalar()
        if not opening:
            raise self.broken("the text ends where a value should begin")
        text, depth = self._structure(keep=True)
        if text is None:
            return Unreadable(f"it has more than {MAX_VALUE:,} characters")
        if depth > MAX_NESTING:
            return Unreadable(f"it is nested {depth} deep, at most {MAX_NESTING} is read")
        return _decoded(text)

    def skip(self) -> None:
        """Pass over the value that begins here, without keeping it.

        Raises:
            Broken: the text ends inside it, or no value begins here.
        """
        if self.peek() and self.peek() in '"[{':
            self._structure(keep=False)
        else:
            self.value()

    def broken(self, message: str) -> Broken:
        """The error that names the present place."""
        self._drop()
        return Broken(f"line {self._line}, column {self._column}", message)

    def _take(self, expected: str) -> str:
        character = self.peek()
        if not character:
            raise self.broken(f"the text ends where {_either(expected)} should come")
        if character not in expected:
            raise self.broken(f"{_either(expected)} should come here")
        self._at += 1
        return character

    def _scalar(self) -> Any:
        while True:
            end = _scalar_end(self._text, self._at)
            if end < len(self._text) or end - self._at > _MAX_SCALAR or not self._more():
                break
        text = self._text[self._at : end]
        value = _decoded(text) if len(text) <= _MAX_SCALAR else Unreadable("a number is too long")
        if end == self._at or (isinstance(value, Unreadable) and end == len(self._text)):
            raise self.broken("no JSON value begins here")
        self._at = end
        return value

    def _structure(self, *, keep: bool) -> tuple[str | None, int]:
        """Text and depth of the list, object or string that begins here.

        The text is ``None`` if it is too long or was not asked for.
        """
        held, size, depth, deepest, quoted = list[str](), 0, 0, 0, False
        end = self._at
        while True:
            end, depth, deepest, quoted, done = _scan(self._text, end, depth, deepest, quoted)
            size += end - self._at
            if keep and size <= MAX_VALUE:
                held.append(self._text[self._at : end])
            self._at = end
            if done:
                return ("".join(held) if keep and size <= MAX_VALUE else None), deepest
            if not self._more():
                raise self.broken("the text ends inside a value")
            end = self._at

    def _more(self) -> bool:
        """Append a piece of text, if there is one, and let go of what was consumed."""
        piece = next(self._pieces, None)
        if piece is None:
            return False
        self._drop()
        self._text += piece
        return True

    def _drop(self) -> None:
        end = self._at
        count = self._text.count("\n", 0, end)
        self._column = end - self._text.rfind("\n", 0, end) if count else self._column + end
        self._line += count
        self._text, self._at = self._text[end:], 0


def _scan(
    text: str, at: int, depth: int, deepest: int, quoted: bool
) -> tuple[int, int, int, bool, bool]:
    """Follow brackets and quotes to the end of a value or of the text, whichever comes first."""
    while True:
        if quoted:
            at = _inside_end(text, at)
            if at == len(text) or text[at] == "\\":
                return at, depth, deepest, True, False
            at, quoted = at + 1, False
        elif match := _MARK.search(text, at):
            at, mark = match.end(), text[match.start()]
            if mark == '"':
                quoted = at == match.start() + 1  # its other end is in a later piece
            else:
                depth += 1 if mark in "[{" else -1
                deepest = max(deepest, depth)
        else:
            return len(text), depth, deepest, False, False
        if depth <= 0 and not quoted:
            return at, depth, deepest, False, True


def _space_end(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _scalar_end(text: str, at: int) -> int:
    match = _SCALAR.match(text, at)
    return match.end() if match else at


def _inside_end(text: str, at: int) -> int:
    match = _INSIDE.match(text, at)
    return match.end() if match else at


def _decoded(text: str) -> Any:
    try:
        return _LENIENT.decode(text)
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "a number is too long"
        return Unreadable(f"it is not JSON: {reason}")


def _either(characters: str) -> str:
    return " or ".join(f"'{character}'" for character in characters)
