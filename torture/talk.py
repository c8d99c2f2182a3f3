"""Processes that take in one conversation while others forget turns of it.

Each message has a word of its own. When all are done, no word of a forgotten turn may stand
anywhere: not in an episode that was woven meanwhile, nor in a topic of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random

from tests.faults.forking import finish, spawn

from hypermnesia.errors import NotFound
from hypermnesia.memory import Memory
from torture.image import STATUS, image_of, memories
from torture.invariants import Look, violations
from torture.opening import Reading, open_memory
from torture.report import Tally

_WORD = re.compile(r"zq\d+x\d+")
PLACES = ("harbour", "market", "station")


def talk(place: str, processes: int, rounds: int, seed: int, tally: Tally) -> None:
    """Let processes talk and forget at once, and look for what was forgotten.

    Args:
        place: an empty store.
        processes: how many.
        rounds: messages of each, and about half as many erasures.
        seed: of what each does.
        tally: counts the race as one round.
    """
    open_memory(place).close()
    children = [
        spawn(lambda tell, n=n: _talker(place, n, rounds, Random(seed * 100 + n), tell))
        for n in range(processes)
    ]
    gone = [word for child in children for line in finish(*child) for word in json.loads(line)]
    with open_memory(place) as memory, Reading(place) as reading:
        rows = memories(image_of(reading)).values()
        texts = "\n".join(str(row) for row in rows if row[STATUS] != "deleted")
        left = [f"{word} was forgotten and is there" for word in gone if f"{word} " in texts]
        tally.add("talk", processes * rounds, left + violations(Look(memory, reading)))


def _talker(
    place: str, number: int, rounds: int, chance: Random, tell: Callable[[str], None]
) -> None:
    with open_memory(place) as memory:
        for turn in range(rounds):
            text = f"I saw zq{number}x{turn} at the {chance.choice(PLACES)} with my sister Eve"
            memory.observe({"speaker": f"P{number}", "content": text, "session": "all"})
            if chance.random() < 0.5:
                tell(json.dumps(list(_forgotten(memory, chance))))


def _forgotten(memory: Memory, chance: Random) -> Iterator[str]:
    """Forget a turn of anybody's; its word."""
    turns = list(memory.list(levels="turn", limit=50))
    if turns:
        turn = chance.choice(turns)
        with suppress(NotFound):  # another process was first
            memory.forget(ids=[turn.id])
            yield from _WORD.findall(turn.content)
