"""Small runs that tests evaluate: two systems, two classes, two seeds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hypermnesia.evals.metrics import measured
from hypermnesia.evals.records import Record
from hypermnesia.evals.results import (
    FINDINGS,
    WRITING,
    Manifest,
    Run,
    read_records,
    write_json,
)
from hypermnesia.evals.simulate.findings import document

METRICS = ("recall@1", "recall@5", "recall@10", "mrr@10", "ndcg@10", "precision@1")
DOCUMENTS = [f"d{number}" for number in range(12)]


def manifest(**given: int) -> Manifest:
    """What every test run is."""
    return Manifest.of(
        "eval simulate", settings={"k": 10, **given}, encoder="hash", seed=5, baseline="plain"
    )


def records() -> Iterator[Record]:
    """The system ``good`` ranks the gold two places higher than ``plain``."""
    for system, lead in (("plain", 0), ("good", 2)):
        for seed in (11, 12):
            for number in range(6):
                place = max((number + seed) % 7 - lead, 0)
                others = [doc for doc in DOCUMENTS if doc != "d3"]
                ranked = (*others[:place], "d3", *others[place:])
                yield Record(
                    id=f"q{number}",
                    system=system,
                    kind="lexical" if number % 2 else "temporal",
                    gold=("d3",),
                    ranked=ranked,
                    metrics=measured(ranked, ["d3"], METRICS),
                    seed=seed,
                )


def make(folder: Path) -> Path:
    """A finished run."""
    with Run.open(folder, manifest()) as run:
        for rank, record in enumerate(records()):
            run.record(record, timing={"search_ms": 1.5 + rank % 5})
        run.finish()
    return folder


def make_simulated(folder: Path) -> Path:
    """The same with the files that only a simulation leaves."""
    make(folder)
    write_json(folder / FINDINGS, document(read_records(folder)))
    write_json(folder / WRITING, {"11": {"rows": 12, "lost": 0.25}})
    return folder


class Noted:
    """A watcher that keeps what it is told."""

    def __init__(self) -> None:
        self.done = 0
        self.told: list[str] = []

    def advance(self, done: int) -> None:
        """So many questions more are done."""
        self.done += done

    def tell(self, label: str) -> None:
        """What is being done now."""
        self.told.append(label)
