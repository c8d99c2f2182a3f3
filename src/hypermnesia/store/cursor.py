"""Where a page of memories ends, as text that a caller passes back."""

from __future__ import annotations

import re

from hypermnesia.errors import InvalidInput

# At most 60 bits: a database's integers take no more than 64.
_CURSOR = re.compile(r"(n?[0-9a-f]{1,15})\.([0-9a-f]{1,15})")


def cursor_of(valid_from: int, key: int) -> str:
    """The cursor after a memory of this event time, in microseconds, and this key."""
    return f"{valid_from:x}.{key:x}".replace("-", "n")


def parse_cursor(cursor: object) -> tuple[int, int]:
    """Event time in microseconds and key.

    Raises:
        InvalidInput: it is no cursor.
    """
    match = _CURSOR.fullmatch(cursor) if isinstance(cursor, str) else None
    if match is None:
        raise InvalidInput(
            f"{str(cursor)[:40]!r} is not a cursor; pass back the one that the last page returned"
        )
    return int(match[1].replace("n", "-"), 16), int(match[2], 16)
