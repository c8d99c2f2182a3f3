"""Speed and size of a store at 1k, 10k and 100k memories.

Every size runs in a process of its own, which first measures the bare encoder on the same
texts, so that rates compare within one run on one machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path

import apsw

from bench.texts import memories, queries
from hypermnesia.config import build, load
from hypermnesia.engine import Engine
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Encoding, OnnxEncoder

SIZES = (1_000, 10_000, 100_000)
INGESTED = 10_000
"""Largest store that is filled by encoding and judging every text; a larger one takes too long."""
QUERIES = 200
BARE_TEXTS = 2_000
TURNS = 5
"""Slices of an ingest that alternate with the bare encoder; each size is a multiple of it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one size gave. Rates in memories a second, times in milliseconds."""

    size: int
    bare_rate: float
    ingest_rate: float | None
    add_p50: float
    search_p50: float
    search_p95: float
    scan_p50: float
    scan_p95: float
    first_search: float
    resident_mb: float
    disk_bytes: float
    token_bytes: float


class _Replayed:
    """An embedder that answers from a table: searching, or filling a store, without encoding.

    Args:
        encoder: made the table.
        queries: texts whose encoding is known.
        pool: encodings that memories get in turn.
    """

    def __init__(
        self, encoder: OnnxEncoder, queries: Sequence[str], pool: Sequence[Encoding] = ()
    ) -> None:
        self.identity = encoder.identity
        self.dimension = encoder.dimension
        self._known = {text: encoder.encode_query(text) for text in queries}
        self._pool = cycle(pool)

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        return list(islice(self._pool, len(texts)))

    def encode_query(self, text: str) -> Encoding:
        return self._known[text]


def measure(size: int, folder: Path) -> Measured:
    """Ingest ``size`` memories into a new store and search it."""
    texts = list(memories(size))
    asked = queries(QUERIES)
    encoder = OnnxEncoder()
    encoder.encode(texts[:64])
    path = folder / f"{size}.db"
    bare, ingest = _filled(path, texts, encoder)
    with Memory.open(path) as memory:
        adds = [_timed(lambda text=text: memory.add(text)) for text in memories(40, seed=99)]
    with Memory.open(path) as memory:
        first = _timed(lambda: memory.search(asked[0]))
        times = [_timed(lambda q=q: memory.search(q)) for q in asked]
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    settings = load(store=str(path))
    scan = _scan_times(build(settings), encoder, asked)
    tokens, disk = _sizes(path)
    return Measured(
        size=size,
        bare_rate=bare,
        ingest_rate=ingest,
        add_p50=statistics.median(adds),
        search_p50=statistics.median(times),
        search_p95=_p95(times),
        scan_p50=statistics.median(scan),
        scan_p95=_p95(scan),
        first_search=first,
        resident_mb=resident / (1024 if sys.platform != "darwin" else 1024**2),
        disk_bytes=disk / size,
        token_bytes=tokens,
    )


def _filled(path: Path, texts: Sequence[str], encoder: OnnxEncoder) -> tuple[float, float | None]:
    """Fill the store; texts a second of the bare encoder and of the ingest.

    Both take turns on the same slices, so that what else the machine does meets both; medians.
    The ingest's rate is ``None`` if the vectors were recycled.
    """
    if len(texts) <= INGESTED:
        step = len(texts) // TURNS
        with Memory.open(path) as memory:
            rates = [
                (_rate(lambda p=part: encoder.encode(p), step),
                 _rate(lambda p=part: memory.add_many(p), step))
                for part in (texts[i : i + step] for i in range(0, len(texts), step))
            ]  # fmt: skip
        bare, ingest = zip(*rates, strict=True)
        return statistics.median(bare), statistics.median(ingest)
    bare = _rate(lambda: encoder.encode(texts[-BARE_TEXTS:]), BARE_TEXTS)
    pool = encoder.encode(texts[:BARE_TEXTS])
    engine = build(load(store=str(path), judge="off"))
    memory = Memory(replace(engine, embedder=_Replayed(encoder, (), pool)), "default")
    memory.add_many(texts)
    memory.close()
    return bare, None


def _scan_times(engine: Engine, encoder: OnnxEncoder, asked: Sequence[str]) -> list[float]:
    memory = Memory(replace(engine, embedder=_Replayed(encoder, asked)), "default")
    memory.search(asked[0])
    times = [_timed(lambda q=q: memory.search(q)) for q in asked]
    memory.close()
    return times


def _sizes(path: Path) -> tuple[float, int]:
    """Mean bytes of token vectors a memory, and bytes of the file."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    mean = float(connection.execute("SELECT avg(length(tokens)) FROM vectors").get or 0)
    connection.close()
    return mean, path.stat().st_size


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def _rate(call: Callable[[], object], number: int) -> float:
    return number / (_timed(call) / 1000)


