"""Verbs that write: add, update, restore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.options import TYPES, Invocation, metadata_option, pass_invocation, shared
from hypermnesia.cli.progress import progress
from hypermnesia.cli.render import counted, show_added, show_document, show_node
from hypermnesia.cli.stdin import STDIN, stdin_lines, text_or_stdin
from hypermnesia.cli.terminal import say, show

if TYPE_CHECKING:
    from hypermnesia.memory import Memory
    from hypermnesia.types import Added, Failure, Node

ORIGINS = ("source", "client", "user_id", "agent_id", "session_id", "turn_id")
"""Provenance fields, each an option of ``add``."""


@click.command
@click.argument("content")
@click.option("--lines", is_flag=True, help="With CONTENT '-': one memory per line.")
@click.option("--at", metavar="TIME", help="Since when it holds [default: now]; ISO 8601.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Label (repeatable).")
@metadata_option("Attach KEY with VALUE (repeatable).")
@click.option(
    "--type", "memory_type", type=click.Choice(TYPES), help="Type [default: the judge decides]."
)
@click.option("--pin", is_flag=True, help="Keep it active whatever its salience.")
@click.option("--source", metavar="TEXT", help="Provenance: the document or system.")
@click.option("--client", metavar="TEXT", help="Provenance: the program.")
@click.option("--user-id", metavar="TEXT", help="Provenance: the user.")
@click.option("--agent-id", metavar="TEXT", help="Provenance: the agent.")
@click.option("--session-id", metavar="TEXT", help="Provenance: the session.")
@click.option("--turn-id", metavar="TEXT", help="Provenance: the turn.")
@shared
@pass_invocation
def add(invocation: Invocation, content: str, *, lines: bool, **options: Any) -> None:
    """Remember CONTENT: judged, gated, and compared with what it may replace.

    CONTENT '-' reads standard input as one memory, or with --lines as one memory per line;
    then a bad line fails alone, is named on stderr, and makes the exit status 1.
    """
    if lines and content != STDIN:
        raise click.UsageError("--lines goes with the content '-'")
    given = {name: value for name, value in options.items() if value}
    origin = {name: given.pop(name) for name in ORIGINS if name in given}
    if origin:
        given["provenance"] = origin
    if lines:
        _add_lines(invocation, given)
        return
    text = text_or_stdin(content)
    with invocation.memory() as memory:
        _show(invocation, memory, memory.add(text, scope=invocation.scope, **given))


def _add_lines(invocation: Invocation, given: Mapping[str, Any]) -> None:
    numbered = stdin_lines()
    items = [{"content": line, **given} for _, line in numbered]
    with invocation.memory() as memory, progress("adding", len(items)) as bar:
        outcomes = memory.add_many(items, scope=invocation.scope, progress=bar.advance)
    from hypermnesia.types import Failure  # noqa: PLC0415 - loaded with the memory by now

    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    stored = [outcome for outcome in outcomes if not isinstance(outcome, Failure)]
    _show_batch(invocation, stored, failures, [number for number, _ in numbered])
    if failures:
        click.get_current_context().exit(1)


def _show_batch(
    invocation: Invocation,
    stored: Sequence[Added],
    failures: Sequence[Failure],
    lines: Sequence[int],
) -> None:
    if invocation.json:
        failed = [
            {"line": lines[f.index], "error": f.error, "message": f.message} for f in failures
        ]
        show_document({"added": stored, "failed": failed})
    else:
        for outcome in stored:
            show(f"{outcome.id}\t{outcome.status}\t{outcome.memory_type}")
    for failure in failures:
        say(f"line {lines[failure.index]}: {failure.message}")
    say(f"{counted(len(stored))} added, {len(failures)} failed")


@click.command
@click.argument("memory_id", metavar="ID")
@click.option("--content", metavar="TEXT", help="New text; '-' reads standard input.")
@click.option("--at", metavar="TIME", help="Since when it holds; ISO 8601.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Replace all tags (repeatable).")
@click.option("--no-tags", is_flag=True, help="Remove all tags.")
@metadata_option("Replace all metadata (repeatable).")
@click.option("--no-metadata", is_flag=True, help="Remove all metadata.")
@click.option("--type", "memory_type", type=click.Choice(TYPES), help="New type.")
@click.option("--salience", type=float, help="New salience, 0 to 4.")
@click.option("--durable", type=float, help="New durability, 0 to 1.")
@click.option("--pin/--no-pin", default=None, help="Keep it active whatever its salience, or not.")
@shared
@pass_invocation
def update(
    invocation: Invocation,
    memory_id: str,
    *,
    tags: tuple[str, ...],
    no_tags: bool,
    metadata: Mapping[str, Any],
    no_metadata: bool,
    **options: Any,
) -> None:
    """Correct memory ID in place; what is not named stays.

    To record that something changed, add the new fact instead: it supersedes the old one,
    and both stay in the history.
    """
    if (tags and no_tags) or (metadata and no_metadata):
        raise click.UsageError("name new values or remove all, not both")
    changes = {name: value for name, value in options.items() if value is not None}
    if tags or no_tags:
        changes["tags"] = tags
    if metadata or no_metadata:
        changes["metadata"] = metadata
    if not changes:
        raise click.UsageError("nothing to change; name a --content, --tag or another option")
    if "content" in changes:
        changes["content"] = text_or_stdin(changes["content"])
    with invocation.memory() as memory:
        updated = memory.update(memory_id, scope=invocation.scope, **changes)
        _show(invocation, memory, updated)


def _show(invocation: Invocation, memory: Memory, added: Added) -> None:
    if invocation.json:
        show_document(added)
        return
    replaced: list[Node] = [memory.get(old) for old in added.superseded]
    show_added(added, replaced)


@click.command
@click.argument("memory_id", metavar="ID")
@shared
@pass_invocation
def restore(invocation: Invocation, memory_id: str) -> None:
    """Make memory ID active again: undo its supersession, or lift it over the gate.

    What had superseded it stays as it is.
    """
    with invocation.memory() as memory:
        node = memory.restore(memory_id, scope=invocation.scope)
    if invocation.json:
        show_document(node)
    else:
        show_node(node)
