"""The evaluation that compares memory systems."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from hypermnesia.cli.eval import evaluation
from hypermnesia.cli.options import Invocation, pass_invocation
from hypermnesia.cli.progress import progress
from hypermnesia.cli.terminal import heading, log_on_stderr, say, show, show_json


def _names(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Systems with commas between."""
    del ctx, param
    return tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))


@click.command
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--systems", default="hypermnesia,fts5,dense", show_default=True, metavar="A,B,...",
              callback=_names, help="Which systems; an unknown name lists all.")  # fmt: skip
@click.option("--k", default=10, show_default=True, type=click.IntRange(1, 50),
              help="Items asked for.")  # fmt: skip
@evaluation("compare")
@pass_invocation
def compare(
    invocation: Invocation, *, path: Path, systems: tuple[str, ...], k: int, results: Path,
    name: str, fresh: bool,
) -> None:  # fmt: skip
    """Compare memory systems on FILE: quality, ingest rate, latency, memory, disk.

    FILE is LoCoMo, a BEAM conversation or a folder of them, or JSON lines of texts ({"id",
    "text"}, optionally "at", "speaker", "session") and questions ({"question", "gold"}).
    Every system has a process and a folder of its own, and they take turns. Peers need
    'hypermnesia[eval]' or 'hypermnesia[peers]'.
    """
    from hypermnesia.config import embedder_of, load  # noqa: PLC0415 - as below
    from hypermnesia.evals import beam, conditions, tables  # noqa: PLC0415 - numpy
    from hypermnesia.evals import compare as comparison  # noqa: PLC0415
    from hypermnesia.evals import results as files  # noqa: PLC0415
    from hypermnesia.evals.adapters.systems import contenders  # noqa: PLC0415
    from hypermnesia.evals.material import collections  # noqa: PLC0415

    settings = load()
    chosen = contenders(systems)
    paths = beam.files([path])
    found = collections(paths)
    manifest = files.Manifest.of(
        shlex.join(["hypermnesia", "eval", "compare", path.name, "--systems", ",".join(chosen),
                    "--k", str(k)]),
        settings={"k": k, "systems": {name: one.version for name, one in chosen.items()},
                  "hypermnesia": conditions.in_force(settings)},
        encoder=embedder_of(settings).identity,
        data=paths,
        baseline=next(iter(chosen)),
    )  # fmt: skip
    folder = files.folder(results, name)
    total = len(chosen) * sum(len(collection.questions) for collection in found)
    with (
        log_on_stderr(),
        files.Run.open(folder, manifest, fresh=fresh) as run,
        progress("comparing", total, unit="questions") as bar,
    ):
        comparison.compare(run, found, list(chosen), k, bar.advance, bar.tell)
    finished = tables.Results.load(folder)
    if invocation.json:
        show_json({"folder": str(folder), "summary": finished.summary, "speed": finished.speed})
    else:
        for table in (tables.overall(finished), comparison.costs(finished)):
            heading(table.caption)
            show(tables.markdown(table))
    say(f"{finished.summary['records']} records in {folder}")
