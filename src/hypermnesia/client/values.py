"""Arguments as a request carries them, and answers as the values that the facade returns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from hypermnesia.client.steps import Reply
from hypermnesia.errors import ServiceError
from hypermnesia.serial import plain

T = TypeVar("T")


def body(**arguments: Any) -> dict[str, Any]:
    """The arguments that were given, as JSON."""
    return {name: value(given) for name, given in arguments.items() if given is not None}


def value(given: Any) -> Any:
    """An argument as JSON: times as ISO 8601, any iterable as a list."""
    match given:
        case datetime() | date():
            return given.isoformat()
        case str() | int() | float() | None:
            return given
        case Mapping():
            return plain(given)
        case Iterable():
            return [value(item) for item in given]
        case _:
            return plain(given)


def params(**arguments: Any) -> tuple[tuple[str, str], ...]:
    """The arguments that were given, as a query: a list once for each of its items."""
    return tuple(
        (name, _text(item))
        for name, given in body(**arguments).items()
        for item in (given if isinstance(given, list) else [given])
    )


def pairs(metadata: Mapping[str, Any] | None) -> list[str] | None:
    """Equalities as a query carries them."""
    if metadata is None:
        return None
    return [f"{name}={json.dumps(given)}" for name, given in metadata.items()]


def _text(item: Any) -> str:
    return item if isinstance(item, str) else json.dumps(item)


def read(kind: type[T], reply: Reply) -> T:
    """A value out of an answer."""
    return made(kind, reply.json())


def made(kind: type[T], found: Any) -> T:
    """A value out of JSON.

    Raises:
        ServiceError: the JSON is something else.
    """
    try:
        return _adapter(kind).validate_python(found)
    except ValidationError:
        raise ServiceError(
            "the service answered in another way than this client knows; are the versions alike?"
        ) from None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
