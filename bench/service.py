"""The service under load: ``python -m bench.service [--memories 10000] [--seconds 30]``.

A service in a process of its own is filled, and then asked by clients in this one: nine searches
for each add. Then MCP tool calls over HTTP are compared with the same calls of the library. The
load then goes on for ``--minutes`` at the widest, and the memory of the service is watched. The
values go to ``results/published/service.json``.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from bench.published import publish
from bench.texts import memories, queries
from hypermnesia.client import Client
from hypermnesia.evals.stored import storable
from hypermnesia.memory import Memory

RESULTS = Path("results", "published", "service.json")
"""What the page refers to."""
CLIENTS = (1, 8, 32)
SEARCHES_PER_ADD = 9
TOOL_CALLS = 100
SAMPLE = 5.0
"""Seconds between two looks at the service's memory."""


@dataclass(slots=True)
class Load:
    """What so many clients saw; times in milliseconds."""

    clients: int
    searches: list[float] = field(default_factory=list[float])
    adds: list[float] = field(default_factory=list[float])
    added: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])

    def summary(self, seconds: float) -> dict[str, Any]:
        """Percentiles, rate, and what went wrong."""
        total = len(self.searches) + len(self.adds)
        return {
            "clients": self.clients,
            "requests": total,
            "per_second": round(total / seconds, 1),
            "search": percentiles(self.searches),
            "add": percentiles(self.adds),
            "errors": len(self.errors),
            "kinds": sorted(set(self.errors)),
        }


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """p50, p95 and p99 in milliseconds."""
    if len(times) < 2:
        return {}
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {f"p{share}": round(cuts[share - 1], 1) for share in (50, 95, 99)}


