"""Evaluations' last steps: report what was found, check what is claimed."""

from __future__ import annotations

from pathlib import Path

import click

from hypermnesia.cli.eval import results_option
from hypermnesia.cli.options import Invocation, json_option, pass_invocation
from hypermnesia.cli.progress import progress
from hypermnesia.cli.render import counted
from hypermnesia.cli.terminal import say, show, show_json, show_rows


@click.command
@click.argument("names", nargs=-1, required=True, metavar="RUN...")
@click.option("--name", default="report", show_default=True, metavar="NAME",
              help="Folder of the report below --results.")  # fmt: skip
@click.option("--no-plots", "plain", is_flag=True, help="Do without matplotlib.")
@click.option("--publish", is_flag=True,
              help="Also copy each run, in small, to 'published' below --results.")  # fmt: skip
@results_option
@json_option
@pass_invocation
def report(
    invocation: Invocation, names: tuple[str, ...], *, name: str, plain: bool, publish: bool,
    results: Path,
) -> None:  # fmt: skip
    """Write tables (Markdown, LaTeX), plots (SVG) and one self-contained page of finished RUNs."""
    from hypermnesia.evals import results as files  # noqa: PLC0415 - numpy
    from hypermnesia.evals.publish import publish as publish_run  # noqa: PLC0415
    from hypermnesia.evals.report import write_report  # noqa: PLC0415
    from hypermnesia.evals.tables import Results  # noqa: PLC0415

    runs = [Results.load(files.folder(results, run)) for run in names]
    with progress("report", len(runs), unit="runs") as bar:
        written = write_report(
            runs, files.folder(results, name), drawn=not plain, on_progress=bar.reach
        )
    if publish:
        for run in runs:
            publish_run(run.folder, results / "published" / run.name)
    if invocation.json:
        show_json({"files": [str(path) for path in written]})
    else:
        for path in written:
            show(str(path))
    say(f"report of {', '.join(run.name for run in runs)} written")


@click.command
@click.option("--root", default=Path(), metavar="DIR", show_default="here",
              type=click.Path(exists=True, file_okay=False, path_type=Path),
              help="The project: README.md, docs, and the results they refer to.")  # fmt: skip
@click.option("--write", is_flag=True, help="First make the tables of the documents again.")
@json_option
@pass_invocation
def verify(invocation: Invocation, *, root: Path, write: bool) -> None:
    """Derive every figure of README.md and docs again from the results it refers to.

    Exits 1 when a figure differs from its result, when one has no reference and is not in
    docs/unreferenced-figures.toml, and when there is nothing to check.
    """
    from hypermnesia.evals import verify as claims  # noqa: PLC0415 - numpy
    from hypermnesia.serial import plain  # noqa: PLC0415

    if write:
        for path in claims.rewrite(root):
            say(f"tables of {path} written")
    with progress("verify", unit="pages") as bar:
        found = claims.verify(root, bar.reach)
    if invocation.json:
        show_json(plain(found))
    else:
        show_rows(["where", "problem"], [[each.where, each.what] for each in found.problems])
    outcome = counted(len(found.problems), "problem", "problems")
    say(f"{found.checked:,} claims checked, {found.allowed:,} figures allowed: {outcome}")
    if found.problems:
        click.get_current_context().exit(1)
