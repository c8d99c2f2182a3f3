"""A simulation records every configuration, the same each time, and goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hypermnesia.config import Settings, load
from hypermnesia.evals.records import Key, Record
from hypermnesia.evals.results import Manifest, Run, read_records
from hypermnesia.evals.simulate.configurations import CONFIGURATIONS, chosen
from hypermnesia.evals.simulate.run import Plan, QueriesOnce, simulate
from hypermnesia.evals.simulate.workload import Workload, world
from hypermnesia.models.encoder import Encoding, OnnxEncoder

MEMORIES, QUERIES = 200, 16
PUBLISHED = ("recency", "lexical", "dense", "dense+judge", "rrf", "rrf+judge", "rrf-0.3",
             "rrf-0.3+judge")  # fmt: skip


@dataclass(slots=True)
class Counting:
    """The bundled encoder, with a note of what it is asked; mutable for that.

    Attributes:
        known: encodings by text, shared by all tests so that each is computed once.
    """

    inner: OnnxEncoder
    known: dict[str, Encoding]
    asked: list[str] = field(default_factory=list[str])
    stored: list[str] = field(default_factory=list[str])

    @property
    def identity(self) -> str:
        """The inner one's."""
        return self.inner.identity

    @property
    def dimension(self) -> int:
        """The inner one's."""
        return self.inner.dimension

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Memories."""
        self.stored += texts
        missing = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(zip(missing, self.inner.encode(missing), strict=True))
        return [self.known[text] for text in texts]

    def encode_queries(self, texts: Sequence[str]) -> list[Encoding]:
        """Questions."""
        self.asked += texts
        missing = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(zip(missing, self.inner.encode_queries(missing), strict=True))
        return [self.known[text] for text in texts]


Count = Callable[[], Counting]


@pytest.fixture(scope="module")
def counting(encoder: OnnxEncoder) -> Count:
    """Makes encoders that count from nought."""
    known: dict[str, Encoding] = {}
    return lambda: Counting(encoder, known)


def plan(*names: str, workload: Workload = "ours", base: Settings | None = None) -> Plan:
    """A small one."""
    configurations = chosen(names)
    return Plan(workload, MEMORIES, QUERIES, (11,), configurations, base or load())


def run_in(folder: Path, planned: Plan, embedder: Counting) -> list[Record]:
    """Run it and read what it recorded."""
    with Run.open(folder, Manifest.of("test", settings=planned.plain())) as run:
        simulate(planned, run, embedder, lambda _done: None)
        run.finish()
    return read_records(folder)


@pytest.fixture(scope="module")
def embedder(counting: Count) -> Counting:
    """Of the run below, so that a test can say what the whole of it encoded."""
    return counting()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, embedder: Counting) -> Path:
    """A run of every configuration."""
    folder = tmp_path_factory.mktemp("run")
    run_in(folder, plan(), embedder)
    return folder


@pytest.fixture(scope="module")
def records(folder: Path) -> list[Record]:
    """What it recorded."""
    return read_records(folder)


def test_every_configuration_answers_every_question(records: list[Record]) -> None:
    """The published eight, four more, and the ceiling."""
    assert [c.name for c in CONFIGURATIONS if c.name in PUBLISHED] == list(PUBLISHED)
    assert len(CONFIGURATIONS) == 13
    assert {r.key for r in records} == {
        Key(c.name, q.id, 11) for c in CONFIGURATIONS for q in world("ours", 11, 200, 16).queries
    }
    assert len(records) == 13 * QUERIES


def test_no_configuration_beats_the_ceiling(records: list[Record]) -> None:
    """Question by question."""
    ceiling = {r.id: r for r in records if r.system == "oracle"}
    for record in records:
        for metric in ("recall@10", "ndcg@10", "mrr@10"):
            assert record.metrics[metric] <= ceiling[record.id].metrics[metric] + 1e-9


def test_words_alone_find_no_meaning_and_every_identifier(records: list[Record]) -> None:
    """What the two classes are made for."""
    lexical = [record for record in records if record.system == "lexical"]
    ceiling = {r.id: r.metrics["recall@10"] for r in records if r.system == "oracle"}
    assert {r.metrics["recall@10"] for r in lexical if r.kind == "semantic"} == {0.0}
    assert all(r.metrics["recall@10"] == ceiling[r.id] for r in lexical if r.kind == "lexical")


def test_each_text_is_encoded_once(embedder: Counting, folder: Path) -> None:
    """However many configurations read the store."""
    assert folder.exists()
    assert len(embedder.asked) == len(set(embedder.asked)) == QUERIES
    assert len(embedder.stored) == len(set(embedder.stored))


def test_the_same_seed_gives_the_same_bytes(folder: Path, tmp_path: Path, counting: Count) -> None:
    """Timings are kept apart."""
    run_in(tmp_path, plan(), counting())
    for name in ("records.jsonl", "summary.json"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_an_interrupted_run_goes_on_and_ends_the_same(
    folder: Path, tmp_path: Path, counting: Count
) -> None:
    """What is recorded is not asked again."""
    lines = (folder / "records.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "records.jsonl").write_bytes(b"".join(lines[:70]) + b'{"system":"torn')
    again = counting()
    run_in(tmp_path, plan(), again)
    assert (tmp_path / "records.jsonl").read_bytes() == (folder / "records.jsonl").read_bytes()
    run_in(tmp_path, plan(), finished := counting())
    assert finished.asked == finished.stored == []


def test_outdated_answers_are_counted_where_there_are_any(records: list[Record]) -> None:
    """Only for questions of what holds at a time."""
    for record in records:
        assert ("stale@1" in record.metrics) == (record.detail["shape"] in {"now", "as_of"})


def test_the_published_workload_stores_all_it_is_given(tmp_path: Path, counting: Count) -> None:
    """Nothing is gated or retired, and the ceiling misses what is not stored."""
    planned = plan("oracle", "lexical", workload="paper")
    reports: dict[int, Mapping[str, float]] = {}
    with Run.open(tmp_path, Manifest.of("test")) as run:
        simulate(planned, run, counting(), lambda _done: None, reports.__setitem__)
    (report,) = reports.values()
    assert report["gated"] == report["lost"] == report["refused"] == 0
    temporal = [r for r in read_records(tmp_path) if r.kind == "temporal" and r.system == "oracle"]
    assert sorted(r.metrics["recall@10"] for r in temporal) == [0.0, 0.0, 1.0, 1.0]


def test_progress_reaches_its_end(tmp_path: Path, counting: Count) -> None:
    """Finished seeds count, too."""
    planned = plan("recency")
    for _ in range(2):
        done: list[int] = []
        with Run.open(tmp_path, Manifest.of("test")) as run:
            simulate(planned, run, counting(), done.append)
        assert sum(done) == planned.steps


def test_a_manifest_holds_no_path_and_no_address(tmp_path: Path) -> None:
    """Results are published."""
    base = load(
        store=str(tmp_path / "secret"), judge="chat", judge_url="http://u:p@host", judge_model="m"
    )
    assert plan("default", base=base).plain()["settings"] == {"judge": "chat", "judge_model": "m"}


def test_a_question_is_encoded_once(counting: Count) -> None:
    """The wrapper is otherwise what it wraps."""
    inner = counting()
    once = QueriesOnce(inner)
    assert once.encode_queries(["a b"])[0] is once.encode_queries(["a b"])[0]
    assert inner.asked == ["a b"]
    assert (once.identity, once.dimension) == (inner.identity, inner.dimension)
