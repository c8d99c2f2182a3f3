"""Several memory systems on the same data: quality, speed, memory, disk.

Every system gets the same texts and questions and the same ``k``, in a process and a folder of
its own for each collection. Systems take turns at every step, in an order that moves on, so that
what else the machine does meets all of them. Nothing is repeated or left out: the first run counts.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from hypermnesia.evals.adapters.protocol import Found
from hypermnesia.evals.adapters.systems import contenders
from hypermnesia.evals.material import Collection
from hypermnesia.evals.metrics import measured, stale_at_1
from hypermnesia.evals.questions import Question
from hypermnesia.evals.records import Key, Record
from hypermnesia.evals.results import Run, read_records
from hypermnesia.evals.tables import Results, Table, number
from hypermnesia.evals.worker import Worker

T = TypeVar("T")

SHALLOW = 5
"""Depth that is measured besides ``k``."""
MOST = 50
"""Items asked for at most."""
GONE = "gone_after_delete"
"""1 if a deleted item is not found any more, else 0; measured once a collection."""
COLUMNS = {
    "items/s": ("ingest_per_s", "p50"),
    "search p50 ms": ("search_ms", "p50"),
    "search p95 ms": ("search_ms", "p95"),
    "delete ms": ("delete_ms", "p50"),
    "peak MB": ("peak_mb", "p50"),
    "disk KB an item": ("disk_kb_per_item", "p50"),
}
"""What a system takes: timing and statistic by the heading of its column."""
_DIGITS = 6
"""Decimals kept of a score: the last ones depend on the number of threads."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A system with one collection in it.

    Attributes:
        refused: items that it would not take.
        ingest_seconds: for the others.
    """

    name: str
    worker: Worker
    refused: int
    ingest_seconds: float


def metric_names(k: int) -> list[str]:
    """What is measured of every ranking."""
    shallow = [f"recall@{SHALLOW}"] if k > SHALLOW else []
    return [*shallow, *(f"{name}@{k}" for name in ("recall", "recall_all", "mrr", "ndcg"))]


def compare(
    run: Run,
    collections: Sequence[Collection],
    systems: Sequence[str],
    k: int,
    progress: Callable[[int], None] = lambda _done: None,
    tell: Callable[[str], None] = lambda _label: None,
) -> dict[str, Any]:
    """Run the comparison, or what an interrupted one left of it.

    A collection that a system was not asked every question of is taken in again.

    Args:
        run: keeps the records.
        collections: what is remembered and asked.
        systems: names, see :func:`~hypermnesia.evals.adapters.systems.contenders`.
        k: items asked for, 1 to 50.
        progress: called with the number of questions answered since the last call, each system's
            counted.
        tell: called with what is being done.

    Returns:
        The summary of the records.

    Raises:
        InvalidInput: a system is unknown or not installed.
        Stopped: a system failed.
    """
    contenders(systems)
    for turn, collection in enumerate(collections):
        order = _rotated(systems, turn)
        with ExitStack() as stack:
            entrants: list[Entrant] = []
            for name in order:
                left = _left(run, collection, name)
                progress(len(collection.questions) - left)
                if left:
                    tell(f"{name} takes in {len(collection.items):,} items")
                    entrants.append(_entered(stack, name, collection))
            tell("asking")
            _ask(run, collection, entrants, k, progress)
    return run.finish()


def costs(found: Results) -> Table:
    """A row a system of a finished comparison: medians over its collections and questions."""
    refused = Counter[str]()
    for record in read_records(found.folder):
        refused[record.system] += record.detail.get("refused", 0)
    rows: list[list[str]] = []
    for name in found.systems:
        costs = [_cost(found.speed.get(name, {}), *column) for column in COLUMNS.values()]
        rows.append([name, *costs, str(refused[name])])
    return Table("What each system takes", ["system", *COLUMNS, "refused"], rows)


def _cost(timings: Mapping[str, Mapping[str, float]], name: str, part: str) -> str:
    return number(timings[name][part], 1) if name in timings else ""


def _rotated(entered: Sequence[T], by: int) -> list[T]:
    """The same in turn, each of them first as often as any other."""
    first = by % max(len(entered), 1)
    return [*entered[first:], *entered[:first]]


def _left(run: Run, collection: Collection, system: str) -> int:
    keys = [Key(system, _id(collection, question)) for question in collection.questions]
    return sum(not run.done(key) for key in keys)


def _entered(stack: ExitStack, name: str, collection: Collection) -> Entrant:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix=f"{name}-"))
    worker = Worker(name, Path(folder))
    stack.callback(worker.close)
    refused, seconds = worker.add(collection.items)
    return Entrant(name, worker, refused, seconds)


def _ask(
    run: Run,
    collection: Collection,
    entrants: Sequence[Entrant],
    k: int,
    progress: Callable[[int], None],
) -> None:
    for turn, question in enumerate(collection.questions):
        for entrant in _rotated(entrants, turn):
            if run.done(Key(entrant.name, _id(collection, question))):
                continue
            found, seconds = entrant.worker.search(question.text, k)
            record = _record(collection, question, entrant.name, found, k)
            timing = {"search_ms": seconds * 1000}
            if question is collection.questions[-1]:
                timing |= _costs(entrant, collection)
                record = _forgets(entrant, record, question, timing)
                detail = {"items": len(collection.items), "refused": entrant.refused}
                record = replace(record, detail=detail)
            run.record(record, timing)
            progress(1)


def _costs(entrant: Entrant, collection: Collection) -> dict[str, float]:
    """What a collection took: it is kept with the last question's timing."""
    usage = entrant.worker.usage()
    costs = {
        "ingest_per_s": (len(collection.items) - entrant.refused) / entrant.ingest_seconds,
        "disk_kb_per_item": usage.disk_mb * 1000 / max(len(collection.items), 1),
    }
    if usage.peak_mb is not None:
        costs["peak_mb"] = usage.peak_mb
    if hasattr(os, "getloadavg"):
        costs["load"] = os.getloadavg()[0]
    return costs


def _forgets(
    entrant: Entrant, record: Record, question: Question, timing: dict[str, float]
) -> Record:
    """The record with :data:`GONE`: an item that answers is deleted, and looked for again."""
    name = question.gold[0]
    timing["delete_ms"] = entrant.worker.delete([name]) * 1000
    found, _ = entrant.worker.search(question.text, MOST)
    gone = float(name not in [item.id for item in found])
    return replace(record, metrics={**record.metrics, GONE: gone})


def _record(
    collection: Collection,
    question: Question,
    system: str,
    found: Sequence[Found],
    k: int,
) -> Record:
    ranked = [item.id for item in found]
    metrics = measured(ranked, question.gold, metric_names(k))
    if question.stale:
        metrics["stale_at_1"] = stale_at_1(ranked, question.stale)
    return Record(
        id=_id(collection, question),
        system=system,
        kind=question.kind,
        gold=question.gold,
        ranked=tuple(ranked),
        metrics=metrics,
        scores=tuple(round(float(item.score), _DIGITS) for item in found),
    )


def _id(collection: Collection, question: Question) -> str:
    return f"{collection.name}/{question.id}"
