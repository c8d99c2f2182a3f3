"""The clock jumps, a day back or a year ahead, between verbs and while somebody holds a lease."""

from __future__ import annotations

import datetime as dt
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, timedelta
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

from hypermnesia import identity
from hypermnesia.corpus.flush import LEASE
from hypermnesia.errors import Conflict, NotFound
from hypermnesia.memory import Memory
from hypermnesia.store.accounts import Account, Request
from hypermnesia.store.service import Job
from torture.explained import explained
from torture.image import image_of
from torture.invariants import Look, violations
from torture.opening import SCOPE, Reading, open_memory, store_of
from torture.report import Tally
from torture.steps import SINGLE, Choice, Step, perform

JUMPS = {
    "a day back": timedelta(days=-1),
    "a year ahead": timedelta(days=365),
    "an hour back": timedelta(hours=-1),
}
LIMIT = 5
"""Requests a window that the account of these rounds may make."""


class _Kind(type):
    """Every moment counts as one of the shifted kind, as some modules ask for that."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, dt.datetime)


@contextmanager
def shifted(by: timedelta) -> Generator[None]:
    """The product's clock is wrong by this much."""

    class Shifted(dt.datetime, metaclass=_Kind):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Any:
            return dt.datetime.now(tz) + by

    ahead = int(by.total_seconds()) * 10**9
    wrong = [m for m in _modules() if getattr(m, "datetime", None) is dt.datetime]
    with (
        patch.object(identity, "time", SimpleNamespace(time_ns=lambda: time.time_ns() + ahead)),
        patch.object(identity, "_last", identity._last),  # pyright: ignore[reportPrivateUsage]
    ):
        for module in wrong:
            setattr(module, "datetime", Shifted)  # noqa: B010 - modules differ in what they have
        try:
            yield
        finally:
            for module in wrong:
                setattr(module, "datetime", dt.datetime)  # noqa: B010


def _modules() -> list[ModuleType]:
    return [module for name, module in sys.modules.items() if name.startswith("hypermnesia.")]


def clock_jumps(folder: Path, chance: Random, tally: Tally) -> None:
    """Verbs under clocks that jump; nothing is lost, and nobody is locked out afterwards."""
    place = str(folder / "store.db")
    choice = Choice(chance)
    with open_memory(place, folder=folder) as memory, Reading(place) as reading:
        memory.corpus_consent(given=True)
        account = _account(memory)
        for name, by in (("none", timedelta()), *JUMPS.items(), ("none", timedelta())):
            with shifted(by):
                for _ in range(4):
                    step, before = choice.step(memory, choice.verb(SINGLE)), image_of(reading)
                    found = _done(memory, step, place, folder)
                    found += explained(before, image_of(reading), step)
                    found += _counted(memory, account)
                    tally.add(name, 1, found, hit=False)
                left = _left_behind(memory)
            tally.add(
                f"{name}, lease", 1, left(memory) + violations(Look(memory, reading)), hit=False
            )


def _done(memory: Memory, step: Step, place: str, folder: Path) -> list[str]:
    """Do a step; a text that was added is found at once, whatever the clock says."""
    try:
        perform(memory, step, place, folder)
    except (Conflict, NotFound):
        return []
    text = step.arguments.get("content")
    statuses = ("active", "low_signal", "superseded")
    if text is None or text in {hit.content for hit in memory.search(text, k=50, status=statuses)}:
        return []
    return ["what was stored is not found"]


def _account(memory: Memory) -> Account:
    account = Account(identity.new_id(), "somebody", dt.datetime.now(UTC))
    memory.accounts.put_account(account)
    return account


def _counted(memory: Memory, account: Account) -> list[str]:
    """One more request, in the window of an hour that the clock says it is."""
    import hypermnesia.corpus.flush as product  # noqa: PLC0415 - its clock is the one that jumps

    now = product.now()
    window = now.replace(minute=0, second=0, microsecond=0)
    charge = memory.accounts.charge(Request(account.id, "search", now, window, LIMIT))
    if charge.used > LIMIT or charge.used < 0 or (charge.allowed and charge.used == 0):
        return [f"{charge.used} of {LIMIT} requests are used"]
    return []


def _left_behind(memory: Memory) -> Any:
    """Begin work as a process that is killed at it, and give what has to be possible then."""
    import hypermnesia.corpus.flush as product  # noqa: PLC0415 - as above

    now, store = product.now(), store_of(memory)
    with store.write() as writer:
        writer.hold_queue("killed", now, now + LEASE)
    job = Job(identity.new_id(), "flush", SCOPE, "somebody", "queued", 0, None, 0, now, now)
    store.service.put_job(job, b"")
    store.service.claim_job("killed", now, now + LEASE)

    def taken_over(memory: Memory) -> list[str]:
        later, found = product.now() + LEASE + timedelta(seconds=1), list[str]()
        with store_of(memory).write() as writer:
            if not writer.hold_queue("next", later, later + LEASE):
                found.append("the queue of the corpus is held by a process that was killed")
            writer.release_queue("next")
        claimed = memory.service.claim_job("next", later, later + LEASE)
        if claimed is None:
            return [*found, "a job is held by a process that was killed"]
        memory.service.end_job(claimed[0].id, "next", later, "done")
        return found

    return taken_over
