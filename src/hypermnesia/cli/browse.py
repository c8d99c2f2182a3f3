"""Verbs that look without searching: list, get, history, profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.options import Invocation, filters, pass_invocation, shared
from hypermnesia.cli.render import compact, day, show_document, show_node, show_nodes
from hypermnesia.cli.terminal import heading, say, show_fields, show_rows

if TYPE_CHECKING:
    from hypermnesia.store.protocol import Event
    from hypermnesia.types import Profile


@click.command("list")
@click.option("--limit", type=int, default=50, show_default=True, help="Items a page, 1 to 1000.")
@click.option("--cursor", metavar="TEXT", help="Where the last page ended.")
@click.option("--oldest", is_flag=True, help="Oldest first [default: newest first].")
@filters
@shared
@pass_invocation
def list_(invocation: Invocation, *, oldest: bool, **options: Any) -> None:
    """List memories by event time.

    Piped, each is a line of date, status, type, salience, id and text, separated by tabs.
    The cursor of the next page is printed on stderr, and with --json inside the document.
    """
    with invocation.memory() as memory:
        page = memory.list(scope=invocation.scope, newest=not oldest, **options)
    if invocation.json:
        show_document(page)
        return
    if page.items:
        show_nodes(page.items)
    else:
        say("nothing found")
    if page.cursor is not None:
        say(f"next page: --cursor {page.cursor}")


@click.command
@click.argument("memory_id", metavar="ID")
@click.option("--reveal", is_flag=True, help="Show secrets that recall masks.")
@shared
@pass_invocation
def get(invocation: Invocation, memory_id: str, *, reveal: bool) -> None:
    """Show memory ID with everything known about it, whatever its status."""
    with invocation.memory() as memory:
        node = memory.get(memory_id, scope=invocation.scope, reveal=reveal)
    if invocation.json:
        show_document(node)
    else:
        show_node(node)


@click.command
@click.argument("memory_id", metavar="ID")
@shared
@pass_invocation
def history(invocation: Invocation, memory_id: str) -> None:
    """Show every version linked to memory ID by supersession, and what happened to it."""
    with invocation.memory() as memory:
        versions = memory.history(memory_id, scope=invocation.scope)
        events = memory.events(memory_id, scope=invocation.scope)
    if invocation.json:
        show_document({"versions": versions, "events": events})
        return
    heading("versions")
    show_nodes(versions)
    heading("events")
    _show_events(events)


def _show_events(events: Sequence[Event]) -> None:
    rows = [
        [f"{event.at:%Y-%m-%d %H:%M:%S}", event.kind, compact(event.detail) if event.detail else ""]
        for event in events
    ]
    show_rows(["at", "event", "detail"], rows)


@click.command
@shared
@pass_invocation
def profile(invocation: Invocation) -> None:
    """Show a scope at a glance: counts, time span, and what matters most by type."""
    with invocation.memory() as memory:
        overview = memory.profile(invocation.scope)
    if invocation.json:
        show_document(overview)
    else:
        _show_profile(overview)


def _show_profile(overview: Profile) -> None:
    show_fields(
        [
            ("scope", overview.scope),
            ("memories", _counts(overview.counts)),
            ("types", _counts(overview.types)),
            ("levels", _counts(overview.levels)),
            ("span", f"{day(overview.first)} to {day(overview.last)}"),
        ]
    )
    for kind, nodes in overview.highlights.items():
        heading(kind)
        show_nodes(nodes)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items()) or "none"
