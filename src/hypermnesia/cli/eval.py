"""The verb that evaluates: a group whose commands are loaded when they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from hypermnesia.cli.options import json_option, shared

P = ParamSpec("P")
R = TypeVar("R")

EVALUATIONS: Mapping[str, tuple[str, str]] = {
    "simulate": ("eval_simulate", "Recall in a simulated engineering agent's memory."),
    "locomo": ("eval_locomo", "LoCoMo: long conversations, in six stages."),
    "beam": ("eval_beam", "BEAM: updates, contradictions, time, abstention."),
    "longmemeval": ("eval_beam", "LongMemEval: sessions and turns."),
    "compare": ("eval_compare", "Several memory systems on the same data."),
    "report": ("eval_report", "Tables, plots and a page from results."),
    "verify": ("eval_report", "Compare the figures of the documentation with the results."),
}
"""Module here, and help in one line, of every evaluation; the command bears its name there."""


class Evaluations(click.Group):
    """Finds the evaluations late: they import numpy, and some more than that."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the help."""
        del ctx
        return list(EVALUATIONS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the evaluation's module and return its command."""
        del ctx
        if cmd_name not in EVALUATIONS:
            return None
        module, _ = EVALUATIONS[cmd_name]
        command = getattr(import_module(f"hypermnesia.cli.{module}"), cmd_name)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the evaluations without importing any."""
        del ctx
        with formatter.section("Evaluations"):
            formatter.write_dl([(name, summary) for name, (_, summary) in EVALUATIONS.items()])


@click.group("eval", cls=Evaluations)
@shared
def evaluate() -> None:
    """Measure memory systems, report what was found, and check what is claimed.

    Every evaluation keeps its raw records in a folder of its own below --results, and goes on
    where it was interrupted.
    """


def results_option(command: Callable[P, R]) -> Callable[P, R]:
    """Give a command ``--results``, the folder that holds the folders of the runs."""
    return click.option(
        "--results", metavar="DIR", type=click.Path(file_okay=False, path_type=Path),
        default=Path("results"), show_default=True, help="Folder of the results.",
    )(command)  # fmt: skip


def evaluation(name: str, *aliases: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give a command ``--json``, ``--results``, ``--name`` and ``--fresh``.

    Args:
        name: default of ``--name``.
        aliases: what ``--name`` may be called, too.
    """

    def decorate(command: Callable[P, R]) -> Callable[P, R]:
        fresh = click.option(
            "--fresh", is_flag=True, help="Drop the results of an earlier run of this name."
        )
        named = click.option(
            "--name", *aliases, "name", metavar="NAME", default=name, show_default=True,
            help="Folder of this run below --results.",
        )  # fmt: skip
        return results_option(named(fresh(json_option(command))))

    return decorate
