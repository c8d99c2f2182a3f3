"""Verbs that look after a store: check, reindex."""

from __future__ import annotations

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.progress import progress
from hypermnesia.cli.render import counted, show_document
from hypermnesia.cli.terminal import say, show_fields, show_json, show_rows


@click.command
@shared
@pass_invocation
def check(invocation: Invocation) -> None:
    """Compare rows and indexes with each other, and prove that a write works.

    The whole store is checked, whatever the scope. Exits 1 when a problem is found.
    """
    with invocation.memory() as memory:
        health = memory.check()
    if invocation.json:
        show_document(health)
    else:
        show_fields((name, f"{number:,}") for name, number in health.counts.items())
        if health.problems:
            show_rows(["problem", "detail"], [[p.kind, p.detail] for p in health.problems])
    problems = counted(len(health.problems), "problem", "problems")
    say("no problem found" if health.ok else f"{problems} found")
    if not health.ok:
        click.get_current_context().exit(1)


@click.command
@shared
@pass_invocation
def reindex(invocation: Invocation) -> None:
    """Rebuild what is derived from the rows; re-embed after a change of encoder.

    The whole store is rebuilt, whatever the scope. Lexical search goes on meanwhile, and an
    interrupted run continues where it stopped.
    """
    with invocation.memory() as memory, progress("embedding") as bar:
        number = memory.reindex(bar.reach)
    if invocation.json:
        show_json({"embedded": number})
    say(f"indexes rebuilt, {counted(number)} embedded")
