"""The verbs that are interrupted, chosen by chance but repeatably, and carried out.

Texts come in families of one subject each: the local judge is certain that two of one family
cannot both hold, and that two of different ones can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias, get_args

from hypermnesia.corpus.flush import LEASE, flush
from hypermnesia.errors import Conflict, HypermnesiaError, NotFound
from hypermnesia.memory import Memory
from hypermnesia.migration import migrate
from hypermnesia.store.protocol import Filter
from hypermnesia.types import Failure, Status
from torture.opening import SCOPE, engine_of, store_of

Verb: TypeAlias = Literal[
    "add", "add_many", "ingest", "update", "supersede", "forget", "erase", "restore",
    "reindex", "migrate", "flush",
]  # fmt: skip
VERBS: tuple[Verb, ...] = get_args(Verb)
SINGLE: tuple[Verb, ...] = ("add", "update", "supersede", "restore")
"""Verbs that are one transaction each."""

SUBJECTS = ("billing", "checkout", "search", "payments", "reporting", "inventory")
FAMILIES = (
    "The deadline of the {subject} project is {day} May",
    "The {subject} server's port is {number}",
    "The {subject} timeout is {number} seconds",
)
SPEAKERS = ("Anna", "Ben")


@dataclass(frozen=True, slots=True)
class Step:
    """One verb with its arguments, fit for JSON."""

    verb: Verb
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Choice:
    """Chooses steps that make sense on the store as it is.

    Args:
        chance: where chance comes from.
        number: sets the texts of one chooser apart from those of another.
    """

    def __init__(self, chance: Random, number: int = 0) -> None:
        self._chance = chance
        self._texts = 0
        self._number = number

    def step(self, memory: Memory, verb: Verb) -> Step:
        """Arguments for a verb; another verb where the store holds nothing to do it to."""
        match verb:
            case "add":
                return Step("add", {"content": self._note(), "tags": ["note"]})
            case "supersede":
                return Step("supersede", {"content": self._statement()})
            case "add_many":
                return Step("add_many", {"items": [self._note() for _ in range(self._few(6, 60))]})
            case "ingest":
                return Step("ingest", self._conversation())
            case "update" | "restore" | "forget" | "erase":
                return self._on_one(memory, verb)
            case _:
                return Step(verb)

    def verb(self, verbs: tuple[Verb, ...] = VERBS) -> Verb:
        """Any of these; what takes long comes seldom."""
        return self._chance.choices(verbs, [1 if v in VERBS[6:] else 6 for v in verbs])[0]

    def _on_one(self, memory: Memory, verb: Verb) -> Step:
        statuses: tuple[Status, ...] = ("superseded",) if verb == "restore" else ("active",)
        levels = ("fact",) if verb in {"update", "restore"} else ("fact", "turn")
        where = Filter(SCOPE, levels=levels, statuses=statuses)
        ids = sorted(node.id for node in store_of(memory).iterate(where))
        if not ids:
            return self.step(memory, "supersede")
        if verb != "update":
            return Step(verb, {"id": self._chance.choice(ids)})
        change = self._chance.choice(
            ({"content": self._statement()}, {"content": self._note()}, {"tags": [self._word()]})
        )
        return Step(verb, {"id": self._chance.choice(ids), **change})

    def _conversation(self) -> dict[str, Any]:
        messages = [
            {"role": "user", "speaker": SPEAKERS[i % 2], "content": self._said(), "id": f"m{i}"}
            for i in range(self._few(4, 16))
        ]
        return {"messages": messages, "session": f"session {self._number}.{self._texts}"}

    def _said(self) -> str:
        return self._statement() if self._chance.random() < 1 / 3 else f"I saw {self._note()}"

    def _statement(self) -> str:
        self._texts += 1
        form, subject = self._chance.choice(FAMILIES), self._chance.choice(SUBJECTS)
        number = 1000 + self._number * 1000 + self._texts
        return form.format(subject=subject, day=1 + number % 28, number=number)

    def _note(self) -> str:
        self._texts += 1
        filler = " ".join(self._word() for _ in range(self._few(2, 40)))
        return f"note {self._number}x{self._texts} tells of {filler}"

    def _word(self) -> str:
        return self._chance.choice(("cedar", "harbour", "lantern", "meadow", "quartz", "violin"))

    def _few(self, least: int, most: int) -> int:
        return self._chance.randint(least, most)


def perform(memory: Memory, step: Step, place: str, folder: Path) -> None:
    """Carry a step out; returns when the verb has.

    Args:
        memory: open on ``place``.
        step: what to do.
        place: the store.
        folder: where moved stores go.
    """
    _DEEDS[step.verb](memory, step.arguments, place, folder)


def attempted(work: Callable[[], object]) -> str | None:
    """What the error said, if there was one; only errors of the package may come."""
    try:
        work()
    except (Conflict, NotFound):
        return "refused"
    except HypermnesiaError as error:
        return str(error)
    return None


def _add_many(memory: Memory, given: Mapping[str, Any], _place: str, _folder: Path) -> None:
    failed = [made for made in memory.add_many(given["items"]) if isinstance(made, Failure)]
    assert not failed, failed


def _update(memory: Memory, given: Mapping[str, Any], _place: str, _folder: Path) -> None:
    memory.update(given["id"], content=given.get("content"), tags=given.get("tags"))


def take_over(memory: Memory) -> None:
    """Flush as soon as whoever was killed at it does not hold the queue any more."""
    flush(engine_of(memory), clock=lambda: datetime.now(UTC) + LEASE)


def _migrate(memory: Memory, _given: Mapping[str, Any], place: str, folder: Path) -> None:
    memory.corpus_flush()  # a batch that is on its way out cannot be moved
    for left in target(folder).parent.glob(target(folder).name + "*"):
        left.unlink()
    move(place, folder)


def move(place: str, folder: Path) -> None:
    """Move a store to :func:`target`, or go on moving it."""
    migrate(place, str(target(folder)), lambda _done, _total: None)


def target(folder: Path) -> Path:
    """Where a store is moved to."""
    return folder / "moved.db"


_DEEDS: Mapping[Verb, Callable[[Memory, Mapping[str, Any], str, Path], object]] = {
    "add": lambda memory, given, _place, _folder: memory.add(**given),
    "supersede": lambda memory, given, _place, _folder: memory.add(**given),
    "add_many": _add_many,
    "ingest": lambda memory, given, _place, _folder: memory.ingest(**given),
    "update": _update,
    "restore": lambda memory, given, _place, _folder: memory.restore(given["id"]),
    "forget": lambda memory, given, _place, _folder: memory.forget(ids=[given["id"]]),
    "erase": lambda memory, given, _place, _folder: memory.forget(ids=[given["id"]], erase=True),
    "reindex": lambda memory, _given, _place, _folder: memory.reindex(),
    "migrate": _migrate,
    "flush": lambda memory, _given, _place, _folder: memory.corpus_flush(),
}
