"""A store that grows to a million: ``python -m bench.scale [--sizes N ...] [--store URL]``.

One store is filled from size to size and measured at each: how fast memories go in, how long a
search takes with and without filters, how much memory and disk it needs. Texts are made up;
encoding a million of them would take hours, so each gets the vectors of one of
:data:`ENCODED` texts of its kind, turned a little (:class:`Varied`). What is measured is the
store: the judge is off while it is filled, and judges what is found.
"""

from __future__ import annotations

import argparse
import math
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from bench.published import publish
from bench.texts import memories, queries
from hypermnesia.config import build, is_postgres, load
from hypermnesia.evals.stored import storable
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Encoding, OnnxEncoder
from hypermnesia.types import Failure

RESULTS = Path("results", "published")
SIZES = (10_000, 100_000, 1_000_000)
ENCODED = 4_000
QUERIES = 100
BATCH = 1_000
"""Memories of one ``add_many``."""
RARE, COMMON = 100, 4
"""One memory in so many has the tag that a filtered search asks for."""
START = datetime(2020, 1, 1, tzinfo=UTC)
EVERY = timedelta(minutes=3)
"""Event time between two memories."""
RECENT = 0.05
"""Share of the memories that a search since a date sees."""
NOISE = 0.35
"""Length of what is added to a unit vector: two texts with one origin are about 0.9 alike."""
Measured = dict[str, float | None]

ROWS = (
    ("ingest without encoding, memories/s", "rate", ",.0f"),
    ("search, p50 ms", "search_p50", ".1f"),
    ("search, p95 ms", "search_p95", ".1f"),
    ("with a tag of 1 in 4, p50 ms", "common_p50", ".1f"),
    ("with a tag of 1 in 100, p50 ms", "rare_p50", ".1f"),
    ("of the latest 5%, p50 ms", "recent_p50", ".1f"),
    ("encoding the query, p50 ms", "encode_p50", ".1f"),
    ("first search of a process, ms", "first", ",.0f"),
    ("peak resident memory, MB", "resident_mb", ",.0f"),
    ("disk, bytes a memory", "disk_bytes", ",.0f"),
    ("of it the vector index", "ann_bytes", ",.0f"),
)
"""Of the table: what a row is called, which value it shows, and how."""


class Varied:
    """An embedder for filling a store: vectors of known texts, each turned by its own noise.

    Args:
        encoder: encodes the known texts, and every query.
        seed: of the noise.
    """

    def __init__(self, encoder: OnnxEncoder, seed: int = 5) -> None:
        self.identity = encoder.identity
        self.dimension = encoder.dimension
        self._encoder = encoder
        self._rng = np.random.default_rng(seed)
        self._pool = encoder.encode(list(memories(ENCODED, seed=3)))

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Vectors of some known text for each; the text itself is not looked at."""
        picked = self._rng.integers(0, len(self._pool), len(texts))
        return [self._turned(self._pool[number]) for number in picked]

    def encode_queries(self, texts: Sequence[str]) -> list[Encoding]:
        """The encoder's own answer."""
        return self._encoder.encode_queries(texts)

    def _turned(self, known: Encoding) -> Encoding:
        noise = self._rng.standard_normal(known.dense.shape, dtype=np.float32)
        dense = known.dense + noise * (NOISE / math.sqrt(self.dimension))
        dense /= np.linalg.norm(dense, axis=1, keepdims=True)
        return replace(known, dense=dense)


def grown(store: str, sizes: Sequence[int]) -> Iterator[Measured]:
    """Fill one store from size to size and measure it at each."""
    encoder = OnnxEncoder()
    varied = Varied(encoder)
    texts = memories(max(sizes))
    held = 0
    for size in sorted(sizes):
        engine = replace(build(load(store=store, judge="off")), embedder=varied)
        with Memory(engine, "default") as memory:
            started = time.perf_counter()
            while held < size:
                part = list(islice(texts, min(BATCH, size - held)))
                _added(memory, [_item(held + place, text) for place, text in enumerate(part)])
                held += len(part)
                _progress(held, size)
            taken = time.perf_counter() - started
        step = size - max((s for s in sizes if s < size), default=0)
        yield {"size": size, "rate": step / taken, **searched(store, size, encoder)}


