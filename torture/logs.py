"""The write-ahead log of a killed writer is cut off, or a byte of it turned, anywhere.

SQLite promises that what can be read of a damaged log is a beginning of what was committed. A log
is cut in the middle of a frame when the power fails while it is written, and it is at fault when
a disk did not keep what it said it had.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

from hypermnesia.memory import Memory
from torture.explained import explained
from torture.image import Image, image_of
from torture.invariants import Look, violations
from torture.opening import Reading, open_memory
from torture.process import Told, killed, write
from torture.report import Tally
from torture.steps import SINGLE, Choice, Step

CUTS = 12
"""Copies of one log that are damaged, each in another place."""
HEADER = 32
"""Bytes before the first frame (SQLite, WAL format)."""


def damaged_logs(folder: Path, chance: Random, tally: Tally) -> None:
    """Kill one writer, and damage copies of the log that it left."""
    place = str(folder / "store.db")
    seed, verbs = chance.random(), chance.randint(8, 24)

    def steps(memory: Memory) -> Iterator[Step]:
        choice = Choice(Random(seed))
        while True:  # each is one transaction, so that every image between two is known
            yield choice.step(memory, choice.verb(SINGLE))

    told = killed(
        lambda tell: write(place, folder, steps, tell),
        lambda line, seen=[0]: _enough(line, seen, verbs, chance),
    )
    assert not told.failure, told.failure
    log = (folder / "store.db-wal").read_bytes()
    reached = -1
    for cut in sorted(chance.randrange(len(log) + 1) for _ in range(CUTS)):
        found, number = _examined(folder, log[:cut], told)
        if number is not None and number < reached:
            found.append("a longer log gives an earlier state")
        reached = max(reached, number or 0)
        found += _kept(told, number, cut, log)
        tally.add("cut off", len(told.steps), found)
    for at in (chance.randrange(HEADER, len(log)) for _ in range(CUTS // 2)):
        turned = log[:at] + bytes([log[at] ^ 1 << chance.randrange(8)]) + log[at + 1 :]
        found, number = _examined(folder, turned, told)
        tally.add("byte turned", len(told.steps), found + _kept(told, number, at, log))


def _enough(line: dict[str, object], seen: list[int], verbs: int, chance: Random) -> float | None:
    seen[0] += "begin" in line
    return chance.uniform(0, 0.02) if seen[0] > verbs and "begin" in line else None


def _examined(folder: Path, log: bytes, told: Told) -> tuple[list[str], int | None]:
    """What is wrong with a copy of the store under this log, and which state it is in."""
    copy = folder / "copy" / "store.db"
    shutil.rmtree(copy.parent, ignore_errors=True)
    copy.parent.mkdir()
    shutil.copy(folder / "store.db", copy)
    copy.with_name("store.db-wal").write_bytes(log)
    with Reading(str(copy)) as reading:
        image = image_of(reading)
        number = _state(told, image)
        if number is None and explained(told.images[-1], image, told.interrupted):
            return ["what is left is no beginning of what was acknowledged"], None
        with open_memory(str(copy)) as memory:
            return violations(Look(memory, reading)), number


def _state(told: Told, image: Image) -> int | None:
    """After how many verbs the store was like this."""
    for number in range(len(told.images) - 1, -1, -1):
        if told.images[number] == image:
            return number
    return None


def _kept(told: Told, number: int | None, sound: int, log: bytes) -> list[str]:
    """Verbs whose whole log is sound must be there; the log was begun once, so lengths tell."""
    if number is None or told.logs != sorted(told.logs) or told.logs[-1] > len(log):
        return []
    whole = sum(length <= sound for length in told.logs)
    return [f"{whole} verbs lie in the sound part, {number} are there"] if number < whole else []
