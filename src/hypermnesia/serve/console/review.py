"""Reviewing what the judge decided: what it gated, and what it let replace what."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import RedirectResponse, Response

from hypermnesia.errors import InvalidInput, NotFound
from hypermnesia.serve.console.visit import Visit
from hypermnesia.types import Node

ROWS = 25
"""Memories on one page of a review."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A superseded memory beside what replaced it.

    Attributes:
        new: ``None`` when it was forgotten since.
        probability: what the judge gave, as text.
        reason: its sentence.
    """

    old: Node
    new: Node | None
    probability: str
    reason: str


def gate(visit: Visit) -> Response:
    """What was kept below the gate, newest first."""
    page = visit.memory.list(
        scope=visit.scope, status="low_signal", limit=ROWS, cursor=visit.value("cursor")
    )
    return visit.page("gate.html", nodes=page.items, cursor=page.cursor)


def decide(visit: Visit) -> Response:
    """Promote the chosen memories, or go on to the page that asks before dropping them."""
    visit.access.must_write()
    ids = visit.values("id")
    if not ids:
        raise InvalidInput("nothing was chosen; tick the memories first")
    if visit.value("action") == "drop":
        return RedirectResponse(visit.link("/forget", id=ids), 303)
    for memory_id in ids:
        visit.memory.restore(memory_id, scope=visit.scope)
    return visit.go("/review/gate", "promoted", id=ids)


def demote(visit: Visit) -> Response:
    """Undo a promotion: the gate decides again."""
    visit.access.must_write()
    for memory_id in visit.values("id"):
        visit.memory.update(memory_id, scope=visit.scope, pin=False)
    return visit.go("/review/gate", "demoted")


def changes(visit: Visit) -> Response:
    """What was superseded, by what and why, newest first."""
    page = visit.memory.list(
        scope=visit.scope, status="superseded", limit=ROWS, cursor=visit.value("cursor")
    )
    replaced = [_replaced(visit, node) for node in page.items]
    return visit.page("changes.html", replaced=replaced, cursor=page.cursor)


def undo(visit: Visit) -> Response:
    """Make a superseded memory active again."""
    visit.access.must_write()
    visit.memory.restore(visit.needed("id"), scope=visit.scope)
    return visit.go("/review/changes", "restored")


def _replaced(visit: Visit, old: Node) -> Replaced:
    try:
        new = visit.memory.get(old.superseded_by or "", scope=visit.scope)
    except (NotFound, InvalidInput):
        new = None
    events = visit.memory.events(old.id, scope=visit.scope)
    told = [event.detail for event in events if event.kind == "supersede"]
    detail = told[-1] if told else {}
    probability = detail.get("probability")
    shown = f"{probability:.0%}" if isinstance(probability, float | int) else ""
    return Replaced(old, new, shown, str(detail.get("reason", "")))
