"""Text and JSON that every store and every client can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from hypermnesia.errors import InvalidInput

MAX_DEPTH = 32
"""Objects and lists within each other, as deep as redaction walks."""


def plain_text(value: object, what: str) -> str:
    """The text itself, if it is valid Unicode without NUL.

    Raises:
        InvalidInput: it is not; ``what`` names it.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"the {what} must be text, not {type(value).__name__}")
    if "\0" in value:
        raise InvalidInput(f"the {what} holds a NUL character at {value.index(chr(0))}; remove it")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"the {what} holds half of a surrogate pair at {error.start}; it was cut or decoded"
            " wrongly: pass valid Unicode"
        ) from None
    return value


def refuse_deep_or_broken(value: object, what: str, depth: int = MAX_DEPTH) -> None:
    """Look through JSON for what its encoder lets pass or silently changes.

    Raises:
        InvalidInput: a name is not text, a text is broken, or the nesting is too deep.
    """
    match value:
        case str():
            plain_text(value, what)
        case Mapping() | list() | tuple() if depth == 0:
            raise InvalidInput(f"the {what} is nested more than {MAX_DEPTH} deep; flatten it")
        case Mapping():
            for name, inner in cast("Mapping[object, object]", value).items():
                plain_text(name, f"{what} name")
                refuse_deep_or_broken(inner, what, depth - 1)
        case list() | tuple():
            for inner in cast("Iterable[object]", value):
                refuse_deep_or_broken(inner, what, depth - 1)
        case _:
            return  # numbers, and what is no JSON at all, are for the encoder to judge
