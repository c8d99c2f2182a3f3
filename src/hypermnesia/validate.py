"""Bounds and meanings of what callers pass in, the same on every surface.

A little longer than most modules: one short function for each kind of argument, none of which
has a reason to live apart.
"""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar, cast

from hypermnesia.errors import InvalidInput
from hypermnesia.plain import plain_text, refuse_deep_or_broken
from hypermnesia.types import LEVELS, MEMORY_TYPES, STATUSES

MAX_CONTENT = 64_000
"""Characters of a memory (DGUI-HyperMem, write path step 1)."""
MAX_QUERY = 64_000
MAX_SCOPE = 200
MAX_TAG = 100
MAX_TAGS = 50
MAX_METADATA = 16_000
"""Characters of a memory's metadata as JSON."""
MAX_PROVENANCE = 500
MAX_K = 50
"""Most hits of one search (DGUI-HyperMem, read path)."""
MAX_PAGE = 1000

T = TypeVar("T")


def content(text: object) -> str:
    """A memory's text, trimmed.

    Raises:
        InvalidInput: not text, blank, too long, or not storable everywhere.
    """
    trimmed = plain_text(text, "content").strip()
    if not trimmed:
        raise InvalidInput("the content is empty; pass the text to remember")
    if len(trimmed) > MAX_CONTENT:
        raise InvalidInput(
            f"the content has {len(trimmed):,} characters, at most {MAX_CONTENT:,} are stored;"
            " split it"
        )
    return trimmed


def query(text: object) -> str:
    """A search text: trimmed; characters that no store can hold are replaced.

    Raises:
        InvalidInput: not text, blank or too long.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"the query must be text, not {type(text).__name__}")
    cleaned = text.encode("utf-8", "replace").decode().replace("\0", " ").strip()
    if not cleaned:
        raise InvalidInput("the query is empty; pass the words to search for")
    if len(cleaned) > MAX_QUERY:
        raise InvalidInput(
            f"the query has {len(cleaned):,} characters, at most {MAX_QUERY:,} allowed"
        )
    return cleaned


def scope(name: object) -> str:
    """The name of an isolation boundary; compared exactly.

    Raises:
        InvalidInput: not text, blank, too long, or with white space around it.
    """
    text = plain_text(name, "scope")
    if not text.strip():
        raise InvalidInput("the scope is empty; name one, such as 'default'")
    if text != text.strip():
        raise InvalidInput(f"the scope {_shown(text)} begins or ends with white space")
    if len(text) > MAX_SCOPE:
        raise InvalidInput(f"the scope has {len(text)} characters, at most {MAX_SCOPE} allowed")
    return text


def tags(values: Iterable[object] | str | None) -> tuple[str, ...]:
    """Tags trimmed, without repeats, in the order given.

    Raises:
        InvalidInput: a tag is not text, blank or too long, or there are too many.
    """
    given = _several(values, "tags")
    cleaned = tuple(dict.fromkeys(plain_text(value, "tag").strip() for value in given))
    if len(cleaned) > MAX_TAGS:
        raise InvalidInput(f"{len(cleaned)} tags given, at most {MAX_TAGS} allowed")
    for tag in cleaned:
        if not tag or len(tag) > MAX_TAG:
            raise InvalidInput(f"a tag has 1 to {MAX_TAG} characters, {_shown(tag)} has {len(tag)}")
    return cleaned


def metadata(values: object) -> dict[str, Any]:
    """A JSON object of bounded size.

    Raises:
        InvalidInput: a key is not text, a value is not JSON, or it is too large.
    """
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise InvalidInput("the metadata must be an object of names and values")
    refuse_deep_or_broken(values, "metadata")
    try:
        encoded = json.dumps(values, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"the metadata is not plain JSON: {error}") from error
    if len(encoded) > MAX_METADATA:
        raise InvalidInput(
            f"the metadata has {len(encoded):,} characters as JSON,"
            f" at most {MAX_METADATA:,} allowed"
        )
    return cast("dict[str, Any]", json.loads(encoded))


def metadata_filter(
    values: Mapping[str, Any] | None,
) -> tuple[tuple[str, str | int | float | bool | None], ...]:
    """Metadata equalities to filter on; only scalars can be compared.

    Raises:
        InvalidInput: a value is a list or an object.
    """
    checked = metadata(values)
    for name, value in checked.items():
        if isinstance(value, dict | list):
            raise InvalidInput(
                f"metadata {_shown(name)} can be compared with a text, number, true, false or null"
                " only"
            )
    return tuple(checked.items())


def label(text: str | None, what: str) -> str | None:
    """An optional provenance field.

    Raises:
        InvalidInput: not text, or too long.
    """
    if text is None:
        return None
    value = plain_text(text, what)
    if len(value) > MAX_PROVENANCE:
        raise InvalidInput(f"{what} has {len(value)} characters, at most {MAX_PROVENANCE} allowed")
    return value or None


def one_of(value: object, allowed: tuple[T, ...], what: str) -> T:
    """A member of a closed set.

    Raises:
        InvalidInput: it is none of them; the message lists them.
    """
    if value not in allowed:
        raise InvalidInput(f"unknown {what} {_shown(value)}; one of {', '.join(map(str, allowed))}")
    return cast("T", value)


def some_of(
    values: Iterable[object] | str | None, allowed: tuple[T, ...], what: str
) -> tuple[T, ...]:
    """Members of a closed set, each checked; a single one may stand alone."""
    given = _several(values, f"{what}s")
    return tuple(dict.fromkeys(one_of(value, allowed, what) for value in given))


def levels(values: Iterable[object] | str | None) -> tuple[Any, ...]:
    """Levels to filter on."""
    return some_of(values, LEVELS, "level")


def types(values: Iterable[object] | str | None) -> tuple[Any, ...]:
    """Memory types to filter on."""
    return some_of(values, MEMORY_TYPES, "type")


def statuses(values: Iterable[object] | str | None) -> tuple[Any, ...]:
    """Statuses to filter on; erased memories have nothing left to show."""
    return some_of(values, STATUSES[:-1], "status") or ("active",)


def count(value: object, highest: int, what: str) -> int:
    """A whole number from 1 to ``highest``.

    Raises:
        InvalidInput: it is not.
    """
    return bounded(value, 1, highest, what)


def bounded(value: object, lowest: int, highest: int, what: str) -> int:
    """A whole number within bounds.

    Raises:
        InvalidInput: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
        raise InvalidInput(
            f"{what} must be a whole number from {lowest:,} to {highest:,}, not {_shown(value)}"
        )
    return value