@contextmanager
def service(store: Path) -> Generator[tuple[str, int]]:
    """A service in a process of its own: its address and process."""
    child = subprocess.Popen(
        [
            sys.executable, "-c", "from hypermnesia.cli import main; main()",
            "serve", "--port", "0", "--store", str(store),
        ],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    if child.stderr is None:
        raise TypeError("its standard error is a pipe")
    try:
        found = None
        while found is None:
            line = child.stderr.readline()
            if not line:
                raise RuntimeError("the service did not start")
            found = re.search(r"serving (\S+) ", line)
        threading.Thread(target=child.stderr.read, daemon=True).start()
        yield found[1], child.pid
    finally:
        child.terminate()
        child.wait(120)


def press(address: str, clients: int, seconds: float, numbers: count[int]) -> Load:
    """Let so many clients ask as fast as they are answered."""
    load, end = Load(clients), time.monotonic() + seconds
    asked = queries(500)

    def work(which: int) -> None:
        with Client(address) as client:
            for turn in count(which):
                if time.monotonic() > end:
                    return
                began = time.perf_counter()
                try:
                    if turn % (SEARCHES_PER_ADD + 1):
                        client.search(asked[turn % len(asked)])
                        kept = load.searches
                    else:
                        text = f"Ticket {next(numbers)} was closed by team {turn % 7}"
                        load.added.append(client.add(text, pin=True).id)
                        kept = load.adds
                except Exception as error:  # noqa: BLE001 - counted, and told by its kind
                    load.errors.append(type(error).__name__)
                else:
                    kept.append((time.perf_counter() - began) * 1000)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return load


def resident(pid: int) -> float:
    """Megabytes that a process has in memory; Linux."""
    text = Path(f"/proc/{pid}/status").read_text("ascii")
    found = re.search(r"VmRSS:\s+(\d+)", text)
    return int(found[1]) / 1024 if found else 0.0


def soak(address: str, pid: int, seconds: float, numbers: count[int]) -> dict[str, Any]:
    """The widest load for long: what the service's memory does meanwhile."""
    sizes: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(SAMPLE):
            sizes.append(resident(pid))

    watching = threading.Thread(target=watch)
    watching.start()
    load = press(address, CLIENTS[-1], seconds, numbers)
    over.set()
    watching.join()
    quarter = max(len(sizes) // 4, 1)
    return load.summary(seconds) | {
        "mb_first_quarter": round(statistics.median(sizes[:quarter]), 1) if sizes else None,
        "mb_last_quarter": round(statistics.median(sizes[-quarter:]), 1) if sizes else None,
        "lost": lost(address, load.added),
    }


def lost(address: str, added: Sequence[str]) -> int:
    """Acknowledged adds that are not there."""
    with Client(address) as client:
        there = set[str]()
        cursor = None
        while True:
            page = client.list(limit=1000, cursor=cursor, status=("active", "superseded"))
            there |= {node.id for node in page}
            cursor = page.cursor
            if cursor is None:
                return len(set(added) - there)


def calls(address: str, store: Path) -> dict[str, Any]:
    """A search as an MCP tool call over HTTP, and as a call of the library."""
    asked = queries(TOOL_CALLS)
    with Memory.open(store) as memory:
        memory.search(asked[0])
        library: list[float] = []
        for query in asked:
            began = time.perf_counter()
            memory.search(query)
            library.append((time.perf_counter() - began) * 1000)

    async def over_http() -> list[float]:
        times: list[float] = []
        async with (
            httpx2.AsyncClient(timeout=120) as http,
            McpClient(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            await client.call_tool("memory_search", {"query": asked[0]})
            for query in asked:
                began = time.perf_counter()
                await client.call_tool("memory_search", {"query": query})
                times.append((time.perf_counter() - began) * 1000)
        return times

    tool = asyncio.run(over_http())
    return {
        "library": percentiles(library),
        "mcp": percentiles(tool),
        "overhead_p50_ms": round(statistics.median(tool) - statistics.median(library), 1),
    }


@dataclass(frozen=True, slots=True)
class Arguments:
    """What to measure."""

    memories: int
    seconds: float
    minutes: float


def tables(found: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The tables that the page shows."""
    loads, long, calls = found["loads"], found["soak"], found["calls"]
    caption = "Nine searches for each add, by clients that ask as fast as they are answered"
    load_columns = ("", *(f"{load['clients']} at once" for load in loads))
    load = storable(caption, load_columns, _load_rows(loads), _FORMATS)
    held = [
        ("minutes", found["minutes"]),
        *((name, value) for name, value in _load_rows([long])),
        ("memory in the first quarter, MB", long["mb_first_quarter"]),
        ("memory in the last quarter, MB", long["mb_last_quarter"]),
    ]
    sides = (("library", calls["library"]), ("MCP tool over HTTP", calls["mcp"]))
    return {
        "load": load,
        "long": storable("The widest load, for long", ("", "value"), held, ".0f"),
        "calls": storable(
            "One search, ms",
            ("", "p50", "p95", "p99"),
            [(name, *(each[share] for share in ("p50", "p95", "p99"))) for name, each in sides],
            ".1f",
        ),
    }


_TIMES = [(kind, share) for kind in ("search", "add") for share in ("p50", "p95", "p99")]
_FORMATS = [".1f", *(".0f" for _ in _TIMES), ".0f", ".0f"]


def _load_rows(loads: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        ("requests a second", *(load["per_second"] for load in loads)),
        *(
            (f"{kind}, {share} ms", *(load[kind][share] for load in loads))
            for kind, share in _TIMES
        ),
        ("errors", *(load["errors"] for load in loads)),
        ("acknowledged adds lost", *(load["lost"] for load in loads)),
    ]


def main() -> None:
    """Measure, print tables and write the values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=30.0, help="for each number of clients")
    parser.add_argument("--minutes", type=float, default=10.0, help="of the long run")
    given = Arguments(**vars(parser.parse_args()))
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        with Memory.open(store) as memory:
            memory.add_many([{"content": text, "pin": True} for text in memories(given.memories)])
        numbers = count()
        with service(store) as (address, pid):
            loads: list[dict[str, Any]] = []
            for clients in CLIENTS:
                load = press(address, clients, given.seconds, numbers)
                lacking = lost(address, load.added)
                loads.append(load.summary(given.seconds) | {"lost": lacking})
            found = {**asdict(given), "loads": loads, "calls": calls(address, store)}
            found["soak"] = soak(address, pid, given.minutes * 60, numbers)
    command = f"python -m bench.service --memories {given.memories} --minutes {given.minutes:g}"
    publish(RESULTS, command, tables(found))


if __name__ == "__main__":
    main()
