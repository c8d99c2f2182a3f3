"""A model's answer read field by field, with errors that the model can act on.

The errors name the field and what is wanted, and never repeat a value: they go into the next
prompt outside the data, and into the log.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from hypermnesia.errors import InvalidInput
from hypermnesia.graph.local.words import shortened
from hypermnesia.plain import plain_text

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fields:
    """An object of the answer.

    Every method raises :class:`~hypermnesia.errors.InvalidInput` when the field is missing, of
    the wrong type or out of bounds.

    Attributes:
        values: its members.
        where: its place in the answer, with a dot behind it; empty for the answer itself.
    """

    values: Mapping[str, Any]
    where: str = ""

    def text(self, name: str, longest: int) -> str:
        """A text on one line: at most ``longest`` characters, none a control character."""
        text = self._words(name)
        if len(text) > longest:
            raise InvalidInput(
                f"{self._place(name)} has {len(text)} characters, at most {longest} are allowed"
            )
        return text

    def cut(self, name: str, longest: int) -> str:
        """The same of a text that may be cut behind a word where it is too long."""
        return shortened(self._words(name), longest)

    def optional(self, name: str, longest: int) -> str | None:
        """A text that may be ``null``; one without words or too long counts as none."""
        value = self._get(name)
        text = "" if value is None else self._line(value, self._place(name))
        return text if _says_something(text) and len(text) <= longest else None

    def texts(self, name: str, most: int, longest: int) -> tuple[str, ...]:
        """Different texts; wordless and overlong ones and those beyond ``most`` are left out."""
        place = self._place(name)
        lines = [self._line(value, f"{place}[{i}]") for i, value in enumerate(self._list(name))]
        fitting = [line for line in lines if _says_something(line) and len(line) <= longest]
        distinct = {line.casefold(): line for line in fitting}
        return tuple(distinct.values())[:most]

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._get(name)
        if not isinstance(value, bool):
            raise InvalidInput(f"{self._place(name)} must be true or false")
        return value

    def share(self, name: str) -> float:
        """A number from 0 to 1."""
        value = self._get(name)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or not 0 <= value <= 1:
            raise InvalidInput(f"{self._place(name)} must be a number from 0 to 1")
        return float(value)

    def one_of(self, name: str, allowed: Sequence[T]) -> T:
        """One of some words."""
        value = self._get(name)
        if value not in allowed:
            raise InvalidInput(f"{self._place(name)} must be one of {', '.join(map(str, allowed))}")
        return cast("T", value)

    def known(self, name: str, ids: Mapping[str, T]) -> T:
        """What a short id stands for."""
        return _known(self._get(name), self._place(name), ids)

    def all_known(self, name: str, ids: Mapping[str, T]) -> tuple[T, ...]:
        """What a list of short ids stands for, each once."""
        place = self._place(name)
        found = [_known(v, f"{place}[{i}]", ids) for i, v in enumerate(self._list(name))]
        return tuple(dict.fromkeys(found))

    def items(self, name: str, most: int) -> list[Fields]:
        """At most so many objects."""
        values = self._list(name)
        if len(values) > most:
            raise InvalidInput(
                f"{self._place(name)} has {len(values)} items, at most {most} are allowed"
            )
        return [self._item(value, f"{self._place(name)}[{i}]") for i, value in enumerate(values)]

    def _item(self, value: object, place: str) -> Fields:
        if not isinstance(value, dict):
            raise InvalidInput(f"{place} must be an object")
        return Fields(cast("dict[str, Any]", value), f"{place}.")

    def _list(self, name: str) -> list[Any]:
        value = self._get(name)
        if not isinstance(value, list):
            raise InvalidInput(f"{self._place(name)} must be a list")
        return cast("list[Any]", value)

    def _get(self, name: str) -> Any:
        if name not in self.values:
            raise InvalidInput(f"{self._place(name)} is missing")
        return self.values[name]

    def _place(self, name: str) -> str:
        return f"{self.where}{name}"

    def _words(self, name: str) -> str:
        text = self._line(self._get(name), self._place(name))
        if not _says_something(text):
            raise InvalidInput(f"{self._place(name)} has no words; write out what it shall say")
        return text

    def _line(self, value: object, place: str) -> str:
        line = " ".join(plain_text(value, place).split())
        if any(unicodedata.category(character) == "Cc" for character in line):
            raise InvalidInput(f"{place} holds a control character; write plain text")
        return line


def _says_something(text: str) -> bool:
    """Whether there is a letter or a digit: small models copy the "..." of an example."""
    return any(character.isalnum() for character in text)


def _known(value: object, place: str, ids: Mapping[str, T]) -> T:
    if not isinstance(value, str) or value not in ids:
        first, *rest = ids or ("none",)
        span = f"{first} to {rest[-1]}" if rest else first
        raise InvalidInput(f"{place} is none of the ids given ({span})")
    return ids[value]