def _added(memory: Memory, items: Sequence[Mapping[str, Any]]) -> None:
    if failed := [each for each in memory.add_many(items) if isinstance(each, Failure)]:
        raise RuntimeError(f"{len(failed)} memories were refused, the first: {failed[0]}")


def _item(number: int, text: str) -> Mapping[str, Any]:
    tags = [name for name, share in (("rare", RARE), ("common", COMMON)) if number % share == 0]
    return {"content": text, "tags": tags, "at": START + number * EVERY, "pin": True}


def searched(store: str, size: int, encoder: OnnxEncoder) -> Measured:
    """Milliseconds of searches as a user asks them, the judge on; memory and disk in the end."""
    asked = queries(QUERIES)
    since = START + round(size * (1 - RECENT)) * EVERY
    with Memory.open(store) as memory:
        first = _timed(lambda: memory.search(asked[0]))
        plain = _times(memory.search, asked)
        common = _times(lambda q: memory.search(q, tags=["common"]), asked)
        rare = _times(lambda q: memory.search(q, tags=["rare"]), asked)
        recent = _times(lambda q: memory.search(q, since=since), asked)
    return {
        "first": first,
        "search_p50": statistics.median(plain),
        "search_p95": statistics.quantiles(plain, n=20)[-1],
        "common_p50": statistics.median(common),
        "rare_p50": statistics.median(rare),
        "recent_p50": statistics.median(recent),
        "encode_p50": statistics.median(_times(lambda q: encoder.encode_queries([q]), asked)),
        "resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        / (1024 if sys.platform != "darwin" else 1024**2),
        **_sizes(store, size),
    }


def _times(ask: Callable[[str], object], asked: Sequence[str]) -> list[float]:
    for question in asked[:5]:  # fills the caches
        ask(question)
    return [_timed(lambda q=question: ask(q)) for question in asked]


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def _sizes(store: str, size: int) -> Measured:
    """Bytes a memory: of everything, and of the index that nearest vectors are looked up in."""
    if not is_postgres(store):
        files = Path(store).parent.glob(Path(store).name + "*")
        return {"disk_bytes": sum(each.stat().st_size for each in files) / size, "ann_bytes": None}
    with psycopg.connect(store) as connection:
        query = (
            "SELECT pg_database_size(current_database()), (SELECT sum(pg_relation_size(c.oid))"
            " FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'hnsw')"
        )
        everything, index = next(iter(connection.execute(query)))
        return {"disk_bytes": everything / size, "ann_bytes": float(index or 0) / size}


def _progress(held: int, size: int) -> None:
    if held % (10 * BATCH) == 0:
        print(f"\r{held:,} of {size:,}", end="", file=sys.stderr, flush=True)


def table(kind: str, measured: Sequence[Measured]) -> dict[str, Any]:
    """What the page on scaling shows of one kind of store."""
    return storable(
        f"{kind}, one growing store",
        ("", *(f"{each['size']:,.0f}" for each in measured)),
        [(name, *(each[field] for each in measured)) for name, field, _ in ROWS],
        [form for _, _, form in ROWS],
    )


def main() -> None:
    """Measure and publish after every size, so that an interrupted run keeps what it has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--store", help="URL of an empty PostgreSQL store; without it, a new file")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="hypermnesia-scale-"))
        store = options.store or str(Path(folder) / "memory.db")
        kind = "PostgreSQL" if options.store else "SQLite"
        measured: list[Measured] = []
        for each in grown(store, options.sizes):
            measured.append(each)
            publish(
                RESULTS / f"scale-{kind.lower()}.json",
                "python -m bench.scale" + (" --store URL" if options.store else ""),
                {"growth": table(kind, measured)},
            )


if __name__ == "__main__":
    main()
