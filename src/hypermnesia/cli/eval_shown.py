"""Options that evaluations on conversations share, and what they show at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from hypermnesia.cli.terminal import interactive, say, show, show_rows

SYSTEMS = (
    "default", "dgui", "hypermem", "full-context", "raw-turns", "hypermem-no-topics",
    "hypermem-facts", "hypermem-one-topic", "hypermem-lambda-0", "hypermem-unweighted",
    "default-prior", "default-no-talk", "default-gated", "default-no-turns", "default-no-judge",
)  # fmt: skip
"""Written out, because hypermnesia.evals.systems imports numpy; a test compares them."""

systems_option = click.option(
    "--system", "systems", multiple=True, default=["default"], show_default=True,
    type=click.Choice(SYSTEMS), metavar="NAME",
    help="Who is asked (repeatable): 'default', a preset, an ablation or a baseline.",
)  # fmt: skip
budget_option = click.option(
    "--max-tokens", default=2000, show_default=True, type=click.IntRange(50, 100_000),
    help="Budget of a context, and of what a language model reads.",
)  # fmt: skip
rounds_option = click.option(
    "--rounds", default=3, show_default=True, type=click.IntRange(1, 25),
    help="Verdicts of each form that a language model gives on an answer.",
)  # fmt: skip


def show_summary(summary: Mapping[str, Any], columns: Sequence[str]) -> None:
    """The means of every system, over all questions and by class.

    Args:
        summary: as :func:`hypermnesia.evals.summary.summarise` made it.
        columns: metrics to show; those that no question has are left out.
    """
    rows = list(_rows(summary))
    shown = [name for name in columns if any(name in means for _, _, means in rows)]
    if not rows:
        say("nothing was asked yet; run stage 4")
        return
    head = ["system", "questions", *shown]
    if not interactive():
        show("\t".join(head))
    show_rows(head, [[system, kind, *_cells(means, shown)] for system, kind, means in rows])


def _rows(summary: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for system, found in summary["systems"].items():
        yield system, "all", found["all"]
        for kind, means in found["classes"].items():
            yield system, kind, means


def _cells(means: Mapping[str, Any], shown: Sequence[str]) -> list[str]:
    return [f"{means[name]['mean']:.3f}" if name in means else "-" for name in shown]
