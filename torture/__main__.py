"""``python -m torture``: faults and racing processes; ``--soak``: a long run."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypermnesia.evals.machine import machine
from hypermnesia.evals.results import read_json, write_json
from torture.faults import FAULTS, Budget, torture
from torture.report import Tally, soaked, table
from torture.servers import crashing
from torture.soak import soak

RESULTS = Path("results", "published", "durability.json")
"""What the page refers to."""
MINUTES = 10.0
SOAK_MINUTES = 20.0


def main() -> int:
    """Torture stores for a while; 1 if anything was lost or grew, 2 for unusable arguments."""
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    told = f"of the run; {MINUTES:g} if not given, and {SOAK_MINUTES:g} for a soak"
    parser.add_argument("--minutes", type=float, help=told)
    parser.add_argument("--seed", type=int, default=1, help="of all chance")
    parser.add_argument("--only", choices=FAULTS, action="append", help="this fault; repeatable")
    parser.add_argument("--soak", action="store_true", help="watch what grows in a long run")
    parser.add_argument("--write", action="store_true", help=f"put the outcome into {RESULTS}")
    arguments = parser.parse_args()
    logging.disable(logging.ERROR)  # the product warns of every fault that it is served
    if arguments.soak:
        return _soak(arguments.minutes or SOAK_MINUTES, arguments.seed, write=arguments.write)
    minutes = arguments.minutes or MINUTES
    return _torture(arguments.only or list(FAULTS), minutes, arguments.seed, write=arguments.write)


def _torture(names: Sequence[str], minutes: float, seed: int, *, write: bool) -> int:
    on, shares = machine(), {name: FAULTS[name].share for name in names}
    tallies: list[Tally] = []
    with crashing() as server:
        for name, share in shares.items():
            budget = Budget(minutes * 60 * share / sum(shares.values()))
            tallies.append(torture(name, seed, budget, server, _tell))
    if write:
        _write("faults", {"machine": on, "minutes": minutes, "seed": seed, "table": table(tallies)})
    return int(any(tally.found for tally in tallies))


def _soak(minutes: float, seed: int, *, write: bool) -> int:
    on = machine()
    growths, verbs = soak(minutes, seed, _tell)
    for one in growths:
        verdict = "grew" if one.grew else "stayed"
        _tell(f"{one.name}: {one.first:.1f}, then {one.second:.1f}: {verdict}")
    if write:
        done = {"machine": on, "minutes": minutes, "seed": seed, "verbs": verbs}
        _write("soak", done | {"table": soaked(growths)})
    return int(any(one.grew for one in growths))


def _write(part: str, found: Mapping[str, Any]) -> None:
    """Put one part into the results, and leave the other."""
    known = read_json(RESULTS) if RESULTS.exists() else {"command": "python -m torture"}
    date = datetime.now(UTC).date().isoformat()
    write_json(RESULTS, known | {part: {"date": date, **found}})


def _tell(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
