"""A billion memories on paper: ``python -m bench.scale_plan``, from what ``bench.scale`` measured.

Every scope lives on one worker, and a search asks one scope: workers add up. What a worker bears
is therefore a matter of its disk, of the memory that its hot vectors and words need, and of its
processors. The plan divides; nothing of it was run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.published import publish
from bench.scale import RESULTS
from hypermnesia.evals.results import read_json
from hypermnesia.evals.stored import storable

MEMORIES = 1_000_000_000
WORKERS = (8, 16, 32, 64)
CORES = 16
"""Of a worker."""
DISK_TB, MEMORY_GB = 4.0, 128.0
"""Of a worker."""
HEADROOM = 1.4
"""Disk beside the rows: dead rows until a vacuum, write-ahead log, an index built anew."""
HOT = 0.1
"""Share of the memories whose scopes are searched within the hours that a page stays cached."""
USED = 0.6
"""Share of the processors that searches get; the rest writes, vacuums and replicates."""


def plan(measured: Mapping[str, float]) -> dict[str, Any]:
    """The table: a column for each number of workers.

    Args:
        measured: ``disk`` and ``index`` bytes a memory, ``search`` milliseconds.
    """
    each = [MEMORIES / workers for workers in WORKERS]
    disk = [memories * measured["disk"] * HEADROOM / 1e12 for memories in each]
    vectors = [memories * measured["index"] / 1e9 for memories in each]
    hot = [memories * HOT * measured["disk"] / 1e9 for memories in each]
    searches = [workers * CORES * USED * 1000 / measured["search"] for workers in WORKERS]
    fits = [
        float(tera <= DISK_TB and giga <= MEMORY_GB) for tera, giga in zip(disk, hot, strict=True)
    ]
    both = [2 * workers * tera for workers, tera in zip(WORKERS, disk, strict=True)]
    rows = [
        ("memories a worker, millions", [memories / 1e6 for memories in each], ",.0f"),
        ("disk a worker with headroom, TB", disk, ".1f"),
        ("vector index a worker, GB", vectors, ",.0f"),
        ("pages of hot scopes a worker, GB", hot, ",.0f"),
        ("fits 4 TB and 128 GB (1 = yes)", fits, ".0f"),
        ("searches/s, all workers", searches, ",.0f"),
        ("with one standby each, TB in all", both, ",.0f"),
    ]
    return storable(
        "A billion memories",
        ("workers", *map(str, WORKERS)),
        [(name, *values) for name, values, _ in rows],
        [form for _, _, form in rows],
    )


def largest(path: Path) -> Mapping[str, float]:
    """What was measured of the largest store."""
    rows = {row[0]: row[-1] for row in read_json(path)["tables"]["growth"]["rows"]}
    return {
        "disk": rows["disk, bytes a memory"],
        "index": rows["of it the vector index"],
        "search": rows["search, p50 ms"],
    }


def main() -> None:
    """Divide and publish."""
    found = plan(largest(RESULTS / "scale-postgresql.json"))
    publish(RESULTS / "scale-plan.json", "python -m bench.scale_plan", {"plan": found})


if __name__ == "__main__":
    main()
