"""The hypergraph, a level at a time: topics first, what they hold when it is asked for."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from hypermnesia.serve.console.visit import Visit
from hypermnesia.types import Node

HEADS = 300
"""Topics that the page begins with; the next are a click away."""
ASKED = 40
"""Heads whose members may be asked for at once."""
MEMBERS = 60
"""Members shown of one head; its own page lists them all."""
TEXT = 160
"""Characters of a text that the drawing shows."""


def show(visit: Visit) -> Response:
    """The topics, and room for the drawing; episodes where no topic holds them yet."""
    cursor = visit.value("cursor")
    page = visit.memory.list(scope=visit.scope, levels="topic", limit=HEADS, cursor=cursor)
    if not page.items and cursor is None:
        page = visit.memory.list(scope=visit.scope, levels="episode", limit=HEADS)
    return visit.page("graph.html", heads=page.items, cursor=page.cursor)


def members(visit: Visit) -> Response:
    """What some heads hold, as data for the drawing."""
    heads = visit.values("head")[:ASKED]
    edges = visit.memory.hyperedges(heads, scope=visit.scope, limit=MEMBERS)
    return JSONResponse(
        {
            edge.head: {
                "total": edge.total,
                "members": [
                    {**_drawn(visit, joined.node), "role": joined.role, "weight": joined.weight}
                    for joined in edge.members
                ],
            }
            for edge in edges
        }
    )


def _drawn(visit: Visit, node: Node) -> dict[str, str]:
    text = node.content if len(node.content) <= TEXT else f"{node.content[:TEXT].rstrip()}…"
    return {
        "id": node.id,
        "level": node.level,
        "status": node.status,
        "text": text,
        "href": visit.link("/memory", id=node.id),
    }
