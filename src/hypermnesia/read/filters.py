"""From what a caller passes to the filter both channels apply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any, TypeAlias

from hypermnesia import validate
from hypermnesia.store.protocol import Filter

Moment: TypeAlias = datetime | date | str | None
Names: TypeAlias = Iterable[str] | str | None


def filter_of(
    scope: str,
    *,
    levels: Names = None,
    types: Names = None,
    tags: Names = None,
    metadata: Mapping[str, Any] | None = None,
    status: Names = None,
    since: Moment = None,
    until: Moment = None,
    as_of: Moment = None,
) -> Filter:
    """Check every value and build the filter; see :meth:`hypermnesia.Memory.search`.

    Raises:
        InvalidInput: a value cannot be used.
    """
    return Filter(
        scope=scope,
        levels=validate.levels(levels),
        types=validate.types(types),
        tags=validate.tags(tags),
        metadata=validate.metadata_filter(metadata),
        statuses=validate.statuses(status),
        since=validate.moment(since, "since"),
        until=validate.moment(until, "until", end=True),
        as_of=validate.moment(as_of, "as_of", end=True),
    )