def _p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def report(measured: Sequence[Measured]) -> str:
    """The page ``docs/performance.md``."""
    rows = [
        ("bare encoder, memories/s", [f"{m.bare_rate:.0f}" for m in measured]),
        (
            "ingest (`add_many`), memories/s",
            [f"{m.ingest_rate:.0f}" if m.ingest_rate else "" for m in measured],
        ),
        (
            "ingest / bare encoder (goal 85%)",
            [f"{m.ingest_rate / m.bare_rate:.0%}" if m.ingest_rate else "" for m in measured],
        ),
        ("one `add`, p50 ms", [f"{m.add_p50:.1f}" for m in measured]),
        ("search, p50 ms", [f"{m.search_p50:.1f}" for m in measured]),
        ("search, p95 ms", [f"{m.search_p95:.1f}" for m in measured]),
        ("search without query embedding, p50 ms", [f"{m.scan_p50:.1f}" for m in measured]),
        ("search without query embedding, p95 ms", [f"{m.scan_p95:.1f}" for m in measured]),
        ("first search of a process, ms", [f"{m.first_search:.0f}" for m in measured]),
        ("peak resident memory, MB", [f"{m.resident_mb:.0f}" for m in measured]),
        ("disk, bytes a memory", [f"{m.disk_bytes:.0f}" for m in measured]),
        ("of it token vectors", [f"{m.token_bytes:.0f}" for m in measured]),
    ]
    header = "| | " + " | ".join(f"{m.size:,}" for m in measured) + " |"
    rule = "|---|" + "---:|" * len(measured)
    body = [f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows]
    return "\n".join((_PREFACE.format(machine=_machine(), day=datetime.now(UTC).date()), header,
                      rule, *body, "", _GOALS))  # fmt: skip


_PREFACE = """# Performance

Written by `make bench` (`python -m bench.performance`). Texts are made up and seeded
(`bench/texts.py`, about 32 words each); searches ask 200 questions once each, k = 10, with the
local judge. Each size is a process of its own; compare within a column. The store of 100,000 is
filled with the vectors of 2,000 of its texts, in turn and unjudged, which costs a search the same.

Machine: {machine}. Date: {day}.
"""
_GOALS = """Goals on a two-core machine: ingest at 85% of the bare encoder's rate or more; search
p50 at most 25 ms at 10,000 memories and 80 ms at 100,000, all included.

*First search* includes loading the scope's vectors, not the model. *Peak resident memory*
includes the model and the benchmark's own texts.
"""


def _machine() -> str:
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [ln for ln in cpuinfo.read_text().splitlines() if ln.startswith("model name")]
        model = names[0].split(":")[1].strip() if names else model
    python = platform.python_version()
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {python}"


def main() -> None:
    """Measure every size in a child process and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--write", type=Path, help="file that gets the page")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(asdict(measure(arguments.one, Path(folder)))))
        return
    measured: list[Measured] = []
    for size in arguments.sizes:
        print(f"measuring {size:,} memories ...", file=sys.stderr)
        command = [sys.executable, "-m", "bench.performance", "--one", str(size)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        measured.append(Measured(**json.loads(output.splitlines()[-1])))
    page = report(measured)
    if arguments.write:
        arguments.write.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
