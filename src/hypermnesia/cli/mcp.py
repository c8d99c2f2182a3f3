"""The verb an MCP client starts."""

from __future__ import annotations

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.terminal import log_on_stderr


@click.command
@shared
@pass_invocation
def mcp(invocation: Invocation) -> None:
    """Serve the memory to an MCP client over stdio, until it closes standard input.

    Standard output carries the protocol alone. --json changes nothing here.
    """
    from hypermnesia.serve.mcp import run  # noqa: PLC0415 - the MCP SDK, for this verb alone

    with log_on_stderr():
        run(invocation.store, invocation.scope)
