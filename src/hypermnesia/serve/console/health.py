"""Whether the store is sound, and what it holds."""

from __future__ import annotations

from starlette.responses import Response

from hypermnesia.serve.console.visit import Visit
from hypermnesia.types import Health

SCOPES = 50
"""Scopes whose counts are shown."""


def show(visit: Visit) -> Response:
    """What the store holds, scope by scope."""
    return _page(visit, None)


def check(visit: Visit) -> Response:
    """Compare rows and indexes, and write."""
    visit.access.must_own()
    return _page(visit, visit.memory.check())


def _page(visit: Visit, health: Health | None) -> Response:
    scopes = visit.access.scopes()
    profiles = [visit.memory.profile(scope) for scope in scopes[:SCOPES]]
    return visit.page("health.html", health=health, profiles=profiles, scopes=len(scopes))
