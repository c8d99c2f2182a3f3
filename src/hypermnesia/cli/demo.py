"""The verb that shows everything on a small project history, offline, leaving nothing behind.

What it prints is what the memory answers: nothing about the outcome is written down here.
"""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hypermnesia.cli.options import Invocation, pass_invocation, shared
from hypermnesia.cli.render import show_document
from hypermnesia.cli.terminal import log_on_stderr
from hypermnesia.errors import Refused

if TYPE_CHECKING:
    from hypermnesia.memory import Memory
    from hypermnesia.types import Added, Hit, Node

SCOPE = "tidewater"
QUESTIONS = (
    "what carries billing events now?",
    "who do I ask about payments?",
    "how are double bookings prevented?",
)
AS_OF = "2026-02-28"
ATTEMPT = "The live payment key is {credential}"
SHOWN_HITS = 3


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory with the outcome of its ``add``; the status of ``now`` may be a later one."""

    now: Node
    outcome: Added


@dataclass(frozen=True, slots=True)
class Change:
    """A memory that another one replaced."""

    old: Node
    new: Node


@dataclass(frozen=True, slots=True)
class Search:
    """A question, and what was found."""

    question: str
    as_of: str | None
    hits: list[Hit]


@dataclass(frozen=True, slots=True)
class Undo:
    """A replaced memory before and after it was restored."""

    before: Node
    after: Node


@dataclass(frozen=True, slots=True)
class Demonstration:
    """Everything the demo did, in the order it is shown.

    Attributes:
        added: each memory with its judgement.
        seconds: how long it took to store them all, the model's loading included.
        refused: what was said to a text with a credential.
        undo: ``None`` when nothing was superseded.
    """

    added: list[Remembered]
    seconds: float
    changes: list[Change]
    refused: str
    searches: list[Search]
    past: Search
    undo: Undo | None


@click.command
@shared
@pass_invocation
def demo(invocation: Invocation) -> None:
    """See it work: a small project history in a temporary store, offline, in seconds.

    Memories are judged, one replaces another, chatter is gated, a credential is refused;
    then searches with explained scores, a look into the past, and an undo. The store is
    deleted at the end; --store and --scope are not used.
    """
    from hypermnesia.memory import Memory  # noqa: PLC0415 - numpy: most of the start-up

    with (
        log_on_stderr(),
        tempfile.TemporaryDirectory(prefix="hypermnesia-demo-") as folder,
        Memory.open(
            Path(folder) / "memory.db", scope=SCOPE, judge="local", encoder="bundled"
        ) as memory,
    ):
        shown = play(memory)
    if invocation.json:
        show_document(shown)
        return
    from hypermnesia.cli.demo_show import present  # noqa: PLC0415 - rich

    present(shown)


def play(memory: Memory) -> Demonstration:
    """Do everything the demo shows, on an empty memory."""
    start = time.monotonic()
    added = [memory.add(item["content"], at=item["at"], tags=item["tags"]) for item in history()]
    seconds = time.monotonic() - start
    changes = [
        Change(memory.get(old), memory.get(outcome.id))
        for outcome in added
        for old in outcome.superseded
    ]
    return Demonstration(
        added=[Remembered(memory.get(outcome.id), outcome) for outcome in added],
        seconds=seconds,
        changes=changes,
        refused=_refusal(memory),
        searches=[Search(q, None, memory.search(q, k=SHOWN_HITS)) for q in QUESTIONS],
        past=Search(QUESTIONS[0], AS_OF, memory.search(QUESTIONS[0], k=SHOWN_HITS, as_of=AS_OF)),
        undo=_undo(memory, changes),
    )


def history() -> list[dict[str, Any]]:
    """The packaged project history: when, what, and tags."""
    text = (files("hypermnesia.cli") / "demo_history.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _refusal(memory: Memory) -> str:
    """What the memory says to a credential, made up here so that no file holds one."""
    credential = "_".join(("sk", "live", "4eC39HqLyjWDarj" + "tT1zdp7dc"))
    try:
        outcome = memory.add(ATTEMPT.format(credential=credential))
    except Refused as error:
        return str(error)
    return f"stored as {outcome.status}"


def _undo(memory: Memory, changes: list[Change]) -> Undo | None:
    if not changes:
        return None
    before = memory.get(changes[0].old.id)
    return Undo(before, memory.restore(before.id))
