"""Comparisons of memory systems."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hypermnesia.errors import InvalidInput
from hypermnesia.evals import compare as comparison
from hypermnesia.evals.adapters.dense import Dense
from hypermnesia.evals.adapters.fts5 import Fts5
from hypermnesia.evals.adapters.protocol import Found, Item
from hypermnesia.evals.adapters.systems import CONTENDERS, contenders
from hypermnesia.evals.compare import GONE, compare, costs
from hypermnesia.evals.material import Collection
from hypermnesia.evals.questions import Question
from hypermnesia.evals.results import Manifest, Run, read_records, read_timings
from hypermnesia.evals.tables import Results
from hypermnesia.evals.worker import Usage
from tests.store.embedders import HashEmbedder

TEXTS = {
    "kafka": "The billing queue runs on Kafka.",
    "nats": "The billing queue runs on NATS now, no longer on Kafka.",
    "cat": "The office cat is called Miso.",
    "invoices": "Invoices are archived in Lisbon.",
}
ASKED = [
    Question("q0", "update", "What does the billing queue run on?", "", ("nats",), ("kafka",)),
    Question("q1", "fact", "What is the name of the cat?", "", ("cat",)),
]
COLLECTIONS = [
    Collection(name, tuple(Item(*pair) for pair in TEXTS.items()), tuple(ASKED))
    for name in ("one", "two")
]


class Here:
    """Stands in for a worker: the same, in this process."""

    def __init__(self, system: str, folder: Path) -> None:
        self._folder = folder
        self._system = Fts5(folder) if system == "fts5" else Dense(folder, HashEmbedder())

    def add(self, items: Sequence[Item]) -> tuple[int, float]:
        """As long as a second."""
        return self._system.add(items), 1.0

    def search(self, query: str, k: int) -> tuple[list[Found], float]:
        """As long as a millisecond."""
        return self._system.search(query, k), 0.001

    def delete(self, ids: Sequence[str]) -> float:
        """As long as a millisecond."""
        self._system.delete(ids)
        return 0.001

    def usage(self) -> Usage:
        """On a platform that does not tell the memory."""
        return Usage(None, 0.5)

    def close(self) -> None:
        """Release the files."""
        self._system.close()


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers have tests of their own."""
    monkeypatch.setattr(comparison, "Worker", Here)


def opened(folder: Path) -> Run:
    """A run of these tests."""
    return Run.open(folder, Manifest.of("eval compare", settings={"k": 10}, baseline="fts5"))


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """A comparison of a lexical and a dense system."""
    folder = tmp_path / "finished"
    told: list[str] = []
    with opened(folder) as run:
        compare(run, COLLECTIONS, ["fts5", "dense"], 10, tell=told.append)
    assert [label.split()[0] for label in told[:3]] == ["fts5", "dense", "asking"]
    return folder


def test_every_system_is_asked_every_question(finished: Path) -> None:
    """One record each, under the collection's name."""
    keys = sorted((record.system, record.id) for record in read_records(finished))

    assert keys == sorted(
        (system, f"{collection}/{question}")
        for system in ("fts5", "dense")
        for collection in ("one", "two")
        for question in ("q0", "q1")
    )


def test_quality_is_measured_on_the_ranking(finished: Path) -> None:
    """Both find the cat; the outdated turn at the top is counted where there is one."""
    summary = Results.load(finished).summary["systems"]
    for system in ("fts5", "dense"):
        assert summary[system]["classes"]["fact"]["mrr@10"]["mean"] == 1
        assert "stale_at_1" not in summary[system]["classes"]["fact"]
    record = next(record for record in read_records(finished) if record.id == "one/q0")
    assert record.metrics["stale_at_1"] == (record.ranked[0] == "kafka")


def test_costs_are_kept_once_a_collection(finished: Path) -> None:
    """With the last question; every question has its own time."""
    timings = read_timings(finished)

    assert all("search_ms" in timing for timing in timings.values())
    assert {key.id for key, timing in timings.items() if "ingest_per_s" in timing} == {
        "one/q1",
        "two/q1",
    }


