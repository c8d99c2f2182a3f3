"""Verbs that move a store's content: export, import, backup."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.progress import progress
from hypermnesia.cli.render import counted, show_document
from hypermnesia.cli.stdin import STDIN, file_or_stdin
from hypermnesia.cli.terminal import say, show_json
from hypermnesia.errors import InvalidInput

if TYPE_CHECKING:
    from hypermnesia.memory import Memory
    from hypermnesia.transfer import Imported


@click.command
@click.argument("path")
@shared
@pass_invocation
def export(invocation: Invocation, path: str) -> None:
    """Write every memory as JSON lines to PATH ('-' is standard output).

    Without --scope all scopes are written. The file appears whole or not at all, and holds
    everything, secrets included that recall would mask.
    """
    if path == STDIN and invocation.json:
        raise click.UsageError("'export -' writes JSON lines already; --json goes with a file")
    with invocation.memory() as memory:
        number = (
            _export_to_stdout(memory, invocation.scope)
            if path == STDIN
            else memory.export(path, scope=invocation.scope)
        )
    if invocation.json:
        show_json({"exported": number, "path": path})
    say(f"{counted(number)} exported")


def _export_to_stdout(memory: Memory, scope: str | None) -> int:
    with tempfile.TemporaryDirectory(prefix="hypermnesia-") as folder:
        path = Path(folder) / "export.jsonl"
        number = memory.export(path, scope=scope)
        with path.open("rb") as file:  # bytes: the console's encoding must not touch them
            shutil.copyfileobj(file, sys.stdout.buffer)
    return number


@click.command("import")
@click.argument("path")
@shared
@pass_invocation
def import_(invocation: Invocation, path: str) -> None:
    """Store what an export at PATH holds ('-' is standard input): ids, times and verdicts kept.

    Known memories are skipped. A bad line fails alone, is named on stderr, and makes the
    exit status 1. Each memory keeps its own scope, so --scope cannot be given.
    """
    if invocation.scope is not None:
        raise click.UsageError("an import keeps each memory's own scope; leave --scope out")
    with file_or_stdin(path) as file:
        total = _lines(file)
        with invocation.memory() as memory, progress("importing", total) as bar:
            imported = memory.import_(file, progress=bar.advance)
    _show_imported(invocation, imported)
    if imported.failed:
        click.get_current_context().exit(1)


def _lines(path: Path) -> int:
    try:
        with path.open("rb") as file:
            return sum(1 for _ in file)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read ({error.strerror})") from error


def _show_imported(invocation: Invocation, imported: Imported) -> None:
    failed = [
        {"line": f.index + 1, "error": f.error, "message": f.message} for f in imported.failed
    ]
    if invocation.json:
        show_document({"added": imported.added, "skipped": imported.skipped, "failed": failed})
    for failure in failed:
        say(f"line {failure['line']}: {failure['message']}")
    say(f"{counted(imported.added)} added, {imported.skipped:,} known, {len(failed):,} failed")


@click.command
@click.argument("path")
@shared
@pass_invocation
def backup(invocation: Invocation, path: str) -> None:
    """Copy the whole store to the new file PATH, consistent, while others read and write."""
    with invocation.memory() as memory, progress("copying", unit="pages") as bar:
        memory.backup(path, progress=bar.reach)
    if invocation.json:
        show_json({"path": path})
    say(f"the store was copied to {path}")
