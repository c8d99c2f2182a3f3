"""A long mixed run of the product as it comes, watching what must not grow.

The store is kept at one size: what is added is forgotten later. So every measure should stay where
it was once everything is warm (caches that are bounded are emptied before each look), and the rule
is simple: after the warm-up, the median of the second
half may exceed that of the first by :data:`SHARE`, or by a floor below which growth is noise.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from statistics import median

from hypermnesia.memory import Memory
from torture.opening import SCOPE
from torture.steps import Choice

WARM_UP = 0.25
"""Share of the run after which caches are full and pools are as large as they get."""
SHARE = 0.05
KEPT = 300
"""Memories that are alive, turns and heads included."""
EVERY = 1.0
"""Seconds between two looks at what grows."""
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""Of glibc: pieces that are free between others stay resident, and say nothing of a leak."""


@dataclass(frozen=True, slots=True)
class Watched:
    """One thing that must not grow.

    Attributes:
        floor: growth that counts for nothing, in the unit.
        read: its size now, given the store's file and the folder of temporary files.
    """

    unit: str
    floor: float
    read: Callable[[Path, Path], float]


def _resident(_store: Path, _temporary: Path) -> float:
    """Pages that are in use; what the C library keeps for later is handed back first."""
    gc.collect()
    if _TRIM is not None:
        _TRIM(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 1e6


def _descriptors(_store: Path, _temporary: Path) -> float:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names alone, of what vanishes


def _log(store: Path, _temporary: Path) -> float:
    log = store.with_name(store.name + "-wal")
    return log.stat().st_size / 1e6 if log.exists() else 0.0


def _files(store: Path, temporary: Path) -> float:
    own = {store.name + end for end in ("", "-wal", "-shm")}
    beside = [entry for entry in store.parent.iterdir() if entry.name not in own]
    return len(beside) + sum(1 for _ in temporary.iterdir())


def _threads(_store: Path, _temporary: Path) -> float:
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208


WATCHED: Mapping[str, Watched] = {
    "resident memory": Watched("MB", 16.0, _resident),
    "open descriptors": Watched("", 3.0, _descriptors),
    "threads": Watched("", 2.0, _threads),
    "write-ahead log": Watched("MB", 4.5, _log),
    "temporary files": Watched("", 0.5, _files),
}


@dataclass(frozen=True, slots=True)
class Growth:
    """What became of one measure after the warm-up.

    Attributes:
        first: median of the first half.
        second: median of the second half.
        slope: of the line of least squares, in units an hour.
    """

    name: str
    first: float
    second: float
    slope: float

    @property
    def grew(self) -> bool:
        """Whether it did by more than the rule allows."""
        watched = WATCHED[self.name]
        return self.second - self.first > max(watched.floor, SHARE * self.first)


def growth(name: str, moments: Sequence[float], values: Sequence[float]) -> Growth:
    """What became of a measure.

    Args:
        name: one of :data:`WATCHED`.
        moments: seconds since the beginning, rising.
        values: what was read then.
    """
    begin = moments[0] + WARM_UP * (moments[-1] - moments[0])
    warm = [(t, v) for t, v in zip(moments, values, strict=True) if t >= begin]
    half = len(warm) // 2
    mean_t = sum(t for t, _ in warm) / len(warm)
    mean_v = sum(v for _, v in warm) / len(warm)
    spread = sum((t - mean_t) ** 2 for t, _ in warm)
    slope = sum((t - mean_t) * (v - mean_v) for t, v in warm) / spread if spread else 0.0
    return Growth(
        name,
        median(v for _, v in warm[: half or 1]),
        median(v for _, v in warm[half:]),
        slope * 3600,
    )


def soak(minutes: float, seed: int, told: Callable[[str], None]) -> tuple[list[Growth], int]:
    """Work for a while; what became of each measure, and how many verbs were done.

    Args:
        minutes: how long.
        seed: of what is done.
        told: takes a line now and then.
    """
    with tempfile.TemporaryDirectory(prefix="hm-soak-") as folder:
        store, temporary = Path(folder, "store", "memory.db"), Path(folder, "temporary")
        store.parent.mkdir()
        temporary.mkdir()
        before, tempfile.tempdir = tempfile.tempdir, str(temporary)
        try:
            return _watched(store, temporary, minutes, seed, told)
        finally:
            tempfile.tempdir = before


def _watched(
    store: Path, temporary: Path, minutes: float, seed: int, told: Callable[[str], None]
) -> tuple[list[Growth], int]:
    begin, moments = time.monotonic(), list[float]()
    values: dict[str, list[float]] = {name: [] for name in WATCHED}
    with Memory.open(store, scope=SCOPE, corpus_folder=str(store.parent.parent / "out")) as memory:
        memory.corpus_consent(given=True)
        work = _Work(memory, store, Random(seed))
        for number in count(1):
            work.round(number)
            now = time.monotonic() - begin
            if not moments or now - moments[-1] >= EVERY:
                moments.append(now)
                empty_bounded_caches()
                for name, watched in WATCHED.items():
                    values[name].append(watched.read(store, temporary))
            if number % 100 == 0:
                told(f"{now / 60:.1f} min: " + _shown(values))
            if now > minutes * 60:
                found = [growth(name, moments, own) for name, own in values.items()]
                return found, work.verbs
    raise AssertionError


def empty_bounded_caches() -> int:
    """Empty what the product keeps of the latest texts, up to a number; how many entries it was.

    Each text of the run is new, so these caches would fill all through a run of minutes, and hide
    what grows without a bound. Caches without one are left alone: they are among what is watched.
    """
    emptied = 0
    for module in [m for name, m in sys.modules.items() if name.startswith("hypermnesia")]:
        for cached in list(vars(module).values()):
            about = getattr(cached, "cache_info", None)
            if about is not None and about().maxsize is not None:
                emptied += about().currsize
                cached.cache_clear()
    return emptied


def _shown(values: Mapping[str, Sequence[float]]) -> str:
    return ", ".join(f"{name} {own[-1]:.1f}" for name, own in values.items())


class _Work:
    """A mixed load, as an agent makes it, that keeps the store at one size."""

    def __init__(self, memory: Memory, store: Path, chance: Random) -> None:
        self._memory = memory
        self._store = store
        self._chance = chance
        self._choice = Choice(chance)
        self.verbs = 0

    def round(self, number: int) -> None:
        """Some verbs."""
        memory, choice = self._memory, self._choice
        memory.add(**choice.step(memory, "supersede").arguments)
        memory.add(**choice.step(memory, "add").arguments)
        memory.search("what is the timeout of billing?", k=5)
        memory.context("deadline of the search project", max_tokens=500)
        self.verbs += 4
        if number % 5 == 0:
            memory.ingest(**choice.step(memory, "ingest").arguments)
            memory.add_many(choice.step(memory, "add_many").arguments["items"])
            memory.profile()
            self.verbs += 3
        if number % 10 == 0:
            self._trim()
        if number % 25 == 0:
            self._care()

    def _trim(self) -> None:
        """Forget what is oldest."""
        statuses = ("active", "low_signal", "superseded")
        known = self._memory.list(limit=1000, status=statuses, newest=False)
        ids = [node.id for node in known if node.level in {"fact", "turn"}]
        if len(known) > KEPT:
            self._memory.forget(ids=ids[: len(known) - KEPT])
            self.verbs += 1

    def _care(self) -> None:
        """What is done to a store now and then, and a second way into it."""
        backup = self._store.parent.parent / "backup.db"
        self._memory.backup(backup)
        backup.unlink()
        self._memory.corpus_flush()
        for left in (self._store.parent.parent / "out").iterdir():
            left.unlink()
        with Memory.open(self._store, scope=SCOPE, judge="off") as other:
            other.search("lantern")
        assert self._memory.check().ok
        self.verbs += 5
