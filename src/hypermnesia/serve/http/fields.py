"""Fields that requests share, as exact as JSON Schema can say it.

A value that a schema here lets pass is one that the facade takes, and the other way round:
the description of the service is what clients are generated from.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from hypermnesia.types import Level, MemoryType
from hypermnesia.validate import (
    MAX_CONTENT,
    MAX_K,
    MAX_METADATA,
    MAX_PROVENANCE,
    MAX_QUERY,
    MAX_SCOPE,
    MAX_TAG,
    MAX_TAGS,
)

# Something visible: no white space or control character in any dialect of regular expressions.
_VISIBLE = r"[^\s\x00-\x1f\x85\ufeff]"
_MONTH_AND_DAY = (
    r"((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31|02-29)"
)
_DAY = rf"[1-9][0-9]{{3}}-{_MONTH_AND_DAY}"
_HOUR = r"([01][0-9]|2[0-3]):[0-5][0-9]"
_MOMENT = rf"^{_DAY}(T{_HOUR}(:[0-5][0-9](\.[0-9]{{1,6}})?)?(Z|[+-]{_HOUR}(:[0-5][0-9])?)?)?$"


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Content: TypeAlias = Annotated[str, Field(max_length=MAX_CONTENT, pattern=_VISIBLE)]
Question: TypeAlias = Annotated[str, Field(max_length=MAX_QUERY, pattern=_VISIBLE)]
Scope: TypeAlias = Annotated[
    str,
    Field(
        max_length=MAX_SCOPE,
        pattern=rf"^{_VISIBLE}([\s\S]*{_VISIBLE})?$",
        description="Isolation boundary; without it, the caller's default.",
    ),
]
Moment: TypeAlias = Annotated[
    str,
    Field(
        pattern=_MOMENT,
        description="A date or an ISO 8601 time; UTC without an offset.",
        examples=["2026-05-03", "2026-05-03T10:00:00+02:00"],
    ),
]
Tag: TypeAlias = Annotated[str, Field(max_length=MAX_TAG, pattern=_VISIBLE)]
Tags: TypeAlias = Annotated[list[Tag], Field(max_length=MAX_TAGS)]
Label: TypeAlias = Annotated[str, Field(max_length=MAX_PROVENANCE)]
Metadata: TypeAlias = Annotated[
    dict[str, Any], Field(description=f"At most {MAX_METADATA:,} characters as JSON.")
]
Cursor: TypeAlias = Annotated[
    str,
    Field(
        pattern=r"^n?[0-9a-f]{1,15}\.[0-9a-f]{1,15}$", description="What the last page returned."
    ),
]
Scalar: TypeAlias = str | int | float | bool | None
Sought: TypeAlias = Literal["active", "low_signal", "superseded"]
WHOLE = BeforeValidator(_whole)
"""JSON knows one kind of number: 10.0 is a whole one."""
Hits: TypeAlias = Annotated[int, Field(ge=1, le=MAX_K), WHOLE]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class Body(BaseModel):
    """What a request carries: nothing unknown, and no type taken for another."""

    model_config = ConfigDict(extra="forbid", strict=True)

    def sent(self, *without: str) -> dict[str, Any]:
        """The fields that were sent, by the names of the facade's arguments."""
        return self.model_dump(exclude_unset=True, exclude=set(without))


class Filters(Body):
    """What narrows a search, as in `Memory.search`."""

    levels: list[Level] | None = None
    types: list[MemoryType] | None = None
    tags: Tags | None = Field(None, description="All of these.")
    metadata: dict[str, Scalar] | None = Field(None, description="Equal to all of these.")
    status: list[Sought] | None = Field(None, description="Without it: active.")
    since: Moment | None = Field(None, description="Event time not before.")
    until: Moment | None = Field(None, description="Event time not after; a date includes it.")
    as_of: Moment | None = Field(None, description="What held at this time.")


class Provenance(Body):
    """Where a memory came from; free text."""

    source: Label | None = None
    client: Label | None = None
    user_id: Label | None = None
    agent_id: Label | None = None
    session_id: Label | None = None
    turn_id: Label | None = None


def equality(pair: str) -> tuple[str, Any]:
    """A `KEY=VALUE`: the value is JSON if it parses, else text."""
    name, _, value = pair.partition("=")
    try:
        return name, json.loads(value, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return name, value


def _no_number(constant: str) -> None:
    raise ValueError(constant)  # NaN and Infinity are Python's, not JSON's: text
