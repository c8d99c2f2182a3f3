"""Disks that run full, fail or become read-only while verbs are under way."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random

import apsw

from hypermnesia.errors import StoreError, StoreReadOnly
from hypermnesia.memory import Memory
from torture.explained import explained
from torture.image import STATUS, Image, changes, image_of
from torture.invariants import Look, violations
from torture.opening import SCOPE, Reading, open_memory
from torture.report import Tally
from torture.shim import Shim
from torture.steps import Choice, Step, Verb, attempted, perform

VERBS: tuple[Verb, ...] = (
    "add", "add_many", "ingest", "supersede", "update", "restore", "forget", "erase",
)  # fmt: skip
FAILURES: Mapping[str, Callable[[], Exception]] = {
    "disk full": lambda: apsw.FullError("disk full"),
    "write error": lambda: apsw.IOError("input/output error"),
}
"""By name, how a write fails. A file system that becomes read-only answers with a write error."""
FIRST = 200
"""Writes that a verb is thought to make before it was seen to go through."""
SAID = "nothing of this change was stored"


class Failing(Shim):
    """Fails every write from the n-th on, once told to.

    Attributes:
        left: writes that go well still; ``None`` = all do.
        fails: makes the error.
        only: ending of the files that fail; empty = of all.
    """

    def __init__(self) -> None:
        super().__init__("torture-disk")
        self.left: int | None = None
        self.fails: Callable[[], Exception] = FAILURES["disk full"]
        self.only = ""

    def writing(self, file: apsw.VFSFile, path: str, data: bytes, offset: int) -> None:
        """Fail if it is time."""
        self._count(path)

    def truncating(self, file: apsw.VFSFile, path: str, size: int) -> None:
        """Cutting a file off needs no room, but a disk that can be written."""
        if self.fails is not FAILURES["disk full"]:
            self._count(path)

    def flushing(self, path: str) -> None:
        """A disk that fails may first say so when it is told to keep what was written."""
        if self.fails is not FAILURES["disk full"]:
            self._count(path)

    def _count(self, path: str) -> None:
        if self.left is None or not path.endswith(self.only):
            return
        if self.left == 0:
            raise self.fails()
        self.left -= 1


@contextmanager
def failing() -> Generator[Failing]:
    """A shim under everything that is opened inside."""
    shim = Failing()
    shim.install()
    try:
        yield shim
    finally:
        shim.remove()


def failing_writes(folder: Path, chance: Random, tally: Tally) -> None:
    """Let each verb run into each failure at a random write; then all goes well again."""
    place = str(folder / "store.db")
    with failing() as shim, open_memory(place, wait=1) as memory, Reading(place) as reading:
        choice, writes = Choice(chance), dict.fromkeys(VERBS, FIRST)
        for verb in VERBS[:6]:
            perform(memory, choice.step(memory, verb), place, folder)
        for name, fails in FAILURES.items():
            for verb in VERBS:
                step, before = choice.step(memory, verb), image_of(reading)
                shim.fails, shim.left = fails, (allowed := chance.randrange(writes[verb]))
                told = attempted(lambda step=step: perform(memory, step, place, folder))
                hit = shim.left == 0
                writes[verb] = writes[verb] if hit else 1 + allowed - shim.left
                shim.left = None
                after = image_of(reading)
                found = _honest(told, step, before, after)
                found += [*violations(Look(memory, reading)), *_goes_on(memory)]
                tally.add(f"{name}, {step.verb}", 1, found, hit)


def _honest(told: str | None, step: Step, before: Image, after: Image) -> list[str]:
    """What an error says of the change must be so; what returned must be there."""
    found = explained(before, after, step)
    if told is None and step.verb in {"add", "supersede", "add_many", "forget", "erase"}:
        # What returned has changed something: these always do.
        found += [] if changes(before, after) else [f"{step.verb} returned and changed nothing"]
    if told is not None and SAID in told and step.verb in {"add", "update", "supersede", "restore"}:
        found += [f"said {SAID!r}, and {key} changed" for key in changes(before, after)][:3]
    if told is not None and SAID in told and "are erased" not in told and "id" in step.arguments:
        gone = after[f"memory:{step.arguments['id']}"][STATUS] == "deleted"
        found += [f"said {SAID!r}, and the memory is gone"] if gone else []
    return found


def _goes_on(memory: Memory) -> list[str]:
    """With room again, the next write succeeds."""
    try:
        memory.update(memory.add("space again").id, tags=["again"])
    except StoreError as error:
        return [f"writing does not go on: {error}"]
    return []


# --- real file systems -----------------------------------------------------------------


@contextmanager
def small_disk(folder: Path, size: str) -> Generator[Callable[[str], None] | None]:
    """A file system of its own, and a function that mounts it anew; ``None`` if not permitted."""
    folder.mkdir()
    with ExitStack() as mounted:
        if _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)):
            mounted.callback(subprocess.run, ["umount", "-l", str(folder)], check=True)
            yield lambda how: _remount(folder, how)
        else:
            yield None


def _mount(*arguments: str) -> bool:
    with suppress(OSError):
        done = subprocess.run(["mount", *arguments], capture_output=True, check=False)
        return done.returncode == 0
    return False


def _remount(folder: Path, how: str) -> None:
    assert _mount("-o", f"remount,{how}", str(folder)), how


def full_disk(folder: Path, chance: Random, tally: Tally) -> None:
    """Fill a real file system; everything that was acknowledged stays, and room heals it."""
    disk = folder / "disk"
    with small_disk(disk, "1500k") as remount:
        if remount is None:
            tally.notes = ["mounting a file system was not permitted: not tried on a real one"]
            return
        place = str(disk / "store.db")
        with open_memory(place, wait=1) as memory, Reading(place) as reading:
            choice, acknowledged = Choice(chance), 0
            found: list[str] = []
            for step in _many(choice, memory):
                before = image_of(reading)
                told = attempted(lambda step=step: perform(memory, step, place, folder))
                found = _honest(told, step, before, image_of(reading))
                if told not in {None, "refused"} or found:
                    break
                acknowledged += 1
            tally.add("a real file system", acknowledged, found)
            remount("size=50m")
            found = violations(Look(memory, reading)) + _goes_on(memory)
            tally.add("a real file system, enlarged", acknowledged, found, hit=False)


def _many(choice: Choice, memory: Memory) -> Iterator[Step]:
    for _ in range(500):
        yield choice.step(memory, choice.verb(VERBS[:6]))
    raise AssertionError("the disk did not run full")


def read_only_disk(folder: Path, chance: Random, tally: Tally) -> None:
    """A real file system that is mounted read-only between two openings."""
    disk = folder / "disk"
    with small_disk(disk, "20m") as remount:
        if remount is None:
            tally.notes = ["mounting a file system was not permitted: not tried on a real one"]
            return
        place = str(disk / "store.db")
        choice = Choice(chance)
        with open_memory(place) as memory:
            for _ in range(8):
                perform(memory, choice.step(memory, choice.verb(VERBS[:4])), place, folder)
        remount("ro")
        found = _refuses(place)
        remount("rw")
        with open_memory(place) as memory, Reading(place) as reading:
            found += violations(Look(memory, reading)) + _goes_on(memory)
        tally.add("a real file system", 8, found, hit=False)


def _refuses(place: str) -> list[str]:
    """Reading goes on; writing says why not; the check says so too."""
    found: list[str] = []
    with open_memory(place, wait=0.2) as memory:
        if not memory.list(scope=SCOPE, limit=5) or not memory.search("note", k=1):
            found.append("a read-only store finds nothing")
        with suppress(StoreReadOnly):
            memory.add("not to be stored")
            found.append("a read-only store took an add")
        if [problem.kind for problem in memory.check().problems] != ["write"]:
            found.append("the check of a read-only store does not say so, or says more")
    return found
