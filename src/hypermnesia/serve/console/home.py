"""The first page: what a scope holds, or on an empty store what to do; and remembering a text."""

from __future__ import annotations

from starlette.responses import Response

from hypermnesia.serve.console.visit import Visit

NEWEST = 6
"""Memories that the first page shows."""


def show(visit: Visit) -> Response:
    """A scope at a glance."""
    profile = visit.memory.profile(visit.scope)
    if not sum(profile.counts.values()):
        return visit.page("welcome.html", others=visit.access.scopes())
    newest = visit.memory.list(scope=visit.scope, limit=NEWEST, levels=("fact", "episode"))
    return visit.page("home.html", profile=profile, newest=newest.items)


def add(visit: Visit) -> Response:
    """Remember a text."""
    scope = visit.access.write_scope(visit.scope)
    added = visit.memory.add(
        visit.needed("content"),
        scope=scope,
        at=visit.value("at"),
        tags=listed(visit.value("tags")),
        pin=visit.value("pin") is not None,
        provenance={"source": "console"},
    )
    return visit.go("/memory", "known" if added.duplicate else "added", id=added.id)


def listed(text: str | None) -> list[str]:
    """Tags as people write them: with commas between."""
    return [tag for part in (text or "").split(",") if (tag := part.strip())]
