"""Many processes at once on one store, with every call and its outcome written down."""

from __future__ import annotations

import json
import os
import select
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.faults.forking import kill, spawn

from hypermnesia.errors import Conflict, NotFound, StoreBusy
from hypermnesia.memory import Memory
from hypermnesia.types import Added
from torture.invariants import Look, violations
from torture.linear import Action, Call, unplaceable, unread
from torture.opening import Reading, open_memory
from torture.steps import FAMILIES, SUBJECTS

TOPICS = [(form, subject) for form in FAMILIES[1:] for subject in SUBJECTS]
"""What is spoken of; the days of deadlines would run out."""
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
WEIGHTS: Mapping[Action, int] = {"add": 6, "update": 2, "forget": 1, "restore": 1, "read": 3}
PATIENCE = 240
"""Seconds after which processes that have not ended wait for each other for ever."""


@dataclass(slots=True)
class Raced:
    """What came of a race.

    Attributes:
        calls: the history.
        searches: for what had just been written.
        busy: calls that were told in time that the store is busy, and changed nothing.
        wrong: what must not be.
    """

    calls: list[Call] = field(default_factory=list[Call])
    searches: list[Call] = field(default_factory=list[Call])
    busy: int = 0
    wrong: list[str] = field(default_factory=list[str])

    @property
    def actions(self) -> Mapping[str, int]:
        """How many calls of each kind."""
        return Counter([call.action for call in self.calls] + ["search"] * len(self.searches))


def race(place: str, processes: int, calls: int, seed: int, topics: int = len(TOPICS)) -> Raced:
    """Let processes loose on a store, and judge the history.

    Args:
        place: an empty store.
        processes: how many.
        calls: of each.
        seed: of what each does; when it happens is up to the machine.
        topics: subjects that they quarrel about; few of them make many conflicts.
    """
    open_memory(place).close()
    begin = time.monotonic() + 0.05 * processes  # by then all of them are there
    children = [
        spawn(
            lambda tell, n=n: _caller(place, n, calls, Random(seed * 1000 + n), topics, begin, tell)
        )
        for n in range(processes)
    ]
    raced = Raced()
    for line in _told(children, raced):
        _note(raced, json.loads(line))
    raced.wrong += [f"linearizability: {what}" for what in unplaceable(raced.calls)]
    raced.wrong += [f"own writes: {what}" for what in unread(raced.calls, raced.searches)]
    with open_memory(place) as memory, Reading(place) as reading:
        raced.wrong += violations(Look(memory, reading))
    return raced


def _note(raced: Raced, line: dict[str, Any]) -> None:
    if line.get("outcome") == "StoreBusy":
        raced.busy += 1
        return
    search = line.pop("search")
    line["ids"] = frozenset(line["ids"])
    call = Call(**line)
    (raced.searches if search else raced.calls).append(call)


def _told(children: Sequence[tuple[int, int]], raced: Raced) -> Iterator[str]:
    """Lines of all children; those that do not end are killed."""
    told = {pipe: b"" for _, pipe in children}
    open_pipes, until = set(told), time.monotonic() + PATIENCE
    while open_pipes:
        ready, _, _ = select.select(open_pipes, (), (), max(0.0, until - time.monotonic()))
        if not ready:
            raced.wrong.append(f"{len(open_pipes)} processes did not end in {PATIENCE} s")
            break
        for pipe in ready:
            chunk = os.read(pipe, 1 << 16)
            told[pipe] += chunk
            if not chunk:
                open_pipes.discard(pipe)
    for child, pipe in children:
        kill(child)
        os.close(pipe)
        lines = told[pipe].decode().splitlines()
        yield from (line for line in lines if line.startswith("{"))
        raced.wrong += ["\n".join(lines[-3:])] if lines and not lines[-1].startswith("{") else []


def _caller(
    place: str, number: int, calls: int, chance: Random, topics: int, begin: float,
    tell: Callable[[str], None],
) -> None:  # fmt: skip
    """One process: mixed calls, each told with when it began and ended."""
    with open_memory(place) as memory:
        caller = _Caller(memory, number, chance, topics, tell)
        while time.monotonic() < begin:
            pass
        for _ in range(calls):
            caller.call()


class _Caller:
    def __init__(
        self, memory: Memory, number: int, chance: Random, topics: int, tell: Callable[[str], None]
    ) -> None:
        self._memory = memory
        self._number = number
        self._chance = chance
        self._topics = TOPICS[:topics]
        self._tell = tell
        self._texts = 0

    def call(self) -> None:
        """One call, and after some a search for what it wrote."""
        topic = self._chance.choice(self._topics)
        action = self._chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        target = "" if action in {"add", "read"} else self._target(_tag(topic))
        if action not in {"add", "read"} and not target:
            action = "add"
        text, at = self._text(topic), self._chance.randrange(10_000)
        found, call = self._timed(action, topic, target, text, at)
        self._say(call)
        if isinstance(found, Added) and found.status == "active" and self._chance.random() < 0.5:
            self._search(topic, found.id, text)

    def _timed(
        self, action: Action, topic: tuple[str, str], target: str, text: str, at: int
    ) -> tuple[Any, Call]:
        found: Any = None
        invoked = time.monotonic()
        try:
            found = self._do(action, _tag(topic), target, text, at)
            outcome = found.status if isinstance(found, Added) else "ok"
        except (Conflict, NotFound, StoreBusy) as error:
            outcome = "NotFound" if isinstance(error, NotFound) else type(error).__name__
        returned = time.monotonic()
        ids = frozenset[str]()
        if isinstance(found, Added):
            ids = frozenset(found.superseded)
        elif action == "read" and found is not None:
            ids = frozenset(node.id for node in found)
        target = found.id if action == "add" and found is not None else target
        call = Call(self._number, action, _tag(topic), target, invoked, returned, outcome, at, ids)
        return found, call

    def _do(self, action: Action, tag: str, target: str, text: str, at: int) -> Any:
        match action:
            case "add":
                return self._memory.add(text, tags=[tag], at=BEGIN + timedelta(minutes=at))
            case "update":
                return self._memory.update(target, content=text)
            case "forget":
                return self._memory.forget(ids=[target])
            case "restore":
                return self._memory.restore(target)
            case "read":
                return self._memory.list(tags=[tag], limit=1000)

    def _search(self, topic: tuple[str, str], target: str, text: str) -> None:
        invoked = time.monotonic()
        hits = self._memory.search(text, tags=[_tag(topic)], k=50)
        ids = frozenset(hit.id for hit in hits)
        call = Call(self._number, "read", _tag(topic), target, invoked, time.monotonic(), ids=ids)
        self._say(call, search=True)

    def _target(self, tag: str) -> str:
        known = self._memory.list(tags=[tag], status=("active", "superseded"), limit=20)
        return self._chance.choice([node.id for node in known]) if len(known) else ""

    def _text(self, topic: tuple[str, str]) -> str:
        self._texts += 1
        form, subject = topic
        return form.format(subject=subject, number=1000 + self._number * 1000 + self._texts)

    def _say(self, call: Call, *, search: bool = False) -> None:
        self._tell(json.dumps({**asdict(call), "ids": sorted(call.ids), "search": search}))


def _tag(topic: tuple[str, str]) -> str:
    return f"{TOPICS.index(topic)}"
