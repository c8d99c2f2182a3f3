"""The verb that erases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.render import counted, show_document, show_nodes
from hypermnesia.cli.terminal import can_ask, say, show_rows
from hypermnesia.errors import NotFound

if TYPE_CHECKING:
    from hypermnesia.memory import Memory
    from hypermnesia.types import Node, Receipt

SHOWN = 50
"""Memories listed before they go; of more, the number is told."""


@click.command
@click.option("--id", "ids", multiple=True, metavar="ID", help="Erase this memory (repeatable).")
@click.option("--query", metavar="TEXT", help="Erase what is alike to this text.")
@click.option(
    "--min-similarity", type=float, default=0.8, show_default=True,
    help="With --query: cosine from which a memory is meant, 0 to 1.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Erase the whole --scope.")
@click.option(
    "--erase",
    is_flag=True,
    help="Erase what it superseded, too; rewrite the file; print a receipt.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.option("--yes", is_flag=True, help="Do not ask; needed without a terminal.")
@shared
@pass_invocation
def forget(
    invocation: Invocation,
    *,
    ids: tuple[str, ...],
    query: str | None,
    min_similarity: float,
    everything: bool,
    erase: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Erase memories for good, with their indexes and vectors.

    Exactly one of --id, --query and --all says which. What would go is shown first. The receipt
    of --erase lists each index and file with what was looked for there; it exits 1 when
    something was found.
    """
    receipt: Receipt | None = None
    _usage(invocation, ids, query, everything=everything)
    with invocation.memory() as memory:
        doomed = memory.forget(
            ids=ids or None,
            query=query,
            scope=invocation.scope,
            dry_run=True,
            min_similarity=min_similarity,
            erase=erase,
        ).ids
        if not invocation.json:
            _show_doomed(memory, doomed)
        if not dry_run and doomed:
            _confirm(len(doomed), yes=yes)
            # What was shown goes, not what the selection would find by now.
            receipt = memory.forget(ids=doomed, scope=invocation.scope, erase=erase).receipt
    if invocation.json:
        proof = {"receipt": receipt} if erase else {}
        show_document({"ids": doomed, "dry_run": dry_run, **proof})
    elif receipt is not None:
        _show_receipt(receipt)
    say(f"{counted(len(doomed))} {'would be ' if dry_run else ''}forgotten")
    if query is not None and not doomed:
        say(f"nothing is {min_similarity:g} alike to that; a lower --min-similarity finds more")
    if receipt is not None and not receipt.complete:
        say("something of them is left: the receipt says where")
        click.get_current_context().exit(1)


def _usage(
    invocation: Invocation, ids: Sequence[str], query: str | None, *, everything: bool
) -> None:
    if bool(ids) + (query is not None) + everything != 1:
        raise click.UsageError("name exactly one of --id, --query and --all")
    if everything and invocation.scope is None:
        raise click.UsageError("--all erases a whole scope; name it with --scope")


def _show_doomed(memory: Memory, doomed: Sequence[str]) -> None:
    show_nodes(_living(memory, doomed[:SHOWN]))
    if len(doomed) > SHOWN:
        say(f"... and {len(doomed) - SHOWN:,} more")


def _living(memory: Memory, ids: Sequence[str]) -> Iterator[Node]:
    """Those that still have a text; --erase also takes ids that were forgotten before."""
    for memory_id in ids:
        with suppress(NotFound):
            yield memory.get(memory_id)


def _show_receipt(receipt: Receipt) -> None:
    pieces = counted(receipt.samples, "piece", "pieces")
    say(f"looked through at {receipt.at.isoformat()} with {pieces} of their texts")
    show_rows(
        ["found", "in", "by", "sought"],
        [[str(p.found), p.place, p.method, p.sought] for p in receipt.places],
    )
    show_rows(["erased", "SHA-256 of the id"], [["erased", digest] for digest in receipt.erased])


def _confirm(number: int, *, yes: bool) -> None:
    if yes:
        return
    if not can_ask():
        raise click.UsageError("without a terminal to ask on, --yes is needed; nothing was erased")
    if not click.confirm(f"Erase {counted(number)} for good?", err=True):
        say("nothing was erased")
        click.get_current_context().exit(1)
