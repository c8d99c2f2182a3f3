"""A process that writes, tells of each verb when it begins and when it has returned, and dies."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.forking import kill, spawn

from hypermnesia.errors import Conflict, NotFound
from torture.explained import said
from torture.image import Image, changed, changes, dumped, image_of
from torture.opening import EMBEDDERS, Reading, open_memory
from torture.steps import Step, perform

Steps = Callable[[Any], Iterator[Step]]
"""Chooses steps, one after the other, on an open memory."""


@dataclass(slots=True)
class Told:
    """What a process told before it died.

    Attributes:
        images: what the store held at first, and after each verb that returned.
        steps: the verbs that returned.
        interrupted: the verb that was under way.
        logs: length of the write-ahead log after each verb, in bytes.
        seconds: each verb took.
        failure: why it ended by itself, if it did.
    """

    images: list[Image] = field(default_factory=list[Image])
    steps: list[Step] = field(default_factory=list[Step])
    interrupted: Step | None = None
    logs: list[int] = field(default_factory=list[int])
    seconds: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    failure: str = ""


def embedder_in_force(place: str) -> str:
    """Name of the embedder that a store was last embedded by."""
    with Reading(place) as reading:
        found = reading.fetch("SELECT value FROM setting WHERE name = 'encoder'")
    return found[0][0].partition("@")[0] if found else EMBEDDERS[0]


def write(place: str, folder: Path, steps: Steps, tell: Callable[[str], None]) -> None:
    """Carry steps out until there are none left, and tell of them.

    Args:
        place: the store.
        folder: where judgements and moved stores go.
        steps: what to do.
        tell: takes a line.
    """
    embedder = embedder_in_force(place)
    memory = open_memory(place, embedder=embedder, folder=folder)
    chosen = steps(memory)
    with Reading(place) as reading:
        before = image_of(reading)
        tell(dumped({"image": before}))
        for step in chosen:
            tell(dumped({"begin": step.verb, "arguments": step.arguments}))
            if step.verb == "reindex":  # by the other embedder, so that there is much to do
                memory.close()
                embedder = EMBEDDERS[1 - EMBEDDERS.index(embedder)]
                memory = open_memory(place, embedder=embedder, folder=folder)
            started = time.monotonic()
            outcome = _attempt(lambda m=memory, s=step: perform(m, s, place, folder))
            seconds = time.monotonic() - started
            after = image_of(reading)
            difference = changes(before, after)
            tell(dumped({"done": outcome, "changes": difference, "log": _log(place), "s": seconds}))
            before = after


def _attempt(work: Callable[[], None]) -> str:
    """Do it; some verbs may be refused, because an earlier one changed what they were meant for."""
    try:
        work()
    except (Conflict, NotFound) as error:
        return type(error).__name__
    return "ok"


def _log(place: str) -> int:
    log = Path(place + "-wal")
    return log.stat().st_size if log.exists() else 0


def killed(
    work: Callable[[Callable[[str], None]], None], upon: Callable[[dict[str, Any]], float | None]
) -> Told:
    """Run a process until it is killed, or ends by itself.

    Args:
        work: what it does, with the function by which it tells.
        upon: given each line, seconds to wait before the process is killed; ``None`` = not yet.
    """
    child, pipe = spawn(work)
    told = b""
    while chunk := os.read(pipe, 1 << 16):
        told += chunk
        due = [upon(json.loads(line)) for line in _whole(told, len(chunk))]
        waits = [wait for wait in due if wait is not None]
        if waits:
            _pass(waits[0])
            break
    kill(child)
    while chunk := os.read(pipe, 1 << 16):
        told += chunk
    os.close(pipe)
    return read(told)


def _whole(told: bytes, new: int) -> list[bytes]:
    """Lines that the newest bytes completed."""
    begin = told.rfind(b"\n", 0, len(told) - new) + 1
    end = told.rfind(b"\n") + 1
    return [line for line in told[begin:end].splitlines() if line.startswith(b"{")]


def _pass(seconds: float) -> None:
    """Wait, shorter than a sleep could."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def read(told: bytes) -> Told:
    """What lines say; a last one that was cut off says nothing."""
    found = Told()
    lines = told[: told.rfind(b"\n") + 1].decode().splitlines()
    for number, line in enumerate(lines):
        if not line.startswith("{"):
            found.failure = "\n".join(lines[number:])
            break
        _take(found, json.loads(line))
    return found


def _take(found: Told, line: dict[str, Any]) -> None:
    if "image" in line:
        found.images.append({key: tuple(row) for key, row in line["image"].items()})
    elif "begin" in line:
        found.interrupted = said({"verb": line["begin"], "arguments": line["arguments"]})
    else:
        assert found.interrupted is not None
        found.steps.append(found.interrupted)
        found.seconds.append((found.interrupted.verb, line["s"]))
        found.images.append(changed(found.images[-1], line["changes"]))
        found.logs.append(line["log"])
        found.interrupted = None
