"""Searching, with the reasons for every score."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from hypermnesia.serve.console.bars import scored
from hypermnesia.serve.console.home import listed
from hypermnesia.serve.console.visit import Visit
from hypermnesia.types import LEVELS, MEMORY_TYPES, STATUSES

K = 10
"""Hits shown unless more are asked for."""
CHOICES = {"level": LEVELS, "type": MEMORY_TYPES, "status": STATUSES[:-1]}
"""What the filters offer."""


def show(visit: Visit) -> Response:
    """The form, and the hits when something was asked."""
    query = visit.value("q")
    filters: dict[str, Any] = {
        "levels": visit.values("level"),
        "types": visit.values("type"),
        "status": visit.values("status"),
        "tags": listed(visit.value("tags")),
        "since": visit.value("since"),
        "until": visit.value("until"),
        "as_of": visit.value("as_of"),
    }
    given = {name: value for name, value in filters.items() if value}
    hits = (
        visit.memory.search(query, scope=visit.scope, k=visit.whole("k", K), **given)
        if query
        else None
    )
    return visit.page(
        "search.html",
        query=query or "",
        hits=None if hits is None else scored(hits),
        filters=filters,
        narrowed=bool(given),
        choices=CHOICES,
        k=visit.whole("k", K),
    )
