"""From process start to the first answered search over MCP, in both protocol eras.

    python -m bench.mcp_startup [--memories 1000] [--rounds 7] [--store FILE]

Fills a store (unless one is named), then starts ``hypermnesia mcp`` on it again and again,
speaks to it in raw JSON lines as an agent does, and reports medians. Times are wall clock;
the load of the machine is printed beside them, because it decides them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any, NamedTuple

from bench.texts import memories
from hypermnesia import Memory

SERVER = "from hypermnesia.cli import main; main()"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
SEARCH = {"name": "memory_search", "arguments": {"query": "what does billing use now?"}}


class Start(NamedTuple):
    """Seconds from the start of the process to the first answered search and its CPU seconds."""

    wall: float
    cpu: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or filled(Path(folder) / "memory.db", options.memories)
        starts = {"handshake": handshake, "2026-07-28": modern}
        for era, opening in starts.items():
            rounds = [measured(store, opening) for _ in range(options.rounds)]
            walls = sorted(start.wall for start in rounds)
            print(
                f"{era:12} median {statistics.median(walls):.2f} s"
                f" (fastest {walls[0]:.2f}, slowest {walls[-1]:.2f}),"
                f" cpu {statistics.median(start.cpu for start in rounds):.2f} s,"
                f" load {os.getloadavg()[0]:.1f}"
            )


def filled(store: Path, count: int) -> Path:
    """A store with so many memories of realistic text."""
    with Memory.open(store) as memory:
        memory.add_many(memories(count))
    return store


def measured(store: Path, opening: Any) -> Start:
    """One start."""
    before = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, "mcp", "--store", str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None  # noqa: S101 - for the type checker
        assert server.stdout is not None  # noqa: S101 - the same
        opening(server.stdin, server.stdout)
        wall = time.perf_counter() - before
        server.stdin.close()
        _, status, usage = os.wait4(server.pid, 0)
        server.returncode = os.waitstatus_to_exitcode(status)
    return Start(wall, usage.ru_utime + usage.ru_stime)


def handshake(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Open as a client of 2025-11-25 does, and search."""
    send(stdin, {"id": 1, "method": "initialize", "params": HANDSHAKE})
    receive(stdout)
    send(stdin, {"method": "notifications/initialized"})
    send(stdin, {"id": 2, "method": "tools/call", "params": SEARCH})
    receive(stdout)


def modern(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Search at once, each request in its own envelope."""
    send(stdin, {"id": 1, "method": "tools/call", "params": {**SEARCH, "_meta": ENVELOPE}})
    receive(stdout)


def send(stdin: IO[bytes], message: dict[str, Any]) -> None:
    """Write one message."""
    stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    stdin.flush()


def receive(stdout: IO[bytes]) -> None:
    """Read one answer, which must be a result with hits."""
    answer = json.loads(stdout.readline())
    result = answer["result"]
    if "protocolVersion" not in result and not result["structuredContent"]["memories"]:
        raise SystemExit(f"unexpected answer: {json.dumps(answer)[:400]}")


if __name__ == "__main__":
    main()
