"""A power cut, block by block: what was not synced may be on the disk, or not, in any order.

A shim between SQLite and the files notes every write since the last sync of its file, with what
was there before. At a random write the process dies; then each noted block is taken back, or not,
by chance. This is harsher than cutting a log, and is how SQLite is tested itself (SQLite, How
SQLite Is Tested, 3.3).
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import apsw

from hypermnesia.errors import StoreError
from hypermnesia.memory import Memory
from torture.explained import explained
from torture.image import image_of
from torture.invariants import Look, violations
from torture.opening import Reading, open_memory
from torture.process import Told, killed, write
from torture.report import Tally
from torture.shim import Shim
from torture.steps import Choice, Step, Verb

SECTOR = 512
"""Bytes that a disk writes as a whole."""
VERBS: tuple[Verb, ...] = ("add", "supersede", "update", "restore", "forget", "erase", "add_many")


class Recorder(Shim):
    """Notes what is not synced, and dies at a certain write.

    Args:
        fatal: number of the write to die at.
        notes: file that gets the notes.
    """

    def __init__(self, fatal: int, notes: Path) -> None:
        super().__init__("torture-power")
        self._left = fatal
        self._notes = notes
        self._unsynced: list[dict[str, Any]] = []

    def writing(self, file: apsw.VFSFile, path: str, data: bytes, offset: int) -> None:
        """Note a write with what it overwrites."""
        size = file.xFileSize()
        before = file.xRead(min(len(data), size - offset), offset) if offset < size else b""
        self._note(path, offset, size, before, data)
        self._left -= 1
        if self._left == 0:
            self._notes.write_text(json.dumps(self._unsynced))
            os.kill(os.getpid(), signal.SIGKILL)

    def truncating(self, file: apsw.VFSFile, path: str, size: int) -> None:
        """Note what is cut off."""
        whole = file.xFileSize()
        before = file.xRead(whole - size, size) if size < whole else b""
        self._note(path, size, whole, before, b"")

    def syncing(self, path: str) -> None:
        """Forget what is on the disk now."""
        self._unsynced = [note for note in self._unsynced if note["path"] != path]

    def _note(self, path: str, offset: int, size: int, before: bytes, data: bytes) -> None:
        self._unsynced.append(
            {"path": path, "at": offset, "size": size, "before": before.hex(), "data": data.hex()}
        )


def power_cuts(folder: Path, chance: Random, tally: Tally) -> None:
    """Cut the power under one writer, and look at what the disk holds."""
    place, notes = str(folder / "store.db"), folder / "notes.json"
    with open_memory(place) as memory:  # a store as it lies there when a process comes
        memory.add("here before")
    seed, fatal = chance.random(), chance.randint(5, 600)

    def steps(memory: Memory) -> Iterator[Step]:
        choice = Choice(Random(seed))
        while True:
            yield choice.step(memory, choice.verb(VERBS))

    def work(tell: Any) -> None:
        Recorder(fatal, notes).install()
        write(place, folder, steps, tell)

    told = killed(work, lambda _line: None)
    assert notes.exists(), told.failure
    lost = _lose(json.loads(notes.read_text()), chance)
    (folder / "store.db-shm").unlink(missing_ok=True)  # memory of the machine, gone with it
    tally.add("power cut", len(told.steps), _examined(place, told), lost > 0)


def _lose(notes: Sequence[dict[str, Any]], chance: Random) -> int:
    """Take blocks back that were not synced; how many."""
    for note in reversed(notes):
        _undo(Path(note["path"]), note)
    lost = 0
    for note in notes:
        path, data = Path(note["path"]), bytes.fromhex(note["data"])
        pieces = range(0, len(data), SECTOR)
        kept = [start for start in pieces if chance.random() < 0.5]
        lost += len(pieces) - len(kept)
        with path.open("r+b") as file:
            for start in kept:
                file.seek(note["at"] + start)
                file.write(data[start : start + SECTOR])
        if not data and chance.random() < 0.5:
            os.truncate(path, note["at"])
    return lost


def _undo(path: Path, note: dict[str, Any]) -> None:
    with path.open("r+b") as file:
        file.seek(note["at"])
        file.write(bytes.fromhex(note["before"]))
        file.truncate(note["size"])


def _examined(place: str, told: Told) -> list[str]:
    try:
        return _found(place, told)
    except (StoreError, UnicodeDecodeError) as error:  # a torn page may hold anything
        return [f"the store cannot be used: {error}"]


def _found(place: str, told: Told) -> list[str]:
    with open_memory(place) as memory, Reading(place) as reading:
        # One that died before it looked acknowledged nothing.
        before = told.images[-1:]
        found = explained(before[0], image_of(reading), told.interrupted) if before else []
        return found + violations(Look(memory, reading))
