"""One memory: its text, its versions over time, what it is joined to, and what happened to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from starlette.responses import Response

from hypermnesia.errors import InvalidInput
from hypermnesia.serve.console.home import listed
from hypermnesia.serve.console.visit import Visit
from hypermnesia.types import MEMORY_TYPES, Node

VERSIONS = 40
"""Versions of a chain that are shown: the latest."""
NEIGHBOURS = 60
"""Neighbours shown in each direction."""
_PUT_BACK: Mapping[str, str] = {"pinned": "pin", "valid_from": "at"}
"""Fields of a logged change whose argument has another name."""


def show(visit: Visit) -> Response:
    """Everything known about a memory."""
    memory_id = visit.needed("id")
    scope = visit.access.scope_of(memory_id)
    if scope != visit.scope:
        return visit.moved(scope)
    node = visit.memory.get(memory_id, scope=scope)
    chain = visit.memory.history(memory_id, scope=scope)
    shown = chain[-VERSIONS:]
    return visit.page(
        "memory.html",
        node=node,
        chain=[(version, _replaced(visit, version)) for version in shown],
        earlier=len(chain) - len(shown),
        around=visit.memory.surroundings(memory_id, scope=scope, limit=NEIGHBOURS),
        events=list(enumerate(visit.memory.events(memory_id, scope=scope))),
    )


def _replaced(visit: Visit, version: Node) -> dict[str, Any]:
    """What the judge said when a version was replaced; empty while it holds."""
    if version.superseded_by is None:
        return {}
    events = visit.memory.events(version.id, scope=version.scope)
    told = [dict(event.detail) for event in events if event.kind == "supersede"]
    return told[-1] if told else {}


def edit(visit: Visit) -> Response:
    """The form that changes a memory."""
    visit.access.must_write()
    node = visit.memory.get(visit.needed("id"), scope=visit.scope)
    return visit.page("edit.html", node=node, types=MEMORY_TYPES)


def change(visit: Visit) -> Response:
    """Change what the form changed."""
    visit.access.must_write()
    node = visit.memory.get(visit.needed("id"), scope=visit.scope)
    wanted: dict[str, Any] = {
        "content": (visit.value("content") or "").replace("\r\n", "\n"),
        "tags": tuple(listed(visit.value("tags"))),
        "metadata": _metadata(visit.value("metadata")),
        "memory_type": visit.needed("memory_type"),
        "salience": _number(visit.value("salience"), "salience"),
    }
    if node.level != "fact":
        del wanted["content"]  # what was said stays word for word
    changed = {
        name: value
        for name, value in wanted.items()
        if value != getattr(node, name) and value is not None
    }
    visit.memory.update(node.id, scope=visit.scope, **changed)
    return visit.go("/memory", "updated", id=node.id)


def put_back(visit: Visit) -> Response:
    """Give a memory the values again that a logged change replaced."""
    visit.access.must_write()
    memory_id = visit.needed("id")
    events = visit.memory.events(memory_id, scope=visit.scope)
    number = visit.whole("event", len(events))
    if number >= len(events) or "before" not in events[number].detail:
        raise InvalidInput("that change is no longer in the log; reload the memory's page")
    before: Mapping[str, Any] = events[number].detail["before"]
    values = {_PUT_BACK.get(name, name): value for name, value in before.items()}
    visit.memory.update(memory_id, scope=visit.scope, **values)
    return visit.go("/memory", "updated", id=memory_id)


def restore(visit: Visit) -> Response:
    """Undo a supersession, or lift a memory over the gate."""
    visit.access.must_write()
    restored = visit.memory.restore(visit.needed("id"), scope=visit.scope)
    return visit.go("/memory", "restored", id=restored.id)


def pin(visit: Visit) -> Response:
    """Keep a memory active whatever its salience."""
    visit.access.must_write()
    visit.memory.update(visit.needed("id"), scope=visit.scope, pin=True)
    return visit.go("/memory", "pinned", id=visit.needed("id"))


def ask_forget(visit: Visit) -> Response:
    """Say what would be erased, and ask."""
    visit.access.must_write()
    ids = visit.values("id")
    doomed = visit.memory.forget(ids=ids, scope=visit.scope, dry_run=True).ids
    named = set(ids)
    nodes = [visit.memory.get(i, scope=visit.scope) for i in doomed[:NEIGHBOURS]]
    return visit.page(
        "forget.html",
        ids=ids,
        named=[node for node in nodes if node.id in named],
        dragged=[node for node in nodes if node.id not in named],
        total=len(doomed),
    )


def forget(visit: Visit) -> Response:
    """Erase memories for good."""
    visit.access.must_write()
    visit.memory.forget(ids=visit.values("id"), scope=visit.scope)
    return visit.go("", "forgotten")


def _metadata(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the metadata is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InvalidInput('the metadata must be a JSON object, such as {"team": "web"}')
    return cast("dict[str, Any]", value)


def _number(text: str | None, what: str) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        raise InvalidInput(f"{what} must be a number") from None
