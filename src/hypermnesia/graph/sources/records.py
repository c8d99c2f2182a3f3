"""The conversations of a JSON document one at a time, and what is left of one that is cut off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from hypermnesia.graph.sources.documents import Broken, JsonStream


@dataclass(frozen=True, slots=True)
class Record:
    """A top-level value, or an element of a top-level list.

    Attributes:
        value: decoded JSON, or :class:`Unreadable`.
        complete: whether the document was sound up to the end of the value; otherwise the
            opened members hold what came before the break.
    """

    value: Any
    complete: bool


def objects(
    stream: JsonStream, opened: Mapping[str, int], wanted: frozenset[str] | None = None
) -> Iterator[Record]:
    """Every top-level value, and every element of top-level lists, one at a time.

    Args:
        stream: may hold several documents behind each other.
        opened: members of an object that are kept as far as they go when the document breaks,
            and so many levels of lists and objects inside them.
        wanted: members kept besides; ``None`` keeps all.

    Raises:
        Broken: after the records before the break.
    """
    while opening := stream.peek():
        if opening == "[":
            for _ in stream.items():
                yield from _record(stream, opened, wanted)
        else:
            yield from _record(stream, opened, wanted)


def _record(
    stream: JsonStream, opened: Mapping[str, int], wanted: frozenset[str] | None
) -> Iterator[Record]:
    held = list[Any]()
    try:
        match stream.peek():
            case "{":
                held.append({})
                _members(stream, held[0], opened, wanted)
            case "[":
                _gather(stream, 1, held.append)
            case _:
                held.append(stream.value())
    except Broken:
        if held and (isinstance(held[0], list) or opened.keys() & held[0].keys()):
            yield Record(held[0], complete=False)
        raise
    yield Record(held[0], complete=True)


def _members(
    stream: JsonStream,
    into: dict[str, Any],
    opened: Mapping[str, int],
    wanted: frozenset[str] | None,
) -> None:
    for name in stream.members():
        if name in opened:
            _gather(stream, opened[name], partial(into.__setitem__, name))
        elif wanted is None or name in wanted:
            into[name] = stream.value()
        else:
            stream.skip()


def _gather(stream: JsonStream, levels: int, put: Callable[[Any], None]) -> None:
    """Decode a value; its outer levels are handed over before they are filled."""
    opening = stream.peek()
    if levels and opening == "[":
        values = list[Any]()
        put(values)
        for _ in stream.items():
            _gather(stream, levels - 1, values.append)
    elif levels and opening == "{":
        members = dict[str, Any]()
        put(members)
        for name in stream.members():
            _gather(stream, levels - 1, partial(members.__setitem__, name))
    else:
        put(stream.value())
