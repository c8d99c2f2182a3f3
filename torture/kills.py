"""A writer is killed at a random point of each verb, on a file or on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from hypermnesia.errors import Conflict, NotFound
from hypermnesia.memory import Memory
from torture.explained import explained
from torture.image import changes, image_of
from torture.invariants import Look, violations
from torture.opening import Reading, open_memory
from torture.process import Told, embedder_in_force, killed, write
from torture.report import Tally
from torture.steps import VERBS, Choice, Step, Verb, move, perform, take_over, target

ROUNDS_OF_A_STORE = 12
"""Kills before a new store is begun: small stores make short rounds."""
UNKNOWN = 0.02
"""Seconds that a verb is thought to take before it was seen to return."""
LONGEST = 5.0
"""Seconds after which a verb is killed in any case."""
MARGIN = 1.3
"""Kills come as late as this many times what a verb takes: some just after it returned."""
SETTLED = {"reindex", "migrate", "flush"}
"""Verbs that leave a store in between, as documented, until they are done again."""


class Kills:
    """Rounds of killing, which learn how long each verb takes so as to hit it in the middle.

    Args:
        place: makes the name of a new store in a folder.
        chance: where chance comes from.
    """

    def __init__(self, place: Callable[[], str], folder: Path, chance: Random) -> None:
        self._new = place
        self._place = place()
        self._folder = folder
        self._chance = chance
        self._takes: dict[Verb, float] = dict.fromkeys(VERBS, UNKNOWN)
        self._round = 0

    def round(self, verb: Verb, tally: Tally) -> None:
        """Kill a writer in the middle of a verb, and look at what it left."""
        self._round += 1
        if self._round % ROUNDS_OF_A_STORE == 0:
            self._place = self._new()
        prelude = self._chance.randrange(4)
        number, seed = self._round, self._chance.random()
        told = killed(
            lambda tell: write(
                self._place,
                self._folder,
                lambda memory: chosen(memory, Choice(Random(seed), number), prelude, verb),
                tell,
            ),
            self._when(verb, prelude),
        )
        self._learn(verb, [seconds for name, seconds in told.seconds if name == verb])
        tally.add(verb, len(told.steps), self._verified(told), told.interrupted is not None)

    def _when(self, verb: Verb, prelude: int) -> Callable[[dict[str, Any]], float | None]:
        """Seconds after the beginning of the verb at which the writer is killed."""
        begun = 0

        def upon(line: dict[str, Any]) -> float | None:
            nonlocal begun
            begun += "begin" in line
            if begun <= prelude or "begin" not in line:
                return None
            return self._chance.uniform(0, MARGIN * self._takes[verb])

        return upon

    def _learn(self, verb: Verb, seconds: list[float]) -> None:
        """How long a verb takes: as long as it did, or longer than was waited for."""
        self._takes[verb] = seconds[-1] if seconds else min(MARGIN * self._takes[verb], LONGEST)

    def _verified(self, told: Told) -> list[str]:
        if told.failure:
            return [f"the writer failed: {told.failure}"]
        if not told.images:  # killed before it had looked at the store
            return []
        found = verified(self._place, self._folder, told)
        return found + _again(self._place, self._folder, told)


def chosen(memory: Memory, choice: Choice, prelude: int, verb: Verb) -> Iterator[Step]:
    """Some verbs, then the one that is to be hit, until the end."""
    if verb == "flush":  # from now on judgements of this store are queued
        memory.corpus_consent(given=True)
    return _steps(memory, choice, prelude, verb)


def _steps(memory: Memory, choice: Choice, prelude: int, verb: Verb) -> Iterator[Step]:
    for _ in range(prelude):
        yield choice.step(memory, choice.verb(VERBS[:6]))
    while True:
        yield choice.step(memory, verb)


def verified(place: str, folder: Path, told: Told) -> list[str]:
    """What is wrong with a store that a writer left, as any process finds it."""
    step = told.interrupted
    embedder = embedder_in_force(place)
    with open_memory(place, embedder=embedder, folder=folder) as memory, Reading(place) as reading:
        found = explained(told.images[-1], image_of(reading), step)
        if step is None or step.verb not in SETTLED:
            found += violations(Look(memory, reading))
    return found


def _again(place: str, folder: Path, told: Told) -> list[str]:
    """Do the interrupted verb once more: it must go through, and leave everything in order."""
    step = told.interrupted
    if step is None:
        return []
    embedder = embedder_in_force(place)
    with open_memory(place, embedder=embedder, folder=folder) as memory, Reading(place) as reading:
        if step.verb in {"flush", "migrate"}:
            take_over(memory)
        if step.verb == "migrate":
            return _moved(memory, reading, place, folder)
        with suppress(Conflict, NotFound):  # it was done already
            perform(memory, step, place, folder)
        return [f"again: {what}" for what in violations(Look(memory, reading))]


def _moved(memory: Memory, reading: Reading, place: str, folder: Path) -> list[str]:
    """Go on with a move; both stores must be in order, and alike."""
    there = str(target(folder))
    if (folder / "moved.db").exists() and _unfinished(there):
        move(place, folder)
    else:
        perform(memory, Step("migrate"), place, folder)
    found = violations(Look(memory, reading))
    with (
        open_memory(there, embedder=embedder_in_force(there)) as copy,
        Reading(there) as rows,
    ):
        found += [f"moved: {what}" for what in violations(Look(copy, rows))]
        found += [f"moved: {key} differs" for key in changes(image_of(reading), image_of(rows))]
    return found


def _unfinished(place: str) -> bool:
    with Reading(place) as reading:
        return bool(reading.fetch("SELECT 1 FROM setting WHERE name = 'moving'"))


def files(folder: Path) -> Callable[[], str]:
    """Names of new stores in a folder; the one before goes."""
    number = 0

    def new() -> str:
        nonlocal number
        for left in folder.glob(f"store{number}.db*"):
            left.unlink()
        number += 1
        return str(folder / f"store{number}.db")

    return new
