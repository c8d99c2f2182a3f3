"""Speed and size of a store at 1k, 10k and 100k memories.

Every size runs in a process of its own, which first measures the bare encoder on the same
texts, so that rates compare within one run on one machine.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import apsw

from bench.passes import RESULTS as PASSES
from bench.service import RESULTS as SERVICE
from bench.talk import RESULTS as TALK
from bench.texts import memories, queries
from hypermnesia.config import build, load
from hypermnesia.engine import Engine
from hypermnesia.evals.machine import machine
from hypermnesia.evals.results import read_json, write_json
from hypermnesia.evals.stored import stored
from hypermnesia.evals.tables import markdown
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Encoding, OnnxEncoder

RESULTS = Path("results", "published", "performance.json")
"""What the page refers to."""
SIZES = (1_000, 10_000, 100_000)
INGESTED = 10_000
"""Texts that are encoded and judged at most, the last ones; to do so with more takes too long."""
QUERIES = 200
LENT = 10
"""Of so many earlier texts one is encoded, and lends its vectors to the others."""
PART = 20_000
"""Texts that are stored so at a time: the token vectors of all would fill the memory."""
TURNS = 5
"""Slices of an ingest that alternate with the bare encoder; each size is a multiple of it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one size gave. Rates in memories a second, times in milliseconds."""

    size: int
    bare_rate: float
    ingest_rate: float
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
        known = (encoder.encode_queries([text])[0] for text in queries)
        self._known = dict(zip(queries, known, strict=True))
        self._pool = cycle(pool)

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        return list(islice(self._pool, len(texts)))

    def encode_queries(self, texts: Sequence[str]) -> list[Encoding]:
        return [self._known[text] for text in texts]


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


def _filled(path: Path, texts: Sequence[str], encoder: OnnxEncoder) -> tuple[float, float]:
    """Fill the store; texts a second of the bare encoder and of the ingest, medians over slices.

    Both take turns on the same slices, so that what else the machine does meets both. What is
    there before the last :data:`INGESTED` texts has recycled vectors.
    """
    earlier, measured = texts[:-INGESTED], texts[-INGESTED:]
    for start in range(0, len(earlier), PART):
        part = earlier[start : start + PART]
        pool = _Replayed(encoder, (), encoder.encode(part[::LENT]))
        engine = replace(build(load(store=str(path), judge="off")), embedder=pool)
        with Memory(engine, "default") as memory:
            memory.add_many(part)
    step = len(measured) // TURNS
    with Memory.open(path) as memory:
        rates = [
            (_rate(lambda p=part: encoder.encode(p), step),
             _rate(lambda p=part: memory.add_many(p), step))
            for part in (measured[i : i + step] for i in range(0, len(measured), step))
        ]  # fmt: skip
    bare, ingest = zip(*rates, strict=True)
    return statistics.median(bare), statistics.median(ingest)


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


ROWS = (
    ("bare encoder, memories/s", "bare_rate", ".0f"),
    ("ingest (add_many), memories/s", "ingest_rate", ".0f"),
    ("ingest / bare encoder (goal 85%)", "ingest_share", ".0%"),
    ("one add, p50 ms", "add_p50", ".1f"),
    ("search, p50 ms", "search_p50", ".1f"),
    ("search, p95 ms", "search_p95", ".1f"),
    ("search without query embedding, p50 ms", "scan_p50", ".1f"),
    ("search without query embedding, p95 ms", "scan_p95", ".1f"),
    ("first search of a process, ms", "first_search", ".0f"),
    ("peak resident memory, MB", "resident_mb", ".0f"),
    ("disk, bytes a memory", "disk_bytes", ".0f"),
    ("of it token vectors", "token_bytes", ".0f"),
)
"""Of the table: what a row is called, which value it shows, and how."""


def results(measured: Sequence[Measured], on: Mapping[str, Any]) -> dict[str, Any]:
    """What the page refers to: the values as a table, and on what they were measured."""
    values = [asdict(m) | {"ingest_share": m.ingest_rate / m.bare_rate} for m in measured]
    return {
        "command": "python -m bench.performance",
        "machine": on,
        "date": datetime.now(UTC).date().isoformat(),
        "table": {
            "columns": ["", *(f"{m.size:,}" for m in measured)],
            "rows": [[name, *(each[field] for each in values)] for name, field, _ in ROWS],
            "format": [form for _, _, form in ROWS],
        },
    }


def report(found: Mapping[str, Any]) -> str:
    """The page ``docs/performance.md``."""
    on = found["machine"]
    return _PAGE.format(
        machine=f"{on['processor']}, {on['cores']} cores, {on['system']}, Python {on['python']}",
        load=on["load"],
        day=found["date"],
        file=RESULTS.as_posix(),
        table=markdown(stored(found["table"])),
        talk=markdown(stored(read_json(TALK)["tables"]["talk"])),
        talk_file=TALK.as_posix(),
        talk_command=read_json(TALK)["command"],
        passes={n: markdown(stored(table)) for n, table in read_json(PASSES)["tables"].items()},
        passes_file=PASSES.as_posix(),
        service_file=SERVICE.as_posix(),
        service={n: markdown(stored(table)) for n, table in read_json(SERVICE)["tables"].items()},
    )


_PAGE = """# Performance

