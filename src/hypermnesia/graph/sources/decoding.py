"""Bytes of any usual encoding as text and lines, a piece at a time."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import BinaryIO, TextIO, cast

CHUNK = 1 << 16
"""Bytes, or characters, read at once."""
MAX_LINE = 16_000_000
"""Characters of a line; of a longer one only the beginning is kept."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the other's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MARK_BYTES = 4
_ESCAPED = re.compile("[\udc80-\udcff]")
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a text, without its end.

    Attributes:
        number: 1-based.
        text: the line, or its first :data:`MAX_LINE` characters.
        whole: whether ``text`` is all of it.
    """

    number: int
    text: str
    whole: bool = True


def pieces(stream: BinaryIO | TextIO, broken: Callable[[int], None]) -> Iterator[str]:
    """The text of a stream that need not seek; a byte order mark decides, else it is UTF-8.

    Args:
        stream: open for reading, in either mode.
        broken: told once, with the 0-based byte, of bytes that are not in the encoding; each
            is replaced by U+FFFD.
    """
    first = stream.read(CHUNK)
    if isinstance(first, str):
        yield from _written(first.removeprefix("\ufeff"), cast("TextIO", stream))
        return
    while len(first) < _MARK_BYTES and (more := cast("BinaryIO", stream).read(CHUNK)):
        first += more
    mark, encoding = next(((m, e) for m, e in _MARKS if first.startswith(m)), (b"", "utf-8"))
    yield from _decoded(first, cast("BinaryIO", stream), mark, encoding, broken)


def _written(piece: str, stream: TextIO) -> Iterator[str]:
    while piece:
        yield piece
        piece = stream.read(CHUNK)


def _decoded(
    chunk: bytes, stream: BinaryIO, mark: bytes, encoding: str, broken: Callable[[int], None]
) -> Iterator[str]:
    errors = "surrogateescape" if encoding == "utf-8" else "replace"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    bad = _ESCAPED if encoding == "utf-8" else re.compile(_REPLACEMENT)
    done, told = len(mark), False
    first, more = chunk[len(mark) :], iter(partial(stream.read, CHUNK), b"")
    for final, part in chain(((False, part) for part in chain((first,), more)), ((True, b""),)):
        piece = decoder.decode(part, final)
        if not told and (found := bad.search(piece)):
            told = True
            broken(done + len(piece[: found.start()].encode(encoding, errors)))
        if not told:
            done += len(piece.encode(encoding, errors))
        if piece:
            yield bad.sub(_REPLACEMENT, piece)


def lines(text: Iterator[str]) -> Iterator[Line]:
    """Lines as they end in LF or CR LF, in memory of one line."""
    number, held, size = 1, list[str](), 0
    for piece in text:
        *ended, rest = piece.split("\n")
        for end in ended:
            yield _line(number, [*held, end], size + len(end))
            number, held, size = number + 1, [], 0
        if size < MAX_LINE:
            held.append(rest)
        size += len(rest)
    if size:
        yield _line(number, held, size)


def _line(number: int, held: list[str], size: int) -> Line:
    return Line(number, "".join(held)[:MAX_LINE].removesuffix("\r"), size <= MAX_LINE)
