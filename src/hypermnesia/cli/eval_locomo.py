"""The evaluation on LoCoMo."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.eval import evaluation
from hypermnesia.cli.eval_shown import budget_option, rounds_option, show_summary, systems_option
from hypermnesia.cli.options import Invocation, pass_invocation
from hypermnesia.cli.progress import progress
from hypermnesia.cli.terminal import log_on_stderr, say, show_json

if TYPE_CHECKING:
    from hypermnesia.evals.locomo.experiment import Experiment
    from hypermnesia.evals.systems import System

COLUMNS = (
    "recall@10", "recall_all@10", "any_hit@10", "mrr@10", "ndcg@10", "context_tokens",
    "extractive_f1", "f1", "judge_generous", "judge_strict", "abstained", "degraded",
)  # fmt: skip
LABELS = {
    1: ("ingesting", "turns"),
    2: ("hypergraph", "talks"),
    3: ("index", "checks"),
    4: ("retrieving", "questions"),
    5: ("answering", "questions"),
    6: ("judging", "questions"),
}
_STAGE = re.compile(r"[1-6](?:-[1-6])?")


class Staged(click.Command):
    """Lets ``--stages`` take several words: ``--stages 4 5 6``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the stages behind the option to one word before click reads them."""
        return super().parse_args(ctx, _joined(args))


@click.command(cls=Staged)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--stages", default="1-6", show_default=True, metavar="STAGES",
    help="Which to run: '1-6', '4 5 6', '2,4-6'.",
)  # fmt: skip
@click.option(
    "--audit", metavar="PATH", type=click.Path(path_type=Path),
    help="A published audit of the gold: its corrections are applied.",
)  # fmt: skip
@click.option("--select", multiple=True, metavar="NAME", help="Only this talk (repeatable).")
@click.option("--ablations", is_flag=True, help="Ask all systems: presets, baselines, ablations.")
@systems_option
@budget_option
@rounds_option
@evaluation("locomo", "--experiment")
@pass_invocation
def locomo(
    invocation: Invocation, file: Path, stages: str, results: Path, name: str, *, fresh: bool,
    ablations: bool, systems: tuple[str, ...], **options: Any,
) -> None:  # fmt: skip
    """Evaluate on LoCoMo: evidence that is found, answers, abstention, tokens and time.

    FILE holds conversations in the original schema. The stages: 1 episodes, 2 hypergraph, 3 index,
    4 retrieval, 5 answers, 6 judgement. Each leaves JSON in the folder of the run and needs what
    the one before left. Without a language model (llm_url) answers are extracted and nothing is
    judged. --fresh drops what the stages that are run left before, and nothing else.
    """
    from hypermnesia.config import load  # noqa: PLC0415 - pydantic is slow to import
    from hypermnesia.evals.locomo.experiment import LIMITS, prepare  # noqa: PLC0415 - numpy
    from hypermnesia.evals.locomo.stages import discard, gather, numbers  # noqa: PLC0415
    from hypermnesia.evals.results import folder  # noqa: PLC0415
    from hypermnesia.evals.systems import SYSTEMS, chosen  # noqa: PLC0415

    wanted = numbers(stages)
    asked = chosen([*systems, *(SYSTEMS if ablations else ())], whole=True)
    with log_on_stderr():
        experiment = prepare(file, folder(results, name), load(), **options)
        if fresh:
            discard(experiment, wanted)
        _run(experiment, wanted, asked)
        summary = gather(experiment)
    if invocation.json:
        show_json(summary | {"folder": str(experiment.folder), "limits": LIMITS})
        return
    show_summary(summary, COLUMNS)
    for limit in LIMITS:
        say(f"note: {limit}")


def _run(experiment: Experiment, stages: Sequence[int], systems: Sequence[System]) -> None:
    from hypermnesia.evals.locomo.stages import amount, run_stage  # noqa: PLC0415 - numpy

    for stage in stages:
        label, unit = LABELS[stage]
        with progress(f"{stage} {label}", amount(experiment, stage, systems), unit) as bar:
            run_stage(experiment, stage, systems, bar.advance)


def _joined(args: Sequence[str]) -> list[str]:
    found: list[str] = []
    for word in args:
        if _STAGE.fullmatch(word) and len(found) > 1 and found[-2] == "--stages":
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found
