"""A problem that a service told, as the exception that the facade would have raised."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from hypermnesia import errors
from hypermnesia.errors import (
    Conflict,
    Forbidden,
    HypermnesiaError,
    InvalidInput,
    LimitReached,
    NotFound,
    Outdated,
    Refused,
    ServiceError,
    TimedOut,
    Unauthenticated,
)

PREFIX = "urn:hypermnesia:"
_BY_STATUS: Mapping[int, type[HypermnesiaError]] = {
    400: InvalidInput,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Outdated,
    413: InvalidInput,
    422: InvalidInput,
    429: LimitReached,
    504: TimedOut,
}


def failure_of(status: int, text: str, headers: Mapping[str, str]) -> HypermnesiaError:
    """The exception for an answer that is none.

    Args:
        status: of HTTP; 0 = nothing came back.
        text: the body, or why nothing came.
        headers: names in lower case.
    """
    if status == 0:
        return ServiceError(f"the service cannot be reached ({text}); is it running there?")
    problem = _problem(text)
    detail = str(problem.get("detail") or f"the service answered {status}")
    kind = _kind(str(problem.get("type", "")).removeprefix(PREFIX), status)
    if kind is Refused:
        return Refused(str(problem.get("rule") or "unknown"), detail)
    if kind is LimitReached:
        return LimitReached(detail, _number(headers.get("retry-after")))
    return kind(detail)


def _kind(name: str, status: int) -> type[HypermnesiaError]:
    named = getattr(errors, name, None)
    if isinstance(named, type) and issubclass(named, HypermnesiaError):
        return named
    return _BY_STATUS.get(status, ServiceError)


def _problem(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


def _number(text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        return 1.0
