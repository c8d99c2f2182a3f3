"""Moving a store to another place."""

from __future__ import annotations

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.progress import progress
from hypermnesia.cli.render import counted
from hypermnesia.cli.terminal import log_on_stderr, say, show_fields, show_json


@click.command("migrate-store")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@shared
@pass_invocation
def migrate_store(invocation: Invocation, source: str, target: str) -> None:
    """Move everything that the store FROM holds to the empty store TO, and compare them.

    Either is a file or a postgresql:// URL. Ids, times, history, vectors, accounts and the queue of
    the corpus are kept; FROM stays as it is. Nobody should write to FROM meanwhile. An interrupted
    move goes on where it stopped when it is started again. All scopes move; --store and --scope
    change nothing here.
    """
    from hypermnesia.config import load  # noqa: PLC0415 - pydantic is slow to import
    from hypermnesia.migration import migrate  # noqa: PLC0415 - as above

    with log_on_stderr(), progress("moving", unit="rows") as bar:
        report = migrate(source, target, bar.reach, wait=load().busy_timeout)
    if invocation.json:
        show_json(
            {
                "counts": dict(report.counts),
                "checksums": dict(report.checksums),
                "resumed": report.resumed,
            }
        )
    else:
        show_fields((part, f"{number:,}") for part, number in report.counts.items())
    say(f"{counted(report.counts['memories'])} moved; both stores are alike")
