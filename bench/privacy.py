"""What redaction finds, what it takes for a secret wrongly, and how long it takes.

``python -m bench.privacy --write docs/privacy.md`` replaces what the page says below its mark, and
keeps the values in ``results/published/privacy.json``, which the page refers to.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.privacy_data import HALVES, Labelled, positives
from bench.privacy_negatives import negatives
from hypermnesia.evals.machine import machine
from hypermnesia.evals.results import write_json
from hypermnesia.evals.stored import stored
from hypermnesia.evals.tables import markdown
from hypermnesia.privacy import redact
from hypermnesia.privacy.table import TOKENS

MARK = "<!-- Everything below is generated: python -m bench.privacy --write docs/privacy.md -->"
RESULTS = Path("results", "published", "privacy.json")
"""What the page refers to."""
GOALS = {"provider": 0.99, "assignment": 0.97, "spoken": 0.90}
"""Share of the secrets of a family that is to be masked whole."""
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


def found_by_family() -> dict[str, Any]:
    """A row for each family: share and number, in the part tuned on and the part held out."""
    totals = [Counter[str](), Counter[str]()]
    hits = [Counter[str](), Counter[str]()]
    for half in range(len(HALVES)):
        for labelled in positives(half):
            totals[half][labelled.family] += 1
            hits[half][labelled.family] += found(labelled)
    rows = [
        [family, *(cell for half in range(len(HALVES))
                   for cell in _share(hits[half][family], totals[half][family])),
         GOALS.get(family)]
        for family in totals[1]
    ]  # fmt: skip
    both = [_share(hits[half].total(), totals[half].total()) for half in range(len(HALVES))]
    rows.append(["all", *(cell for cells in both for cell in cells), None])
    return {
        "columns": ["family", *(name for half in HALVES for name in (half, "of")), "goal"],
        "rows": rows,
        "format": {"columns": [".1%", ",.0f"] * len(HALVES) + [".0%"]},
    }


def false_positives() -> dict[str, Any]:
    """A row for each part of the negatives."""
    rows: list[list[Any]] = []
    for half, name in enumerate(HALVES):
        lines = negatives(half)
        wrong = sum(bool(redact(line).findings) for line in lines)
        rows.append([name, len(lines), wrong, wrong / len(lines)])
    return {
        "columns": ["negatives", "lines", "masked", "share (goal at most 0.50%)"],
        "rows": rows,
        "format": {"columns": [",.0f", ",.0f", ".2%"]},
    }


def speed() -> dict[str, Any]:
    """Rows of times: one long text, and ten usual ones, of this repository's documents."""
    root = Path(__file__).parents[1]
    pages = [page.read_text("utf-8") for page in sorted((root / "docs").rglob("*.md"))]
    text = "\n".join(pages)
    while len(text) < LONG:
        text += text
    long = text[:LONG]
    ten = [text[i * 3_000 : i * 3_000 + SHORT] for i in range(10)]
    calls: list[tuple[str, Callable[[], Sequence[object]]]] = [
        (f"one text of {LONG:,} characters", lambda: [redact(long)]),
        ("the same, personal data too", lambda: [redact(long, personal=True)]),
        (f"ten texts of {SHORT} characters", lambda: [redact(short) for short in ten]),
    ]
    return {
        "columns": ["", "clock", "processor"],
        "rows": [[name, *_times(call)] for name, call in calls],
        "format": ".2f",
    }


def results() -> dict[str, Any]:
    """What the page refers to: every value, and on what it was measured."""
    return {
        "command": "python -m bench.privacy",
        "machine": machine(),
        "date": datetime.now(UTC).date().isoformat(),
        "rules": len(TOKENS),
        "services": len({rule.name for rule in TOKENS if rule.family == "provider"}),
        "found": found_by_family(),
        "wrong": false_positives(),
        "time": speed(),
    }


def report(values: Mapping[str, Any]) -> str:
    """The generated part of the page."""
    on = values["machine"]
    return _PAGE.format(
        file=RESULTS.as_posix(),
        rules=values["rules"],
        services=values["services"],
        day=values["date"],
        machine=f"{on['processor']}, {on['cores']} cores, {on['system']}, Python {on['python']}",
        load=on["load"],
        rounds=ROUNDS,
        **{name: markdown(stored(values[name])) for name in ("found", "wrong", "time")},
    )


_PAGE = """<!-- eval:file {file} -->

Rules with a form of their own: {rules} <!-- eval: #/rules tol=0.5 -->, for
{services} <!-- eval: #/services tol=0.5 --> kinds of provider credentials. Measured {day} on
{machine}; load when it began: {load} <!-- eval: #/machine/load tol=0.005 -->.

## Found

<!-- eval:table {file}#/found -->

{found}
<!-- /eval -->

## Taken for a secret wrongly

<!-- eval:table {file}#/wrong -->

{wrong}
<!-- /eval -->

## Time

Medians of {rounds} runs in milliseconds: on the clock of a machine that others use, too, and on
the processor's.

<!-- eval:table {file}#/time -->

{time}
<!-- /eval -->
"""


def _share(hits: int, total: int) -> tuple[float | None, int]:
    return (hits / total if total else None), total


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
    parser.add_argument(
        "--write",
        type=Path,
        help=f"page whose generated part is replaced; {RESULTS} gets the values",
    )
    arguments = parser.parse_args()
    values = results()
    text = report(values)
    if arguments.write is None:
        print(text)
        return
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    write_json(RESULTS, values)
    prose = arguments.write.read_text("utf-8").partition(MARK)[0]
    arguments.write.write_text(f"{prose}{MARK}\n\n{text}", "utf-8", newline="\n")


if __name__ == "__main__":
    main()
