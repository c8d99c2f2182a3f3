"""Looking through JSON-like values for every text that somebody could read in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def strings(value: Any) -> Iterator[str]:
    """Texts, keys, and what JSON in a text spells."""
    match value:
        case str():
            yield value
            try:
                inner = json.loads(value)
            except (ValueError, RecursionError):
                return
            if not isinstance(inner, str):
                yield from strings(inner)
        case dict():
            for key, inner in value.items():
                yield from strings(key)
                yield from strings(inner)
        case list() | tuple():
            for inner in value:
                yield from strings(inner)
        case _:
            return
