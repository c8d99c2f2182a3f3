"""Running a simulation: one store a seed, read in every way."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from hypermnesia.config import Settings, build, load
from hypermnesia.evals.metrics import measured, stale_at_1
from hypermnesia.evals.records import Key, Record
from hypermnesia.evals.results import Run
from hypermnesia.evals.simulate.configurations import Configuration, K
from hypermnesia.evals.simulate.workload import Workload, world
from hypermnesia.evals.simulate.world import Query, World, answering
from hypermnesia.evals.simulate.writing import Written, readable, write
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Embedder, Encoding

METRICS = ("recall@5", "recall@10", "mrr@10", "ndcg@10", "precision@1")
"""Of the published table; ``stale@1`` joins them where a question has outdated versions."""
OWN_STORE: Mapping[str, Any] = {"llm_cache": "off", "redact": "off", "scope": "simulation"}
AS_PUBLISHED: Mapping[str, Any] = {"gate": 0.0, "supersede_threshold": 1.0}
"""Settings of writing in the published workload, which stores what is active and nothing else:
the judge gates nothing and retires nothing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is simulated.

    Attributes:
        memories: stored a seed.
        queries: asked a seed.
        base: settings in force; those of a configuration come on top.
    """

    workload: Workload
    memories: int
    queries: int
    seeds: tuple[int, ...]
    configurations: tuple[Configuration, ...]
    base: Settings

    @property
    def steps(self) -> int:
        """Memories to store and searches to make."""
        return len(self.seeds) * (self.memories + self.queries * len(self.configurations))

    def plain(self) -> dict[str, Any]:
        """Everything that decides the records, as plain JSON; no path and no address."""
        kept = self.base.model_dump(mode="json", exclude_defaults=True)
        return {
            "workload": self.workload,
            "memories": self.memories,
            "queries": self.queries,
            "seeds": list(self.seeds),
            "configurations": [c.name for c in self.configurations],
            "k": K,
            "settings": {
                name: value
                for name, value in kept.items()
                if name not in {"store", "scope"} and not name.endswith(("_url", "_cache"))
            },
        }


@dataclass(frozen=True, slots=True)
class QueriesOnce:
    """An embedder that encodes a question once, however many configurations ask it."""

    inner: Embedder
    known: dict[str, Encoding] = field(default_factory=dict[str, Encoding])

    @property
    def identity(self) -> str:
        """That of the embedder behind."""
        return self.inner.identity

    @property
    def dimension(self) -> int:
        """That of the embedder behind."""
        return self.inner.dimension

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Memories, each of which is stored and encoded once anyway."""
        return self.inner.encode(texts)

    def encode_queries(self, texts: Sequence[str]) -> list[Encoding]:
        """Questions, from memory if they were asked before."""
        unknown = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(zip(unknown, self.inner.encode_queries(unknown), strict=True))
        return [self.known[text] for text in texts]


def simulate(
    plan: Plan,
    run: Run,
    embedder: Embedder,
    progress: Callable[[int], None],
    on_written: Callable[[int, Mapping[str, float]], None] = lambda _seed, _report: None,
) -> None:
    """Make every record that the run does not have yet.

    Args:
        plan: what is simulated.
        run: where records are kept.
        embedder: the one that the plan's settings name, loaded once for all stores.
        progress: told the steps done since the last call, see :attr:`Plan.steps`.
        on_written: told of a seed, before its first record, how well writing did, see
            :meth:`.writing.Written.report`; not of a seed whose records were all there.

    Raises:
        InvalidInput: so many questions do not fit so few memories.
        StoreError: the temporary store cannot be used.
        ModelError: the encoder failed.
    """
    for seed in plan.seeds:
        made = world(plan.workload, seed, plan.memories, plan.queries)
        keys = [Key(c.name, q.id, seed) for c in plan.configurations for q in made.queries]
        if all(map(run.done, keys)):
            progress(plan.memories + len(keys))
            continue
        with tempfile.TemporaryDirectory(prefix="hypermnesia-simulate-") as folder:
            once = QueriesOnce(embedder)
            store = str(Path(folder) / "memory.db")
            policy = AS_PUBLISHED if plan.workload == "paper" else {}
            with _memory(plan.base, once, store, policy) as memory:
                written = write(memory, made, progress)
                on_written(seed, written.report(made))
            for configuration in plan.configurations:
                with _memory(plan.base, once, store, configuration.settings) as memory:
                    for query in made.queries:
                        if not run.done(Key(configuration.name, query.id, seed)):
                            _ask(run, memory, configuration, made, query, written)
                        progress(1)


@contextmanager
def _memory(
    base: Settings, embedder: Embedder, store: str, settings: Mapping[str, Any]
) -> Generator[Memory]:
    engine = build(load(base, **OWN_STORE, **settings, store=store))
    with Memory(replace(engine, embedder=embedder), str(OWN_STORE["scope"])) as memory:
        yield memory


def _ask(
    run: Run,
    memory: Memory,
    configuration: Configuration,
    made: World,
    query: Query,
    written: Written,
) -> None:
    """Record what one configuration answers to one question."""
    filters: dict[str, Any] = query.filters
    started = perf_counter()
    found: list[tuple[str, float]] = []
    match configuration.reads:
        case "search":
            hits = memory.search(query.text, k=K, **filters)
            found = [(written.row_of(hit.id), round(hit.score, 6)) for hit in hits]
        case "list":
            found = [(written.row_of(n.id), 0.0) for n in memory.list(limit=K, **filters)]
        case "truth":
            found = [(row, 0.0) for row in _ideal(memory, made, query, written)]
    timing = {"search_ms": (perf_counter() - started) * 1000}
    ranked = tuple(row for row, _ in found)
    metrics = measured(ranked, query.golds, METRICS)
    if query.stale:
        metrics["stale@1"] = stale_at_1(ranked, query.stale)
    run.record(
        Record(
            id=query.id,
            system=configuration.name,
            kind=query.kind,
            gold=query.golds,
            ranked=ranked,
            metrics=metrics,
            scores=tuple(score for _, score in found) if configuration.reads == "search" else (),
            seed=made.seed,
            detail={"query": query.text, "shape": query.shape},
        ),
        timing if configuration.reads == "search" else None,
    )


def _ideal(memory: Memory, made: World, query: Query, written: Written) -> list[str]:
    """What answers and can be returned; in which order those stand that answer alike is chance."""
    returnable = {written.row_of(node.id) for node in readable(memory, **query.filters)}
    right = [row for row in answering(made.rows, query) if row in returnable]
    random.Random(f"{made.seed}/{query.id}").shuffle(right)  # noqa: S311 - no secret
    return right[:K]