def number(value: object, lowest: float, highest: float, what: str) -> float:
    """A finite number within bounds.

    Raises:
        InvalidInput: it is not.
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not lowest <= value <= highest
    ):
        raise InvalidInput(
            f"{what} must be a number from {lowest:g} to {highest:g}, not {_shown(value)}"
        )
    return float(value)


def moment(value: datetime | date | str | None, what: str, *, end: bool = False) -> datetime | None:
    """An instant: an aware datetime, a date, or ISO 8601 text; without an offset it is UTC.

    Args:
        value: what the caller passed.
        what: its name, for the error.
        end: a bare date means the last microsecond of that day instead of its first.

    Raises:
        InvalidInput: it is not a date or time, or out of range.
    """
    if value is None:
        return None
    parsed, whole_day = _parsed(value, what)
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=UTC)
    try:
        if whole_day and end:
            parsed += timedelta(days=1, microseconds=-1)
        parsed.astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(f"{what} {_shown(value)} is out of range") from error
    return parsed


def _parsed(value: datetime | date | str, what: str) -> tuple[datetime, bool]:
    if isinstance(value, datetime):
        return value, False
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day), True  # noqa: DTZ001 - made aware above
    text = str(value).strip()
    try:
        return datetime.fromisoformat(text), len(text) <= len("2026-05-03") and "T" not in text
    except ValueError:
        raise InvalidInput(
            f"{what} {_shown(text)} is not a date or time; write it as 2026-05-03 or"
            " 2026-05-03T10:00:00+02:00"
        ) from None


def _several(values: object, what: str) -> list[object]:
    if values is None:
        return []
    if isinstance(values, str):
        return [values]
    if not isinstance(values, Iterable):
        raise InvalidInput(f"the {what} must be a list, not {type(values).__name__}")
    return list(cast("Iterable[object]", values))


def identifier(value: object, what: str = "id") -> str:
    """A memory's id: a UUID in its usual spelling.

    Raises:
        InvalidInput: it is not.
    """
    try:
        return str(uuid.UUID(str(value)))
    except ValueError:
        raise InvalidInput(
            f"the {what} {_shown(value)} is not a memory id; ids look like"
            " 01890a5d-ac96-774b-bcce-b302099a8057"
        ) from None


def identifiers(values: object) -> list[str]:
    """At least one memory id, each once, in the order given; a text alone is one id.

    Raises:
        InvalidInput: there is none, or one is no id.
    """
    given = [values] if isinstance(values, str) else values
    if not isinstance(given, Iterable):
        raise InvalidInput(f"ids must be a list of ids, not {type(values).__name__}")
    found = list(dict.fromkeys(identifier(value) for value in cast("Iterable[object]", given)))
    if not found:
        raise InvalidInput("ids is empty; name the memories")
    return found


def place(value: object) -> str:
    """Where a store is: a path or URL as text.

    Raises:
        InvalidInput: it is neither.
    """
    if not isinstance(value, str | Path):
        raise InvalidInput(f"a store is named by a path, not by {type(value).__name__}")
    return str(value)


def _shown(value: object) -> str:
    """A rejected value as a message may repeat it: printable, and never the whole of a long one."""
    return f"{value[:40]!r}" if isinstance(value, str) else repr(value)[:40]
