"""All faults, and races, each repeated until its share of the time is over."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from random import Random
from typing import TypeAlias

from torture.clocks import clock_jumps
from torture.disks import failing_writes, full_disk, read_only_disk
from torture.endpoints import nonsense
from torture.kills import Kills, files
from torture.locks import write_locks
from torture.logs import damaged_logs
from torture.power import power_cuts
from torture.race import TOPICS, race
from torture.report import Tally
from torture.servers import Crashing, network_cuts, server_restarts
from torture.steps import VERBS, Verb
from torture.talk import talk

Round: TypeAlias = Callable[[Path, Random, Tally], None]


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to go on with a fault.

    Attributes:
        seconds: of it; one round is made however little that is.
        rounds: at most.
    """

    seconds: float
    rounds: int = 10**9

    def __iter__(self) -> Iterator[int]:
        until = time.monotonic() + self.seconds
        for number in range(self.rounds):
            if number and time.monotonic() > until:
                return
            yield number


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that befalls a store.

    Attributes:
        share: of the whole time, in relation to the others.
        torture: goes on with it.
    """

    share: float
    torture: Callable[[Random, Tally, Budget, Crashing], None]


def _in_turn() -> Iterator[Verb]:
    return cycle(VERBS)


def _rounds(one: Round) -> Callable[[Random, Tally, Budget, Crashing], None]:
    """Each round in a folder of its own."""

    def torture(chance: Random, tally: Tally, budget: Budget, _server: Crashing) -> None:
        for _ in budget:
            with tempfile.TemporaryDirectory(prefix="hm-torture-") as folder:
                one(Path(folder), chance, tally)

    return torture


def _kills(chance: Random, tally: Tally, budget: Budget, _server: Crashing) -> None:
    """Verbs in turn, on a file."""
    with tempfile.TemporaryDirectory(prefix="hm-torture-") as folder:
        kills = Kills(files(Path(folder)), Path(folder), chance)
        for verb, _ in zip(_in_turn(), budget, strict=False):
            kills.round(verb, tally)


def _kills_of_clients(chance: Random, tally: Tally, budget: Budget, server: Crashing) -> None:
    """The same on PostgreSQL: the client is killed, and the server goes on."""
    with (
        tempfile.TemporaryDirectory(prefix="hm-torture-") as folder,
        ExitStack() as stores,
    ):
        kills = Kills(lambda: stores.enter_context(server.store()), Path(folder), chance)
        for verb, _ in zip(_in_turn(), budget, strict=False):
            kills.round(verb, tally)


def _cuts(chance: Random, tally: Tally, budget: Budget, server: Crashing) -> None:
    for _ in budget:
        with tempfile.TemporaryDirectory(prefix="hm-torture-") as folder, server.store() as url:
            network_cuts(url, Path(folder), chance, tally)


def _restarts(chance: Random, tally: Tally, budget: Budget, server: Crashing) -> None:
    for _ in budget:
        with tempfile.TemporaryDirectory(prefix="hm-torture-") as folder, server.store() as url:
            server_restarts(url, server, Path(folder), chance, tally)


def _races(
    places: Callable[[Crashing], AbstractContextManager[str]], processes: int, calls: int
) -> Callable[[Random, Tally, Budget, Crashing], None]:
    """Processes loose on a new store each time, that speak of few subjects or of many."""

    def torture(chance: Random, tally: Tally, budget: Budget, server: Crashing) -> None:
        for _ in budget:
            with places(server) as place:
                topics = chance.choice((2, 4, len(TOPICS)))
                raced = race(place, processes, calls, chance.randrange(10**6), topics)
                tally.add("race", len(raced.calls) + len(raced.searches), raced.wrong)
            with places(server) as place:
                talk(place, min(processes, 8), 6, chance.randrange(10**6), tally)
            with places(server) as place:
                write_locks(place, tally)

    return torture


@contextmanager
def _file(_server: Crashing) -> Generator[str]:
    with tempfile.TemporaryDirectory(prefix="hm-torture-") as folder:
        yield str(Path(folder, "store.db"))


FAULTS: Mapping[str, Fault] = {
    "process killed": Fault(6, _kills),
    "log cut off or damaged": Fault(2, _rounds(damaged_logs)),
    "power cut": Fault(3, _rounds(power_cuts)),
    "writes fail": Fault(3, _rounds(failing_writes)),
    "disk full": Fault(1, _rounds(full_disk)),
    "read-only file system": Fault(0.5, _rounds(read_only_disk)),
    "clock jumps": Fault(1, _rounds(clock_jumps)),
    "endpoints answer nonsense": Fault(2, _rounds(nonsense)),
    "PostgreSQL: process killed": Fault(3, _kills_of_clients),
    "PostgreSQL: network cut": Fault(2, _cuts),
    "PostgreSQL: server crashes": Fault(2, _restarts),
    "16 processes race": Fault(4, _races(_file, 16, 20)),
    "PostgreSQL: 16 processes race": Fault(4, _races(Crashing.store, 16, 12)),
}


def torture(
    name: str, seed: int, budget: Budget, server: Crashing, told: Callable[[str], None]
) -> Tally:
    """Go on with one fault, and say what came of it.

    Args:
        name: one of :data:`FAULTS`.
        seed: of all chance; moments of kills depend on the machine besides.
        budget: how long.
        server: that PostgreSQL's faults befall.
        told: takes a line.
    """
    tally = Tally(name)
    FAULTS[name].torture(Random(f"{seed} {name}"), tally, budget, server)
    told(
        f"{name}: {tally.total} rounds, {tally.hit} in the middle of a verb,"
        f" {tally.acknowledged} acknowledged verbs, {len(tally.violations)} violations"
    )
    for line in (*tally.violations, *tally.notes):
        told(f"  {line}")
    return tally
