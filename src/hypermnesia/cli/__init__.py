"""The command line: ``hypermnesia``, or ``hm`` for short."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line on ``sys.argv`` and exit with its status.

    The status is 0, 1 (a reported failure), 2 (usage), 130 (interrupted) or 141 (the reader
    of the output went away).
    """
    # A process may be started without one of these; what is written then goes nowhere.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123, SIM115 - kept open
            setattr(sys, name, nothing)
    try:
        from hypermnesia.cli.app import run  # noqa: PLC0415 - Ctrl-C may come while it loads

        run()
    except KeyboardInterrupt:
        sys.exit(130)
