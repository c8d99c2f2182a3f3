"""The verb that looks after secrets: a group, of which ``scan`` is the one command."""

from __future__ import annotations

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.progress import progress
from hypermnesia.cli.render import counted
from hypermnesia.cli.terminal import say, show_json, show_rows


@click.group
@shared
def privacy() -> None:
    """Find secrets that a store holds, and mask them."""


@privacy.command
@click.option("--fix", is_flag=True, help="Mask what is found, for good.")
@click.option("--personal", is_flag=True, help="Also look for personal data.")
@shared
@pass_invocation
def scan(invocation: Invocation, *, fix: bool, personal: bool) -> None:
    """List the memories that hold a secret: id, rule and count, never the value.

    The whole store is scanned unless --scope names a part, the log of each memory included.
    With --fix a text is masked, embedded and indexed again, and its former words are scrubbed
    from the file. Exits 1 when something was found and not fixed.
    """
    with invocation.memory() as memory, progress("scanning") as bar:
        found = memory.scan(
            scope=invocation.scope, fix=fix, personal=personal, progress=bar.advance
        )
    if invocation.json:
        leaks = [
            {"id": leak.id, "scope": leak.scope, "rule": leak.rule, "count": leak.count}
            for leak in found.leaks
        ]
        show_json({"leaks": leaks, "memories": found.memories, "fixed": found.fixed})
    elif found.leaks:
        show_rows(
            ["id", "scope", "rule", "count"],
            [[leak.id, leak.scope, leak.rule, str(leak.count)] for leak in found.leaks],
        )
    holding = len({leak.id for leak in found.leaks})
    say(f"{counted(found.memories)} scanned, {holding} with a secret, {found.fixed} masked")
    if not found.clean:
        click.get_current_context().exit(1)