def test_costs_are_a_table(finished: Path) -> None:
    """A row a system; what the platform does not tell stays empty."""
    table = costs(Results.load(finished))

    assert [dict(zip(table.columns, row, strict=True)) for row in table.rows] == [
        {
            "system": system,
            "items/s": "4.0",
            "search p50 ms": "1.0",
            "search p95 ms": "1.0",
            "delete ms": "1.0",
            "peak MB": "",
            "disk KB an item": "125.0",
            "refused": "0",
        }
        for system in ("fts5", "dense")
    ]


def test_a_deleted_answer_is_looked_for(finished: Path) -> None:
    """Once a collection, with the last question, and both systems keep their promise."""
    measured = {
        (r.system, r.id): r.metrics[GONE] for r in read_records(finished) if GONE in r.metrics
    }

    assert measured == {
        (system, f"{collection}/q1"): 1.0
        for system in ("fts5", "dense")
        for collection in ("one", "two")
    }


def test_a_deleted_answer_that_comes_back_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system that says it deleted and did not scores 0."""

    class Keeps(Here):
        """Forgets nothing."""

        def delete(self, ids: Sequence[str]) -> float:
            """Only say so."""
            return 0.001

    monkeypatch.setattr(comparison, "Worker", Keeps)
    with opened(tmp_path) as run:
        summary = compare(run, COLLECTIONS, ["fts5"], 10)

    assert summary["systems"]["fts5"]["all"][GONE] == {"mean": 0.0, "n": 2}


def test_an_interrupted_comparison_goes_on(tmp_path: Path, finished: Path) -> None:
    """Ctrl-C keeps what is finished; the rest gives the same records as a run in one go."""

    def interrupt(done: int) -> None:
        if done:
            raise KeyboardInterrupt

    with opened(tmp_path) as run, pytest.raises(KeyboardInterrupt):
        compare(run, COLLECTIONS[:1], ["fts5"], 10, interrupt)
    assert len(read_records(tmp_path)) == 1
    with opened(tmp_path) as run:
        compare(run, COLLECTIONS[:1], ["fts5"], 10)

    whole = [r for r in read_records(finished) if r.system == "fts5" and r.id.startswith("one/")]
    assert [record.line() for record in read_records(tmp_path)] == [r.line() for r in whole]


def test_a_finished_comparison_starts_no_system(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything is told as done, nothing is ingested again."""
    monkeypatch.setattr(comparison, "Worker", None)
    done: list[int] = []
    told: list[str] = []
    with opened(finished) as run:
        compare(run, COLLECTIONS, ["fts5", "dense"], 10, done.append, told.append)

    assert sum(done) == 8
    assert not any("takes in" in label for label in told)


def test_systems_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of ingests and of searches moves on."""
    told: list[str] = []

    class Told(Here):
        """Notes whose turn it is."""

        def __init__(self, system: str, folder: Path) -> None:
            self._name = system
            told.append(f"open {system}")
            super().__init__(system, folder)

        def search(self, query: str, k: int) -> tuple[list[Found], float]:
            """By name."""
            told.append(self._name)
            return super().search(query, k)

    monkeypatch.setattr(comparison, "Worker", Told)
    with opened(tmp_path) as run:
        compare(run, COLLECTIONS, ["fts5", "dense"], 10)

    # The last question of a collection is asked once more, when its answer is deleted.
    assert told == [
        "open fts5", "open dense", "fts5", "dense", "dense", "dense", "fts5", "fts5",
        "open dense", "open fts5", "dense", "fts5", "fts5", "fts5", "dense", "dense",
    ]  # fmt: skip


def test_an_unknown_system_is_refused_with_the_known_ones() -> None:
    """Before anything is started."""
    with pytest.raises(InvalidInput, match=r"no system 'mongo'; known are hypermnesia, .*tantivy"):
        contenders(["fts5", "mongo"])


def test_no_system_is_refused() -> None:
    """An empty list compares nothing."""
    with pytest.raises(InvalidInput, match="no system is named"):
        contenders([])


def test_a_system_that_is_not_installed_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The extra is named."""
    absent = CONTENDERS["tantivy"].__class__("a peer", "peers", ("no_such_module",))
    monkeypatch.setitem(CONTENDERS, "tantivy", absent)  # pyright: ignore[reportArgumentType] - a dict

    with pytest.raises(InvalidInput, match=r"tantivy cannot be used: .*hypermnesia\[peers\]"):
        contenders(["tantivy"])