Written by `make bench` (`python -m bench.performance`). Texts are made up and seeded
(`bench/texts.py`, about 32 words each); searches ask 200 questions once each, k = 10, with the
local judge. Each size is a process of its own; compare within a column. Of the 100,000 the
first 90,000 share the vectors of 9,000 of them and are stored unjudged, which costs a search the
same; the ingest is that of the last 10,000, in slices as large as those of the column before.

Machine: {machine}; load when it began: {load} <!-- eval: {file}#/machine/load tol=0.005 -->.
Date: {day}.

<!-- eval:table {file}#/table -->

{table}
<!-- /eval -->

Goals on a two-core machine: ingest at 85% of the bare encoder's rate or more; search
p50 at most 25 ms at 10,000 memories and 80 ms at 100,000, all included.

*First search* includes loading the scope's vectors, not the model. *Peak resident memory*
includes the model and the benchmark's own texts.

## Talk

One made-up conversation of two people, taken in and searched:
`{talk_command}`.
Slices of it are encoded bare and ingested in turn; the share is the median over the slices, and
falls as the store grows. It also depends on what else the machine does: Python slows down where the
encoder does not. Of the runs, each in a process of its own, the one with the middle share is shown.

<!-- eval:table {talk_file}#/tables/talk -->

{talk}
<!-- /eval -->

## Encoder

How the encoder makes its forward passes, against other ways, on slices of the same texts in turn:
`python -m bench.passes`. Speeds are shares of its own.

<!-- eval:table {passes_file}#/tables/rates -->

{passes[rates]}
<!-- /eval -->

What they cost beside their texts; padding is counted in pieces of text:

<!-- eval:table {passes_file}#/tables/costs -->

{passes[costs]}
<!-- /eval -->

## Service

A service in a process of its own, over 10,000 memories, and clients in a second process on the same
cores: `python -m bench.service`.

<!-- eval:table {service_file}#/tables/load -->

{service[load]}
<!-- /eval -->

Its memory under the widest load:

<!-- eval:table {service_file}#/tables/long -->

{service[long]}
<!-- /eval -->

The same search through MCP and as a call of the library:

<!-- eval:table {service_file}#/tables/calls -->

{service[calls]}
<!-- /eval -->
"""


def main() -> None:
    """Measure every size in a child process and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--write", type=Path, help=f"file that gets the page; {RESULTS} the values")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(asdict(measure(arguments.one, Path(folder)))))
        return
    on = machine()
    measured: list[Measured] = []
    for size in arguments.sizes:
        print(f"measuring {size:,} memories ...", file=sys.stderr)
        command = [sys.executable, "-m", "bench.performance", "--one", str(size)]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        measured.append(Measured(**json.loads(output.splitlines()[-1])))
    found = results(measured, on)
    page = report(found)
    if arguments.write:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        write_json(RESULTS, found)
        arguments.write.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
