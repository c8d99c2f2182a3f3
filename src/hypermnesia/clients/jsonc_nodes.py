"""Where each value of a JSON text stands; comments and trailing commas are passed over."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from hypermnesia.errors import InvalidInput

Key: TypeAlias = str | int
"""The name of a member, or the position of an element."""

MAX_DEPTH = 200
"""Levels of nesting that are read; configuration files have a handful."""
EMPTY = {"{": "{}", "[": "[]"}
"""A container that holds nothing, by the sign that opens it."""

_GAP = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_ATOM = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?\d[\d.eE+-]*|true|false|null')


@dataclass(frozen=True, slots=True)
class Node:
    """A value with the characters ``[start, end)`` it is written in; ``items`` of a container."""

    start: int
    end: int
    value: Any
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A member or element: its key, where it begins, its value, and its comma or ``None``."""

    key: Key
    start: int
    node: Node
    comma: int | None


def parse(text: str) -> Node:
    """The value of a text, with every value inside it.

    Raises:
        InvalidInput: it is not JSON, even with comments; the message names line and column.
    """
    return _Reader(text).document()


def is_blank(text: str) -> bool:
    """Whether a text holds nothing but space and comments."""
    return _GAP.fullmatch(text) is not None


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0
    depth: int = 0

    def document(self) -> Node:
        self._skip()
        node = self._value()
        self._skip()
        if self.at < len(self.text):
            raise self._error("something follows the end")
        return node

    def _value(self) -> Node:
        opening = self.text[self.at : self.at + 1]
        if opening in EMPTY:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise self._error("it is nested too deeply")
            node = self._container(opening)
            self.depth -= 1
            return node
        return self._atom()

    def _atom(self) -> Node:
        match = _ATOM.match(self.text, self.at)
        if match is None:
            raise self._error("a value is missing")
        try:
            value = json.loads(match[0])
        except ValueError:
            raise self._error("this is no JSON value") from None
        start, self.at = self.at, match.end()
        return Node(start, self.at, value)

    def _container(self, opening: str) -> Node:
        start, items, closing = self.at, list[Item](), EMPTY[opening][1]
        self.at += 1
        self._skip()
        while not self.text.startswith(closing, self.at):
            if items and items[-1].comma is None:
                raise self._error(f"',' or '{closing}' is missing")
            items.append(self._item(opening, len(items)))
            self._skip()
        self.at += 1
        return Node(start, self.at, _value_of(opening, items), tuple(items))

    def _item(self, opening: str, position: int) -> Item:
        start, key = self.at, cast("Key", position)
        if opening == "{":
            key = self._name()
        node, comma = self._value(), None
        self._skip()
        if self.text.startswith(",", self.at):
            comma, self.at = self.at, self.at + 1
        return Item(key, start, node, comma)

    def _name(self) -> str:
        if not self.text.startswith('"', self.at):
            raise self._error("a name in double quotes is missing")
        name = self._atom().value
        self._skip()
        if not self.text.startswith(":", self.at):
            raise self._error("':' is missing")
        self.at += 1
        self._skip()
        return name

    def _skip(self) -> None:
        match = _GAP.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _error(self, what: str) -> InvalidInput:
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - (self.text.rfind("\n", 0, self.at) + 1) + 1
        return InvalidInput(f"it is not JSON at line {line}, column {column}: {what}")


def _value_of(opening: str, items: Sequence[Item]) -> Any:
    if opening == "{":
        return {item.key: item.node.value for item in items}
    return [item.node.value for item in items]
