"""What redaction finds, what it takes for a secret wrongly, and how long it takes.

``python -m bench.privacy --write docs/privacy.md`` replaces what the page says below its mark.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.privacy_data import HALVES, Labelled, positives
from bench.privacy_negatives import negatives
from hypermnesia.privacy import redact
from hypermnesia.privacy.table import TOKENS

MARK = "<!-- Everything below is generated: python -m bench.privacy --write docs/privacy.md -->"
GOALS = {"provider": 99.0, "assignment": 97.0, "spoken": 90.0}
"""Percent of the secrets of a family that are to be masked whole."""
LONG = 64_000
"""Characters of the longest content that a memory may have."""
SHORT = 200
"""Characters of a usual one."""
ROUNDS = 50


def found(labelled: Labelled) -> bool:
    """Whether one finding covers the whole secret."""
    start = labelled.text.index(labelled.secret)
    end = start + len(labelled.secret)
    findings = redact(labelled.text, labelled.personal).findings
    return any(f.start <= start and end <= f.end for f in findings)


def recall() -> Iterator[str]:
    """A row of the table for each family: found of all, in the part tuned on and held out."""
    totals = [Counter[str](), Counter[str]()]
    hits = [Counter[str](), Counter[str]()]
    for half in range(len(HALVES)):
        for labelled in positives(half):
            totals[half][labelled.family] += 1
            hits[half][labelled.family] += found(labelled)
    for family in totals[1]:
        goal = f"{GOALS[family]:.0f}%" if family in GOALS else ""
        cells = [_share(hits[half][family], totals[half][family]) for half in range(len(HALVES))]
        yield f"| {family} | {' | '.join(cells)} | {goal} |"
    cells = [_share(hits[half].total(), totals[half].total()) for half in range(len(HALVES))]
    yield f"| all | {' | '.join(cells)} | |"


def false_positives() -> Iterator[str]:
    """A row for each part of the negatives."""
    for half, name in enumerate(HALVES):
        lines = negatives(half)
        wrong = sum(bool(redact(line).findings) for line in lines)
        yield f"| {name} | {len(lines):,} | {wrong} | {wrong / len(lines):.2%} |"


def speed() -> Iterator[str]:
    """Rows of times: one long text, and ten usual ones, of this repository's documents."""
    root = Path(__file__).parents[1]
    pages = [page.read_text("utf-8") for page in sorted((root / "docs").rglob("*.md"))]
    text = "\n".join(pages)
    while len(text) < LONG:
        text += text
    long = text[:LONG]
    ten = [text[i * 3_000 : i * 3_000 + SHORT] for i in range(10)]
    for name, call in (
        (f"one text of {LONG:,} characters", lambda: [redact(long)]),
        ("the same, personal data too", lambda: [redact(long, personal=True)]),
        (f"ten texts of {SHORT} characters", lambda: [redact(short) for short in ten]),
    ):
        wall, cpu = _times(call)
        yield f"| {name} | {wall:.2f} | {cpu:.2f} |"


def report() -> str:
    """The generated part of the page."""
    services = len({rule.name for rule in TOKENS if rule.family == "provider"})
    machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    lines = [
        f"Rules with a form of their own: {len(TOKENS)}, for {services} kinds of provider"
        f" credentials. Measured {datetime.now(UTC):%Y-%m-%d} on {machine}.",
        "",
        "## Found",
        "",
        f"| family | {' | '.join(HALVES)} | goal |",
        "|---|---:|---:|---:|",
        *recall(),
        "",
        "## Taken for a secret wrongly",
        "",
        "| negatives | lines | masked | share (goal at most 0.50%) |",
        "|---|---:|---:|---:|",
        *false_positives(),
        "",
        "## Time",
        "",
        f"Medians of {ROUNDS} runs in milliseconds: on the clock of a machine that others use, too,"
        " and on the processor's.",
        "",
        "| | clock | processor |",
        "|---|---:|---:|",
        *speed(),
    ]
    return "\n".join(lines) + "\n"


def _share(hits: int, total: int) -> str:
    return f"{hits / total:.1%} of {total:,}" if total else ""


def _times(call: Callable[[], Sequence[object]]) -> tuple[float, float]:
    """Median milliseconds: wall clock and this thread's processor time."""
    wall, cpu = list[float](), list[float]()
    for _ in range(ROUNDS):
        started, used = time.perf_counter(), time.thread_time()
        call()
        wall.append((time.perf_counter() - started) * 1e3)
        cpu.append((time.thread_time() - used) * 1e3)
    return statistics.median(wall), statistics.median(cpu)


def main() -> None:
    """Measure, and print the report or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="page whose generated part is replaced")
    arguments = parser.parse_args()
    text = report()
    if arguments.write is None:
        print(text)
        return
    prose = arguments.write.read_text("utf-8").partition(MARK)[0]
    arguments.write.write_text(f"{prose}{MARK}\n\n{text}", "utf-8", newline="\n")


if __name__ == "__main__":
    main()
