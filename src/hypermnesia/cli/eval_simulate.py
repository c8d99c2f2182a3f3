"""The evaluation that simulates an engineering agent's memory."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hypermnesia.cli.eval import evaluation
from hypermnesia.cli.options import Invocation, pass_invocation
from hypermnesia.cli.progress import progress
from hypermnesia.cli.terminal import heading, log_on_stderr, say, show, show_json

if TYPE_CHECKING:
    from hypermnesia.evals.simulate.run import Plan


def _seeds(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    parts = [part.strip() for part in value.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):  # noqa: PLR2004
        raise click.BadParameter(
            "give whole numbers with commas between, such as 11,12,13", ctx, param
        )
    return tuple(dict.fromkeys(map(int, parts)))


@click.command
@click.option("--n-mem", "memories", default=900, show_default=True, metavar="N",
              type=click.IntRange(200, 5000), help="Memories a seed.")  # fmt: skip
@click.option("--n-q", "queries", default=150, show_default=True, metavar="N",
              type=click.IntRange(4, 1000), help="Questions a seed.")  # fmt: skip
@click.option("--seeds", default="11,12,13", show_default=True, callback=_seeds, metavar="N,N,...",
              help="One world each.")  # fmt: skip
@click.option("--workload", default="ours", show_default=True,
              type=click.Choice(("ours", "paper")),
              help="`paper`: as published, flaws included.")  # fmt: skip
@click.option("--only", multiple=True, metavar="CONFIGURATION",
              help="Only these configurations (repeatable).")  # fmt: skip
@evaluation("simulate")
@pass_invocation
def simulate(
    invocation: Invocation, *, memories: int, queries: int, seeds: tuple[int, ...], workload: str,
    only: tuple[str, ...], results: Path, name: str, fresh: bool,
) -> None:  # fmt: skip
    """Measure recall in a made-up engineering agent's memory: twelve read paths and a ceiling.

    Four classes of questions, each with every memory that answers it: by identifier, by meaning
    alone, by time, by one fact of many alike.
    """
    from hypermnesia.config import embedder_of, load  # noqa: PLC0415 - as below
    from hypermnesia.evals import results as files  # noqa: PLC0415 - numpy
    from hypermnesia.evals.simulate.configurations import chosen  # noqa: PLC0415
    from hypermnesia.evals.simulate.findings import document  # noqa: PLC0415
    from hypermnesia.evals.simulate.run import Plan  # noqa: PLC0415
    from hypermnesia.evals.simulate.run import simulate as run_plan  # noqa: PLC0415

    settings = load()
    embedder = embedder_of(settings)
    plan = Plan("paper" if workload == "paper" else "ours", memories, queries, seeds,
                chosen(only), settings)  # fmt: skip
    manifest = files.Manifest.of(
        _command(plan, only),
        settings=plan.plain(),
        encoder=embedder.identity,
        baseline="dense",
    )
    folder = files.folder(results, name)
    with log_on_stderr(), files.Run.open(folder, manifest, fresh=fresh) as run:
        with progress("simulate", plan.steps, unit="steps") as bar:
            run_plan(plan, run, embedder, bar.advance, partial(_note, folder))
        summary = run.finish()
    found = document(files.read_records(folder))
    files.write_json(folder / files.FINDINGS, found)
    if invocation.json:
        show_json({"folder": str(folder), "summary": summary} | found)
    else:
        _show(folder)
    say(f"{summary['records']} records in {folder}")


def _command(plan: Plan, only: Sequence[str]) -> str:
    words = ["hypermnesia", "eval", "simulate", "--workload", plan.workload,
             "--n-mem", str(plan.memories), "--n-q", str(plan.queries),
             "--seeds", ",".join(map(str, plan.seeds))]  # fmt: skip
    return shlex.join([*words, *(word for name in only for word in ("--only", name))])


def _note(folder: Path, seed: int, report: Mapping[str, float]) -> None:
    """Write at once how well a seed was written: an interrupted run does not write it again."""
    from hypermnesia.evals import results as files  # noqa: PLC0415 - numpy

    path = folder / files.WRITING
    known = files.read_json(path) if path.exists() else {}
    files.write_json(path, known | {str(seed): dict(report)})


def _show(folder: Path) -> None:
    from hypermnesia.evals import tables  # noqa: PLC0415 - numpy

    run = tables.Results.load(folder)
    for table in (tables.overall(run), tables.by_class(run, "ndcg@10"), tables.published(run),
                  tables.written(run)):  # fmt: skip
        if table.rows:
            heading(table.caption)
            show(tables.markdown(table))
