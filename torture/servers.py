"""PostgreSQL goes down, or the network to it, while verbs are under way."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.servers.postgres import Server, restartable

from hypermnesia.errors import HypermnesiaError
from hypermnesia.memory import Memory
from torture.explained import explained
from torture.image import Image, changes, image_of
from torture.invariants import Look, violations
from torture.opening import Reading, open_memory
from torture.proxy import through
from torture.report import Tally
from torture.steps import Choice, Step, Verb, attempted, perform, take_over

VERBS: tuple[Verb, ...] = (
    "add", "supersede", "update", "add_many", "ingest", "forget", "restore", "reindex", "flush",
)  # fmt: skip
SURE = "nothing of this change was stored"
BYTES = 20_000
"""Bytes that a verb is thought to exchange with the server before it was seen to."""


class Crashing:
    """A server that can be crashed, and makes new stores.

    Attributes:
        crash: shut the server down at once and start it again; returns when it is back.
    """

    def __init__(self, url: str, crash: Callable[[], None]) -> None:
        self.crash = crash
        self._server = Server(url)

    @contextmanager
    def store(self) -> Generator[str]:
        """The URL of a new store."""
        with self._server.store() as url:
            yield url


@contextmanager
def crashing() -> Generator[Crashing]:
    """Start a server of its own."""
    with restartable() as (url, crash):
        yield Crashing(url, crash)


def server_restarts(
    url: str, server: Crashing, folder: Path, chance: Random, tally: Tally, number: int = 3
) -> None:
    """Crash the server at a random byte of so many verbs."""
    _disturbed(url, folder, chance, tally, chance.sample(VERBS, number), server.crash)


def network_cuts(
    url: str, folder: Path, chance: Random, tally: Tally, number: int = len(VERBS)
) -> None:
    """Cut all connections at a random byte of so many verbs."""
    _disturbed(url, folder, chance, tally, chance.sample(VERBS, number), None)


def _disturbed(
    url: str, folder: Path, chance: Random, tally: Tally, verbs: Sequence[Verb],
    act: Callable[[], None] | None,
) -> None:  # fmt: skip
    choice = Choice(chance, chance.randrange(10**6))
    with through(url) as (way, proxy), open_memory(way, folder=folder) as memory:
        memory.corpus_consent(given=True)
        for verb in VERBS[:5]:
            perform(memory, choice.step(memory, verb), way, folder)
        for verb in verbs:
            step, before, events = choice.step(memory, verb), _image(url), proxy.events
            proxy.after(chance.randrange(chance.choice((500, 5_000, BYTES))), act)
            told = attempted(lambda step=step: _carry_out(memory, step, way, folder))
            proxy.calm()
            found = _honest(told, step, before, _image(url)) + _goes_on(memory, url)
            tally.add(step.verb, 1, found, proxy.events > events)


def _carry_out(memory: Memory, step: Step, place: str, folder: Path) -> None:
    if step.verb == "flush":
        take_over(memory)
    else:
        perform(memory, step, place, folder)


def _image(url: str) -> Image:
    with Reading(url) as reading:
        return image_of(reading)


def _honest(told: str | None, step: Step, before: Image, after: Image) -> list[str]:
    """An error tells whether the change may be stored; what returned is stored."""
    found = explained(before, after, step)
    if told is None and step.verb in {"add", "supersede", "forget"} and not changes(before, after):
        found.append(f"{step.verb} returned and changed nothing")
    if told is not None and SURE in told and step.verb in {"add", "supersede", "update"}:
        found += [f"said {SURE!r}, and {key} changed" for key in changes(before, after)][:3]
    return found


def _goes_on(memory: Memory, url: str) -> list[str]:
    """The same process goes on as soon as the server answers, without being opened anew."""
    try:
        memory.update(memory.add("back again").id, tags=["again"])
        take_over(memory)
    except HypermnesiaError as error:
        return [f"work does not go on: {error}"]
    with Reading(url) as reading:
        return violations(Look(memory, reading))
