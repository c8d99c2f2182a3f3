"""Speed of taking in and searching talk: ``python -m bench.talk [--turns 10000] [--runs 3]``.

Slices of a made-up conversation are encoded bare and ingested in turn, so that both rates are of
the same texts, machine and minute. Then questions are asked of everything ingested, once for
turns alone and once for all levels. The values of the run whose share is in the middle go to
``results/published/talk.json``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from bench.published import publish
from bench.texts import memories, queries
from hypermnesia.evals.stored import storable
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import OnnxEncoder

RESULTS = Path("results", "published", "talk.json")
"""What the page on performance refers to."""
SITTING = 24
"""Turns of a session."""
SLICE = 2048
"""Turns that the bare encoder and the ingest take before the other has its turn again: many chunks
of an ingest, since during the first nothing is stored, and during the last nothing encoded."""
QUERIES = 200
SPEAKERS = ("Ann", "Bo")
OPENERS = ("Good morning! How is it going?", "By the way, what about {}?", "Oh, nice. And {}?")


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was measured. Rates in turns a second, times in milliseconds.

    Attributes:
        share: median over the slices of ingest rate over bare rate.
        nodes: turns, facts, episodes and topics in the end.
    """

    turns: int
    nodes: int
    bare_rate: float
    ingest_rate: float
    share: float
    turns_p50: float
    turns_p95: float
    all_p50: float
    all_p95: float
    peak_mb: float
    bytes_per_turn: float


ROWS = (
    ("turns", ",.0f"),
    ("turns, facts, episodes and topics in the end", ",.0f"),
    ("bare encoder, turns/s", ".0f"),
    ("ingest, turns/s", ".0f"),
    ("ingest / bare encoder (goal 70%)", ".0%"),
    ("search of turns, p50 ms", ".1f"),
    ("search of turns, p95 ms", ".1f"),
    ("search of all levels, p50 ms (goal 40)", ".1f"),
    ("search of all levels, p95 ms", ".1f"),
    ("peak resident memory, MB", ".0f"),
    ("disk, bytes a turn", ",.0f"),
)
"""What a field of :class:`Spoken` is called, and how it is shown."""


def talk(number: int, seed: int = 11) -> list[dict[str, Any]]:
    """A conversation of two people: news, questions about them, answers and small talk."""
    rng = random.Random(seed)
    said = memories(number, seed)
    start = datetime(2024, 1, 8, 9, tzinfo=UTC)
    found: list[dict[str, Any]] = []
    for i in range(number):
        session, place = divmod(i, SITTING)
        text = next(said)
        if place and rng.random() < 0.25:
            text = rng.choice(OPENERS).format(text.split()[-1].strip(".").lower())
        at = start + timedelta(days=2 * session, minutes=place)
        found.append(
            {
                "speaker": SPEAKERS[i % 2],
                "content": text,
                "session": f"session {session}",
                "timestamp": at,
                "id": str(i),
            }
        )
    return found


def measure(turns: int, folder: Path) -> Spoken:
    """Ingest a conversation of this length and search it."""
    path = folder / "talk.db"
    messages = talk(turns)
    encoder = OnnxEncoder()
    encoder.encode(["load the model"])
    rates: list[tuple[float, float]] = []
    with Memory.open(path) as memory:
        memory.ingest([{"speaker": "Ann", "content": "Load everything.", "session": "warm"}])
        remaining = iter(messages)
        while part := list(islice(remaining, SLICE)):
            texts = [f"{m['speaker']}: {m['content']}" for m in part]
            rates.append(
                (
                    len(part) / _timed(lambda texts=texts: encoder.encode(texts)),
                    len(part) / _timed(lambda part=part: memory.ingest(part)),
                )
            )
        nodes = sum(memory.profile().levels.values())
        asked = [f"What did Ann say: {q}" if i % 2 else q for i, q in enumerate(queries(QUERIES))]
        alone = _times(lambda q: memory.search(q, levels=("turn",)), asked)
        mixed = _times(memory.search, asked)
    size = sum(file.stat().st_size for file in folder.glob("talk.db*"))
    return Spoken(
        turns=turns,
        nodes=nodes,
        bare_rate=statistics.median(bare for bare, _ in rates),
        ingest_rate=statistics.median(own for _, own in rates),
        share=statistics.median(own / bare for bare, own in rates),
        turns_p50=statistics.median(alone),
        turns_p95=statistics.quantiles(alone, n=20)[-1],
        all_p50=statistics.median(mixed),
        all_p95=statistics.quantiles(mixed, n=20)[-1],
        peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        bytes_per_turn=size / turns,
    )


def _apart(turns: int) -> Spoken:
    """A run in a process of its own, whose peak memory is its own."""
    context = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory(prefix="hypermnesia-bench-") as folder,
        ProcessPoolExecutor(1, mp_context=context) as pool,
    ):
        return pool.submit(measure, turns, Path(folder)).result()


def _times(ask: Callable[[str], object], asked: Sequence[str]) -> list[float]:
    """Milliseconds of each question; the first ones warm the caches."""
    for question in asked[:10]:
        ask(question)
    return [1e3 * _timed(lambda q=question: ask(q)) for question in asked]


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Measure and publish one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3, help="one after the other; better odd")
    options = parser.parse_args()
    runs = [_apart(options.turns) for _ in range(options.runs)]
    print("shares of the runs:", ", ".join(f"{run.share:.1%}" for run in runs), file=sys.stderr)
    spoken = sorted(runs, key=lambda run: run.share)[len(runs) // 2]
    values = zip(ROWS, astuple(spoken), strict=True)
    found = storable(
        "Taking in and searching one conversation",
        ("", "value"),
        [(name, value) for (name, _), value in values],
        [form for _, form in ROWS],
    )
    command = f"python -m bench.talk --turns {options.turns} --runs {options.runs}"
    publish(RESULTS, command, {"talk": found})


if __name__ == "__main__":
    main()
