"""What held at a moment: memories by event time, seen from any day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from starlette.responses import Response

from hypermnesia.serve.console.visit import Visit
from hypermnesia.types import Node
from hypermnesia.validate import moment

ROWS = 60
"""Memories on one page."""


@dataclass(frozen=True, slots=True)
class Month:
    """The memories of one month, in the order they came."""

    name: str
    nodes: tuple[Node, ...]


def show(visit: Visit) -> Response:
    """The slider, and what held on its day."""
    profile = visit.memory.profile(visit.scope)
    today = datetime.now(UTC)
    first, last = profile.first or today, max(profile.last or today, today)
    return visit.page("timeline.html", first=first, last=last, today=today, **_held(visit))


def part(visit: Visit) -> Response:
    """Only what held, for the slider to put in place."""
    return visit.page("timeline_part.html", **_held(visit))


def _held(visit: Visit) -> dict[str, Any]:
    """What held on the day asked for; without one, what holds now."""
    as_of = moment(visit.value("as_of"), "as_of", end=True)
    levels = visit.values("level") or ["fact", "episode"]
    page = visit.memory.list(
        scope=visit.scope, as_of=as_of, levels=levels, limit=ROWS, cursor=visit.value("cursor")
    )
    months = _months(page.items)
    return {"as_of": as_of, "months": months, "cursor": page.cursor, "levels": levels}


def _months(nodes: Sequence[Node]) -> list[Month]:
    grouped = groupby(nodes, key=lambda node: f"{node.valid_from:%B} {node.valid_from.year}")
    return [Month(name, tuple(members)) for name, members in grouped]
