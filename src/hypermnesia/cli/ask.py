"""The verb that answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.options import Invocation, filters, pass_invocation, shared
from hypermnesia.cli.render import day, show_document
from hypermnesia.cli.stdin import text_or_stdin
from hypermnesia.cli.terminal import one_line, say, show

if TYPE_CHECKING:
    from hypermnesia.answer.result import Answer


@click.command
@click.argument("question")
@click.option(
    "--max-tokens", type=int, default=4000, show_default=True,
    help="Budget of what a language model reads.",
)  # fmt: skip
@click.option("-k", type=int, default=50, show_default=True, help="Most memories considered.")
@click.option("--min-score", type=float, default=0.0, help="Lowest score used, 0 to 1.")
@filters
@shared
@pass_invocation
def ask(invocation: Invocation, question: str, **options: Any) -> None:
    """Answer QUESTION from what is known, and name the memories that say so.

    The language model of the settings (llm_url) answers. Without one the sentence that fits best
    is taken out of the memories, and the answer says so. QUESTION '-' reads standard input.
    """
    text = text_or_stdin(question)
    with invocation.memory() as memory:
        answer = memory.answer(text, scope=invocation.scope, **options)
    if invocation.json:
        show_document(answer)
    elif answer.known:
        _show(answer)
    else:
        say(f"{answer.text}{_caveat(answer)}")


def _show(answer: Answer) -> None:
    """The answer, how it came about, and the memories that it rests on."""
    show(f"{one_line(answer.text)}{_caveat(answer)}")
    for citation, hit in zip(answer.citations, answer.hits, strict=True):
        content = one_line(answer.quote or hit.content)
        show(f"[{citation.number}] {day(hit.node.valid_from)}, {hit.id}: {content}")


def _caveat(answer: Answer) -> str:
    """What a reader must know of how the answer was found, in brackets."""
    notes = ["extractive answer, no language model"] if answer.kind == "extractive" else []
    notes += ["degraded: a model failed"] if answer.degraded else []
    return f" ({'; '.join(notes)})" if notes else ""
