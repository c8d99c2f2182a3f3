"""Data sets as JSON that may be damaged: every value is taken with its place, and checked."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from hypermnesia.errors import InvalidInput
from hypermnesia.graph.sources.decoding import pieces
from hypermnesia.graph.sources.documents import Broken, JsonStream, Unreadable
from hypermnesia.graph.sources.records import objects
from hypermnesia.graph.timestamps import instant
from hypermnesia.plain import plain_text


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object with its place in a file.

    Attributes:
        where: as a person finds it: ``locomo.json, conversation 2, question 7``.
        values: its members.
    """

    where: str
    values: Mapping[str, Any]

    def text(self, name: str) -> str:
        """A text that is not blank, trimmed.

        Raises:
            InvalidInput: it is missing, blank or no text.
        """
        if self.values.get(name) is None:
            raise self.wrong(name, "is missing")
        value = plain_text(self.values[name], f"{name!r} of {self.where}").strip()
        if not value:
            raise self.wrong(name, "is empty")
        return value

    def label(self, name: str) -> str:
        """A text or number as text; empty when it is missing.

        Raises:
            InvalidInput: it is something else.
        """
        match self.values.get(name):
            case None:
                return ""
            case bool():
                raise self.wrong(name, "must be text or a number, not a truth value")
            case int() | float() | str() as value:
                return plain_text(str(value), f"{name!r} of {self.where}").strip()
            case value:
                raise self.wrong(name, f"must be text or a number, not {type(value).__name__}")

    def whole(self, name: str) -> int:
        """A whole number.

        Raises:
            InvalidInput: it is none.
        """
        value = self.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(name, f"must be a whole number, not {type(value).__name__}")
        return value

    def moment(self, name: str) -> datetime | None:
        """A date and time; ``None`` when it is missing.

        Raises:
            InvalidInput: it is something else.
        """
        try:
            return instant(self.values.get(name), name)
        except InvalidInput as error:
            raise InvalidInput(f"{self.where}: {error}") from None

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; none when it is missing.

        Raises:
            InvalidInput: it is no list, or something else is in it.
        """
        listed = self._list(name, self.values.get(name) or [])
        return tuple(
            plain_text(value, f"item {number} of {name!r} of {self.where}")
            for number, value in enumerate(listed, start=1)
        )

    def objects(self, name: str, noun: str) -> list[Fields]:
        """A list of objects, each with its number as its place.

        Raises:
            InvalidInput: it is missing or no list, or something else is in it.
        """
        listed = self._list(name, self.values.get(name))
        return [
            checked(value, f"{self.where}, {noun} {number}")
            for number, value in enumerate(listed, start=1)
        ]

    def object(self, name: str) -> Fields:
        """An object inside this one.

        Raises:
            InvalidInput: it is missing or something else.
        """
        return checked(self.values.get(name), f"{name!r} of {self.where}")

    def wrong(self, name: str, problem: str) -> InvalidInput:
        """The error that says what is wrong with a member."""
        return InvalidInput(f"{name!r} of {self.where} {problem}")

    def _list(self, name: str, value: object) -> list[object]:
        if value is None:
            raise self.wrong(name, "is missing")
        if not isinstance(value, list):
            raise self.wrong(name, f"must be a list, not {type(value).__name__}")
        return cast("list[object]", value)


def checked(value: object, where: str) -> Fields:
    """An object with its place.

    Raises:
        InvalidInput: it is no object.
    """
    if isinstance(value, Unreadable):
        raise InvalidInput(f"{where} cannot be read: {value.reason}")
    if not isinstance(value, dict):
        raise InvalidInput(f"{where} must be an object, not {type(value).__name__}")
    return Fields(where, cast("dict[str, Any]", value))


def streamed(path: Path, noun: str, opened: Mapping[str, int] | None = None) -> Iterator[Fields]:
    """The objects of a file that is a list of them, one at a time; an object alone is one.

    Args:
        path: the file.
        noun: what an object is called.
        opened: members that may be larger than
            :data:`~hypermnesia.graph.sources.documents.MAX_VALUE`, and how many levels deep.

    Raises:
        InvalidInput: the file cannot be read, is no JSON, or holds something else.
    """

    def refuse(byte: int) -> None:
        raise InvalidInput(f"{path} is not UTF-8 at byte {byte}")

    with _opened(path) as file:
        records = objects(JsonStream(pieces(file, refuse)), opened or {})
        number = 0
        try:
            for number, record in enumerate(records, start=1):
                if record.complete:  # else the error follows
                    yield checked(record.value, f"{path.name}, {noun} {number}")
        except Broken as error:
            raise InvalidInput(f"{path} is not JSON: {error.where}: {error}") from None
        if not number:
            raise InvalidInput(f"{path} holds no {noun}")


@contextmanager
def _opened(path: Path) -> Generator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read ({error.strerror})") from None
