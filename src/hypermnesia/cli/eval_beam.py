"""The evaluations on BEAM and LongMemEval: every talk has a memory of its own."""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.eval import evaluation
from hypermnesia.cli.eval_shown import budget_option, rounds_option, show_summary, systems_option
from hypermnesia.cli.options import Invocation, pass_invocation
from hypermnesia.cli.progress import progress
from hypermnesia.cli.terminal import log_on_stderr, show_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hypermnesia.evals.talks import Scoring, Talk

BEAM_COLUMNS = (
    "recall@5", "recall@10", "recall_all@10", "evidence_recall@10", "ndcg@10", "stale_at_1",
    "updated_first", "original_first", "context_tokens", "abstained", "extractive_f1", "f1",
    "rubric", "degraded",
)  # fmt: skip
LONGMEMEVAL_COLUMNS = (
    "session_any_hit@5", "session_recall_all@5", "session_ndcg@5", "any_hit@10", "recall_all@10",
    "ndcg@10", "context_tokens", "abstained", "extractive_f1", "f1", "judge_generous",
    "judge_strict", "judge_abstained", "degraded",
)  # fmt: skip


@click.command
@click.argument("paths", nargs=-1, required=True, metavar="PATH...",
                type=click.Path(path_type=Path))  # fmt: skip
@systems_option
@budget_option
@rounds_option
@evaluation("beam")
@pass_invocation
def beam(invocation: Invocation, paths: tuple[Path, ...], **options: Any) -> None:
    """Evaluate on BEAM: updates, contradictions, time and abstention by their evidence.

    Each PATH is the JSON file of a conversation, or a folder of such files. With a language model
    (llm_url) the answers are judged by their rubrics, without one they are extracted.
    """
    from hypermnesia.evals import beam as data  # noqa: PLC0415 - numpy

    files = data.files(paths)
    _evaluate(invocation, data.talks(files), files, data.SCORING, BEAM_COLUMNS, **options)


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--limit", type=click.IntRange(min=1), help="Only so many questions of the first.")
@systems_option
@budget_option
@rounds_option
@evaluation("longmemeval")
@pass_invocation
def longmemeval(invocation: Invocation, file: Path, limit: int | None, **options: Any) -> None:
    """Evaluate on LongMemEval: sessions and turns that are found, abstention apart.

    FILE is the official JSON. Every question brings a haystack of its own, which is ingested,
    asked and forgotten. With a language model (llm_url) the answers are judged.
    """
    from hypermnesia.evals import longmemeval as data  # noqa: PLC0415 - numpy

    talks = data.talks(file, limit)
    _evaluate(invocation, talks, [file], data.SCORING, LONGMEMEVAL_COLUMNS, **options)


def _evaluate(
    invocation: Invocation,
    talks: Iterable[Talk],
    files: Sequence[Path],
    scoring: Scoring,
    columns: Sequence[str],
    *,
    results: Path,
    name: str,
    fresh: bool,
    systems: tuple[str, ...],
    max_tokens: int,
    rounds: int,
) -> None:
    from hypermnesia.config import load  # noqa: PLC0415 - pydantic is slow to import
    from hypermnesia.evals.results import Run, folder  # noqa: PLC0415 - numpy
    from hypermnesia.evals.systems import chosen  # noqa: PLC0415
    from hypermnesia.evals.talks import Plan, evaluate, manifest  # noqa: PLC0415

    talks = iter(talks)
    first = list(islice(talks, 1))  # what is no such file leaves no folder of results
    plan = Plan(load(), chosen(systems), scoring, max_tokens, rounds)
    place = folder(results, name)
    verb = click.get_current_context().info_name or ""
    with (
        log_on_stderr(),
        Run.open(place, manifest(verb, plan, files, name), fresh=fresh) as run,
        progress("asking", unit="questions") as bar,
    ):
        summary = evaluate(run, chain(first, talks), plan, bar)
    if invocation.json:
        show_json(summary | {"folder": str(place)})
    else:
        show_summary(summary, columns)
