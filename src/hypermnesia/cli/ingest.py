"""The verb that takes conversations in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.progress import is_shown, progress
from hypermnesia.cli.render import counted, show_document
from hypermnesia.cli.stdin import STDIN
from hypermnesia.cli.terminal import say

if TYPE_CHECKING:
    from hypermnesia.graph.ingest import Ingested

# Written out, because importing the readers is slow; a test compares them.
FORMATS = ("openai", "locomo", "chatgpt", "claude", "transcript")
SHOWN = 20
"""Failed items named on stderr; ``--json`` names all."""


@click.command
@click.argument("path")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="How PATH is written [default: told from it].",
)
@click.option("--select", metavar="NAME", help="Only the conversation of this id or title.")
@click.option(
    "--session",
    metavar="NAME",
    help="Session of messages that name none [default: the file's name].",
)
@shared
@pass_invocation
def ingest(
    invocation: Invocation, path: str, form: str | None, select: str | None, session: str | None
) -> None:
    """Remember the conversation at PATH ('-' is standard input): turns, facts, episodes, topics.

    Chat messages as JSON or JSON lines, LoCoMo, exports of ChatGPT and Claude, and transcripts
    ('Ann: hello') are read. What is known already is passed over, so an interrupted ingest
    continues when it is started again. An item that cannot be read fails alone, is named on
    stderr, and makes the exit status 1.
    """
    total = _messages(path, form, select) if is_shown() and _rereadable(path) else None
    with invocation.memory() as memory, progress("ingesting", total, "messages") as bar:
        report = memory.ingest(
            path if path == STDIN else Path(path),
            scope=invocation.scope,
            format=form,
            select=select,
            session=session,
            progress=bar.advance,
        )
    _show(invocation, report)
    if report.failed:
        click.get_current_context().exit(1)


def _rereadable(path: str) -> bool:
    """Whether reading twice gives the same: what a pipe told, as in ``<(command)``, is gone."""
    return path != STDIN and Path(path).is_file()


def _messages(path: str, form: str | None, select: str | None) -> int:
    """How many messages a file holds, for the remaining time; reading is cheap beside storing."""
    from hypermnesia.graph.sources import read  # noqa: PLC0415 - terminals alone need it

    return sum(1 for _ in read(Path(path), form, select=select))


def _show(invocation: Invocation, report: Ingested) -> None:
    failed = [{"where": item.where, "message": item.message} for item in report.failed]
    if invocation.json:
        show_document({**_counts(report), "failed": failed})
    for item in failed[:SHOWN]:
        say(f"{item['where']}: {item['message']}")
    if len(failed) > SHOWN:
        say(f"... and {len(failed) - SHOWN:,} more; --json names them all")
    for line in _lines(report):
        say(line)


def _counts(report: Ingested) -> Mapping[str, Any]:
    names = (
        "turns", "known", "episodes", "facts", "topics", "gated", "superseded", "refused",
        "fallbacks", "tokens",
    )  # fmt: skip
    return {name: getattr(report, name) for name in names}


def _lines(report: Ingested) -> list[str]:
    lines = [
        f"{counted(report.turns, 'turn', 'turns')} stored, {report.known:,} known,"
        f" {report.refused:,} refused, {len(report.failed):,} failed",
        f"{counted(report.episodes, 'episode', 'episodes')},"
        f" {counted(report.topics, 'topic', 'topics')},"
        f" {counted(report.facts, 'fact', 'facts')} ({report.gated:,} gated),"
        f" {report.superseded:,} superseded",
    ]
    if report.fallbacks:
        steps = ", ".join(f"{name} {number:,}" for name, number in report.fallbacks.items())
        lines.append(f"made without the language model: {steps}")
    if report.tokens:
        steps = ", ".join(f"{name} {number:,}" for name, number in report.tokens.items())
        lines.append(f"tokens: {steps}")
    return lines
