"""What schemathesis needs to know beyond the description: loaded by it, see test_openapi.py."""

from __future__ import annotations

import itertools
from typing import Any

import schemathesis

_numbers = itertools.count()


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """A key belongs to one request: two that were made up must not share one."""
    del context, kwargs
    for name, value in (case.headers or {}).items():
        if name.lower() == "idempotency-key" and isinstance(value, str):
            case.headers[name] = f"{value}{next(_numbers)}"


@schemathesis.serializer("application/x-ndjson")
def lines(context: Any, value: Any) -> bytes | None:
    """JSON lines are text."""
    del context
    return value.encode("utf-8", "replace") if isinstance(value, str) else None
