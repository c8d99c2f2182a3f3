"""What happens in a scope, as it happens."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import Response

from hypermnesia.errors import NotFound
from hypermnesia.serve.console.visit import Visit
from hypermnesia.store.protocol import Event

ROWS = 60
"""Events shown at most."""


@dataclass(frozen=True, slots=True)
class Line:
    """An event as it is shown.

    Attributes:
        number: of the event; it only rises.
        text: of its memory; ``None`` when there is none, or none any more.
    """

    number: int
    event: Event
    text: str | None


def show(visit: Visit) -> Response:
    """The latest events."""
    return visit.page("activity.html", lines=_lines(visit, 0))


def part(visit: Visit) -> Response:
    """Those after a number, for the page to put on top."""
    return visit.page("activity_part.html", lines=_lines(visit, visit.whole("after", 0)))


def _lines(visit: Visit, after: int) -> list[Line]:
    events = visit.memory.recent(scope=visit.scope, limit=ROWS, after=after)
    texts = {memory: _text(visit, memory) for memory in {event.memory for _, event in events}}
    return [Line(number, event, texts[event.memory]) for number, event in events]


def _text(visit: Visit, memory_id: str | None) -> str | None:
    try:
        return memory_id and visit.memory.get(memory_id, scope=visit.scope).content
    except NotFound:
        return None
