"""``python -m torture``: faults and racing processes; ``--soak``: a long run."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from torture.faults import FAULTS, Budget, torture
from torture.servers import crashing

RESULTS = Path("results", "published", "durability.json")
"""What the page refers to."""
MINUTES = 10.0


def main() -> int:
    """Torture stores for a while; 1 if anything was lost, 2 for arguments that cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("--minutes", type=float, help=f"of the run; {MINUTES:g}, and 20 for a soak")
    parser.add_argument("--seed", type=int, default=1, help="of all chance")
    parser.add_argument("--only", choices=FAULTS, action="append", help="this fault; repeatable")
    parser.add_argument("--soak", action="store_true", help="watch what grows in a long run")
    parser.add_argument("--write", action="store_true", help=f"add the outcome to {RESULTS}")
    arguments = parser.parse_args()
    logging.disable(logging.ERROR)  # the product warns of every fault that it is served
    minutes = arguments.minutes or MINUTES
    chosen = arguments.only or list(FAULTS)
    shares = {name: FAULTS[name].share for name in chosen}
    with crashing() as server:
        tallies = [
            torture(
                name,
                arguments.seed,
                Budget(minutes * 60 * share / sum(shares.values())),
                server,
                lambda line: print(line, flush=True),
            )
            for name, share in shares.items()
        ]
    return int(any(tally.violations for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
