"""The verbs that train the local judge further, and go back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.options import Invocation, json_option, pass_invocation, shared
from hypermnesia.cli.progress import progress
from hypermnesia.cli.render import counted
from hypermnesia.cli.terminal import log_on_stderr, say, show_json, show_rows
from hypermnesia.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypermnesia.config import Settings
    from hypermnesia.judge.training.rows import Corpus
    from hypermnesia.judge.training.run import Outcome, Trained


@click.group
@shared
def judge() -> None:
    """Train the local judge further on your own judgements."""


@judge.command
@click.option(
    "--corpus", "file", required=True, metavar="FILE",
    help="JSON lines that `hypermnesia corpus export` wrote.",
)  # fmt: skip
@click.option("--accept", is_flag=True, help="Install the heads that did better.")
@json_option
@pass_invocation
def train(invocation: Invocation, file: str, *, accept: bool) -> None:
    """Retrain the judge's heads on rows that another judge answered; compare with the shipped.

    Each head is held against answers that it was not trained on: accuracy, Brier score and
    calibration error (ECE), shipped and retrained, with the change and its 95% interval. A head
    does better if its Brier score falls, and its accuracy does not, by more than chance explains.
    Nothing changes without --accept; with it, the command exits 1 if no head did better.
    """
    from hypermnesia.config import SHIPPED_HEADS, heads_file, load  # noqa: PLC0415 - pydantic
    from hypermnesia.judge.own_heads import write  # noqa: PLC0415 - numpy

    settings = load()
    if accept and settings.judge_heads == SHIPPED_HEADS:
        raise InvalidInput("the setting judge_heads keeps the shipped heads; unset it to install")
    with log_on_stderr():
        corpus, trained = _trained(settings, Path(file))
    better = [outcome.head for outcome in trained.outcomes if outcome.better]
    place = heads_file(settings) if accept and better else None
    if place is not None:
        write(place, trained.arrays)
    if invocation.json:
        show_json(_document(corpus, trained, place))
    else:
        show_rows(COLUMNS, [_row(outcome) for outcome in trained.outcomes])
    _tell(corpus, trained, better, place)
    if accept and not better:
        click.get_current_context().exit(1)


@judge.command
@json_option
@pass_invocation
def reset(invocation: Invocation) -> None:
    """Go back to the heads that ship."""
    from hypermnesia.config import heads_file, load  # noqa: PLC0415 - pydantic is slow to import
    from hypermnesia.judge.own_heads import remove  # noqa: PLC0415 - numpy

    place = heads_file(load())
    removed = remove(place)
    if invocation.json:
        show_json({"removed": str(place) if removed else None})
    say(f"removed {place}" if removed else "the shipped heads were in force already")


COLUMNS = ["head", "answers", "groups", "accuracy", "brier", "ece", "verdict"]


def _trained(settings: Settings, file: Path) -> tuple[Corpus, Trained]:
    from hypermnesia.judge.training.rows import read  # noqa: PLC0415 - for this verb alone
    from hypermnesia.judge.training.run import train  # noqa: PLC0415
    from hypermnesia.judge.training.texts import memories_of  # noqa: PLC0415
    from hypermnesia.models.encoder import OnnxEncoder  # noqa: PLC0415

    corpus = read(file)
    with progress("encoding", len(memories_of(corpus))) as bar:
        try:
            return corpus, train(corpus, OnnxEncoder(threads=settings.threads), bar.advance)
        except InvalidInput as error:
            raise InvalidInput(f"{file}: {error}") from None


def _row(outcome: Outcome) -> list[str]:
    size = [outcome.head, f"{outcome.rows:,}", f"{outcome.groups:,}"]
    if outcome.lacking is not None:
        return [*size, "-", "-", "-", f"not trained: {outcome.lacking}"]
    verdict = "better" if outcome.better else "not better"
    figures = [
        f"{m.shipped:.3f} -> {m.trained:.3f} ({m.low:+.3f} to {m.high:+.3f})"
        for m in outcome.measures.values()
    ]
    return [*size, *figures, verdict]


def _document(corpus: Corpus, trained: Trained, place: Path | None) -> Mapping[str, Any]:
    from hypermnesia.serial import plain  # noqa: PLC0415 - numpy

    return {
        "corpus": {
            "rows": corpus.rows,
            "answered_by_local": corpus.own,
            "unusable": corpus.unusable,
            "fault": corpus.fault,
        },
        "heads": plain(trained.outcomes),
        "gate": {"shipped": trained.gate[0], "trained": trained.gate[1]},
        "installed": None if place is None else str(place),
    }


def _tell(corpus: Corpus, trained: Trained, better: list[str], place: Path | None) -> None:
    rows = counted(corpus.rows, "row", "rows")
    say(f"{rows}; {corpus.own:,} answered by the local judge were left out")
    if corpus.unusable:
        say(f"{counted(corpus.unusable, 'row', 'rows')} could not be used; {corpus.fault}")
    if trained.gate[0] != trained.gate[1]:
        say(f"the salience gate moves from {trained.gate[0]:.2f} to {trained.gate[1]:.2f}")
    if not better:
        say("no head did better than the shipped one; nothing was installed")
    elif place is None:
        say(f"better: {', '.join(better)}; nothing was installed, --accept does that")
    else:
        say(f"installed {', '.join(better)} in {place}")
