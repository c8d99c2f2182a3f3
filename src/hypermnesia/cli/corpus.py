"""The verbs of the reasoning corpus: consent, stats, flush, export."""

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
from hypermnesia.cli.stdin import STDIN
from hypermnesia.cli.terminal import say, show_fields, show_json, show_rows

if TYPE_CHECKING:
    from hypermnesia.corpus.export import Exported
    from hypermnesia.memory import Memory

# Written out, because hypermnesia.engine imports numpy; a test compares them.
FORMATS = ("jsonl", "parquet")


@click.group
@shared
def corpus() -> None:
    """Queue judgements of scopes that agree, redacted, and hand them over.

    Off by default: nothing is queued or leaves without the consent of its scope.
    """


@corpus.command
@click.option("--on/--off", "given", default=None, help="Give consent, or withdraw it.")
@shared
@pass_invocation
def consent(invocation: Invocation, *, given: bool | None) -> None:
    """Show, give or withdraw the consent of a scope.

    With --off everything of the scope that is queued is dropped at once.
    """
    with invocation.memory() as memory:
        found = memory.corpus_consent(given, scope=invocation.scope)
    if invocation.json:
        show_document(found)
        return
    since = f"since {found.since:%Y-%m-%d}" if found.since else "no"
    show_fields([("scope", found.scope), ("consent", since)])
    if found.dropped:
        say(f"{_rows(found.dropped)} dropped from the queue")


@corpus.command
@shared
@pass_invocation
def stats(invocation: Invocation) -> None:
    """Show what is queued, and what became of the rest, by scope and use case.

    The whole store is shown unless --scope names a part.
    """
    with invocation.memory() as memory:
        found = memory.corpus_stats(scope=invocation.scope)
    if invocation.json:
        show_document(
            {
                "consenting": found.consenting,
                "pending": found.pending,
                "uploaded": found.uploaded,
                "flushed_at": found.flushed_at,
                "tallies": found.tallies,
            }
        )
        return
    columns = ["scope", "use case", "pending", "error", "uploaded", "unredacted", "dropped"]
    rows = [
        [t.scope, t.use_case, *map(str, (t.pending, t.error, t.uploaded, t.unredacted, t.dropped))]
        for t in found.tallies
    ]
    if rows:
        show_rows(columns, rows)
    last = f"{found.flushed_at:%Y-%m-%d %H:%M}" if found.flushed_at else "never"
    say(f"consent of {', '.join(found.consenting) or 'no scope'}; last handed over: {last}")


@corpus.command
@shared
@pass_invocation
def flush(invocation: Invocation) -> None:
    """Hand over what is queued: to files in the corpus_folder, and to the corpus_repo if set.

    The whole store is emptied unless --scope names a part. What an interrupted flush began is
    finished first. Exits 1 when another process is at it, or the hub does not take the rows.
    """
    with invocation.memory() as memory, progress("handing over", unit="rows") as bar:
        done = memory.corpus_flush(scope=invocation.scope, progress=bar.advance)
    if invocation.json:
        show_document(
            {
                "rows": done.rows,
                "withheld": done.withheld,
                "pending": done.pending,
                "files": [str(path) for path in done.files],
                "repo": done.repo,
            }
        )
    else:
        for path in done.files:
            click.echo(str(path))
    say(f"{_rows(done.rows)} handed over, {done.withheld:,} withheld, {done.pending:,} waiting")


@corpus.command
@click.argument("path")
@click.option(
    "--format", "kind", type=click.Choice(FORMATS), help="[default: told from the file's name]"
)
@shared
@pass_invocation
def export(invocation: Invocation, path: str, *, kind: str | None) -> None:
    """Write the rows that are queued, or left and are kept, to PATH ('-' is standard output).

    Nothing in the queue changes. Without --scope every scope that agrees is written. The file
    is scanned for secrets before it appears, whole or not at all.
    """
    if path == STDIN and invocation.json:
        raise click.UsageError("'export -' writes JSON lines already; --json goes with a file")
    with invocation.memory() as memory:
        done = (
            _to_stdout(memory, invocation.scope, kind)
            if path == STDIN
            else memory.corpus_export(path, scope=invocation.scope, format=kind)
        )
    if invocation.json:
        show_json({"rows": done.rows, "withheld": done.withheld, "path": path})
    say(f"{_rows(done.rows)} exported, {done.withheld:,} withheld")


def _to_stdout(memory: Memory, scope: str | None, kind: str | None) -> Exported:
    with tempfile.TemporaryDirectory(prefix="hypermnesia-") as folder:
        path = Path(folder) / "corpus"
        done = memory.corpus_export(path, scope=scope, format=kind)
        with path.open("rb") as file:  # bytes: the console's encoding must not touch them
            shutil.copyfileobj(file, sys.stdout.buffer)
    return done


def _rows(number: int) -> str:
    return counted(number, "row", "rows")
