"""Verbs that search: search, context, suggest."""

from __future__ import annotations

from typing import Any

import click

from hypermnesia.cli.options import Invocation, filters, pass_invocation, shared
from hypermnesia.cli.render import show_document, show_hits
from hypermnesia.cli.stdin import text_or_stdin
from hypermnesia.cli.terminal import heading, say, show


@click.command
@click.argument("query")
@click.option("-k", type=int, default=10, show_default=True, help="Most hits, 1 to 50.")
@click.option("--min-score", type=float, default=0.0, help="Lowest score shown, 0 to 1.")
@click.option("--explain", is_flag=True, help="Show every component of each score.")
@filters
@shared
@pass_invocation
def search(invocation: Invocation, query: str, *, explain: bool, **options: Any) -> None:
    """Find the memories that answer QUERY best ('-' reads standard input).

    Piped, each hit is a line of rank, score, date, type, id and text, separated by tabs.
    """
    text = text_or_stdin(query)
    with invocation.memory() as memory:
        hits = memory.search(text, scope=invocation.scope, **options)
    if invocation.json:
        show_document(hits)
    elif hits:
        show_hits(hits, explain=explain)
    else:
        say("nothing found")


@click.command
@click.argument("query")
@click.option(
    "--max-tokens", type=int, default=2000, show_default=True, help="Budget, never exceeded."
)
@click.option("-k", type=int, default=50, show_default=True, help="Most memories considered.")
@click.option("--min-score", type=float, default=0.0, help="Lowest score used, 0 to 1.")
@filters
@shared
@pass_invocation
def context(invocation: Invocation, query: str, **options: Any) -> None:
    """Pack what is known about QUERY into a text for a prompt, with dates and citations.

    QUERY '-' reads standard input.
    """
    text = text_or_stdin(query)
    with invocation.memory() as memory:
        block = memory.context(text, scope=invocation.scope, **options)
    if invocation.json:
        document = {"text": str(block), "tokens": block.tokens, "citations": block.citations}
        show_document(document)
    elif block:
        show(block)
    else:
        say("nothing found")


@click.command
@click.argument("content")
@click.option("-k", type=int, default=5, show_default=True, help="Most memories shown, 1 to 50.")
@shared
@pass_invocation
def suggest(invocation: Invocation, content: str, *, k: int) -> None:
    """Show what is known already about CONTENT, before it is added ('-' reads standard input)."""
    text = text_or_stdin(content)
    with invocation.memory() as memory:
        suggestion = memory.suggest(text, scope=invocation.scope, k=k)
    if invocation.json:
        show_document(suggestion)
        return
    for title, hits in (("says the same", suggestion.repeats), ("related", suggestion.related)):
        if hits:
            heading(title)
            show_hits(hits)
    if not suggestion.known:
        say("nothing known")
