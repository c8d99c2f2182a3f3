"""The verb that starts the service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.terminal import say, show_fields, show_json

if TYPE_CHECKING:
    from hypermnesia.config import Settings


@click.command
@click.option("--host", metavar="ADDRESS", help="Address to listen on [default: 127.0.0.1].")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 = any [default: 8765].")
@click.option("--check", is_flag=True, help="Only tell whether it would run; exit 1 if not.")
@shared
@pass_invocation
def serve(invocation: Invocation, host: str | None, port: int | None, *, check: bool) -> None:
    """Serve the memory over HTTP: REST, MCP, and a console for people.

    On the default address, and as long as there are no accounts, it is open to whoever uses this
    machine. On any other, everything is closed until the first account is made by the link that
    is printed. SIGTERM or Ctrl-C stops it when what was begun is done. Log lines are JSON, on
    standard error. With --json the address, or what --check found, is one JSON document.
    """
    from hypermnesia.config import load  # noqa: PLC0415 - pydantic, for this verb alone

    settings = load(
        store=invocation.store, scope=invocation.scope, serve_host=host, serve_port=port
    )
    if check:
        _check(invocation, settings)
    else:
        _serve(invocation, settings)


def _check(invocation: Invocation, settings: Settings) -> None:
    from hypermnesia.serve.http.checks import checks  # noqa: PLC0415 - the whole service

    found = list(checks(settings))
    if invocation.json:
        show_json([{"name": c.name, "ok": c.ok, "detail": c.detail} for c in found])
    else:
        show_fields((c.name, f"{'ok' if c.ok else 'NOT OK'}: {c.detail}") for c in found)
    if not all(c.ok for c in found):
        click.get_current_context().exit(1)


def _serve(invocation: Invocation, settings: Settings) -> None:
    from hypermnesia.memory import Memory  # noqa: PLC0415 - the whole service
    from hypermnesia.serve.http import logs  # noqa: PLC0415
    from hypermnesia.serve.http.service import serve as serve_http  # noqa: PLC0415

    def announce(address: str, setup: str | None) -> None:
        if invocation.json:
            show_json({"address": address, "setup": setup})
        say(f"serving {address} (console), {address}/api/v1 (REST), {address}/mcp (MCP)")
        if setup is not None:
            say(f"make the first account here, once: {setup}")

    logs.install()
    with Memory.open(settings=settings) as memory:
        serve_http(memory, settings, announce)
    say("stopped")
