"""Pieces of texts, and looking for them in the bytes of files.

An index can say that it holds no row of a memory, and a page of the file still hold its words.
So the proof of an erasure ends with the bytes themselves. Pieces are taken in memory before a
text is erased, and never written anywhere.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

SHORTEST = 8
"""Bytes of a piece at least: eight that agree are no accident, and fit one machine word."""
LONGEST = 32
"""Bytes of a piece at most; a longer one could be cut in two by the end of a page."""
PER_TEXT = 4
"""Pieces taken of one text, spread over its length."""
MOST = 20_000
"""Pieces looked for at once; more are thinned out evenly."""
_BLOCK = 1 << 24
"""Bytes looked at in one go."""
_ESCAPED = re.compile(r'["\\\x00-\x1f]')


def samples_of(texts: Iterable[str]) -> tuple[bytes, ...]:
    """Distinct pieces of texts, in UTF-8; none of a text shorter than :data:`SHORTEST` bytes."""
    pieces = sorted({piece for text in texts for piece in _pieces(text)})
    return tuple(pieces[:: -(-len(pieces) // MOST) or 1])


def _pieces(text: str) -> Sequence[bytes]:
    """A few pieces, from between the characters that JSON would write differently."""
    runs = [run.strip().encode("utf-8", "replace") for run in _ESCAPED.split(text)]
    cut = [run[i : i + LONGEST] for run in runs for i in range(0, len(run), LONGEST)]
    long = [piece for piece in cut if len(piece) >= SHORTEST]
    return long[:: -(-len(long) // PER_TEXT) or 1]


def present(samples: Sequence[bytes], path: Path) -> set[bytes]:
    """Those of the pieces that the bytes of a file hold; none if there is no file."""
    if not samples or not path.exists() or not path.stat().st_size:
        return set()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return set(_found(samples, data))


def _found(samples: Sequence[bytes], data: mmap.mmap) -> Iterator[bytes]:
    """One pass: pieces by their first machine word, then whole."""
    starting: dict[bytes, list[bytes]] = {}
    for sample in samples:
        starting.setdefault(sample[:SHORTEST], []).append(sample)
    words = np.sort(np.frombuffer(b"".join(starting), "<u8"))
    for block in range(0, len(data), _BLOCK):
        bytes_ = data[block : block + _BLOCK + LONGEST]
        for shift in range(SHORTEST):
            for place in _places(bytes_, shift, words):
                first = bytes_[place : place + SHORTEST]
                yield from (s for s in starting[first] if bytes_.startswith(s, place))


def _places(data: bytes, shift: int, words: npt.NDArray[np.uint64]) -> Iterator[int]:
    """Offsets, of those that are ``shift`` past a multiple of a word, at which a word begins."""
    count = (len(data) - shift) // SHORTEST
    if count <= 0:
        return
    here = np.frombuffer(data, np.dtype("<u8"), count, shift)
    near = np.minimum(np.searchsorted(words, here), len(words) - 1)
    for index in np.flatnonzero(words[near] == here):
        yield int(index) * SHORTEST + shift
