"""The verb that makes clients of the MCP server know it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.terminal import say, show, show_json
from hypermnesia.errors import InvalidInput

if TYPE_CHECKING:
    from hypermnesia.clients.installation import Outcome, Snippet, Wish
    from hypermnesia.clients.places import Client

# Written out, to keep the help quick; a test compares them.
CLIENTS = (
    "claude-code", "claude-desktop", "cursor", "vscode", "opencode", "codex", "gemini-cli"
)  # fmt: skip
_DONE = {
    "created": "written",
    "changed": "changed",
    "unchanged": "nothing to change in",
    "deleted": "deleted",
}


@click.command
@click.argument("client", type=click.Choice(CLIENTS))
@click.option(
    "--print", "only_print", is_flag=True, help="Print what would be written; write nothing."
)
@click.option(
    "--project",
    is_flag=True,
    help="For the project in the current folder alone; without --scope, its name is the scope.",
)
@click.option("--url", metavar="URL", help="Use the HTTP service at URL instead of a command.")
@click.option(
    "--token-env",
    metavar="NAME",
    default="HYPERMNESIA_TOKEN",
    show_default=True,
    help="Variable that holds the token for --url; the token itself is never written.",
)
@click.option("--sign-in", is_flag=True, help="With --url: no token; the client signs in by OAuth.")
@click.option(
    "--hooks",
    is_flag=True,
    help="With session hooks (claude-code): recall at the start, remember the transcript.",
)
@click.option(
    "--remove", "taking_out", is_flag=True, help="Take out what was added, hooks included."
)
@shared
@pass_invocation
def install(
    invocation: Invocation, *, client: str, only_print: bool, project: bool, url: str | None,
    token_env: str, sign_in: bool, hooks: bool, taking_out: bool,
) -> None:  # fmt: skip
    """Let CLIENT know the memory server, by an entry in its configuration file.

    Whatever else the file holds stays as it is, comments included. A file is backed up before it is
    changed; one that cannot be read is left alone, and what belongs into it is printed instead.
    """
    from hypermnesia.clients import installation, places  # noqa: PLC0415 - keeps the help quick
    from hypermnesia.clients.system import System  # noqa: PLC0415

    folder = installation.project_of(Path.cwd()) if project else None
    scope = invocation.scope
    if folder is not None and scope is None and url is None and not taking_out:
        scope = installation.scope_of(folder)
    wish = installation.Wish(
        invocation.store, scope, url, None if sign_in else _variable(token_env), folder, hooks
    )
    one, system = places.CLIENTS[client], System.current()
    if only_print and not taking_out:
        _show_snippets(invocation, one, installation.snippet(one, wish, system))
        return
    if only_print:
        raise click.UsageError("--print shows what would be added; it does not go with --remove")
    change = installation.remove if taking_out else installation.install
    try:
        outcomes = change(one, wish, system)
    except InvalidInput:
        if not taking_out and not invocation.json:
            _offer(installation.snippet(one, wish, system))
        raise
    _show(invocation, one, outcomes, wish)


def _variable(name: str) -> str:
    if not name.isidentifier() or not name.isascii():
        raise click.BadParameter(
            "give the name of a variable, not a token", param_hint="--token-env"
        )
    return name


def _show_snippets(invocation: Invocation, client: Client, snippets: Sequence[Snippet]) -> None:
    if invocation.json:
        shown = [{"path": str(one.path), "text": one.text} for one in snippets]
        show_json({"client": client.name, "files": shown})
        return
    _offer(snippets)


def _offer(snippets: Sequence[Snippet]) -> None:
    for one in snippets:
        say(f"for {one.path}:")
        show(one.text.rstrip("\n"))


def _show(invocation: Invocation, client: Client, outcomes: Sequence[Outcome], wish: Wish) -> None:
    if invocation.json:
        show_json({"client": client.name, "files": [_document(one) for one in outcomes]})
    for one in outcomes:
        backup = f" (as it was: {one.backup})" if one.backup else ""
        say(f"{_DONE[one.action]} {one.path}{backup}")
    if all(one.action == "unchanged" for one in outcomes):
        return
    say(f"restart {client.title} to see the difference")
    if wish.url is not None and wish.token is not None:
        say(f"it reads the token from the variable {wish.token}: set it where the client starts")
    if wish.store is None and wish.url is None and os.environ.get("HYPERMNESIA_STORE"):
        say("HYPERMNESIA_STORE is set here, where the client may not see it; --store names it")


def _document(outcome: Outcome) -> dict[str, Any]:
    return {
        "path": str(outcome.path),
        "action": outcome.action,
        "backup": None if outcome.backup is None else str(outcome.backup),
    }
