"""Results that pages refer to: a file for each measurement, under ``results/published/``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypermnesia.evals.machine import machine
from hypermnesia.evals.results import write_json
from hypermnesia.evals.stored import stored
from hypermnesia.evals.tables import markdown


def publish(path: Path, command: str, tables: Mapping[str, dict[str, Any]]) -> None:
    """Print the tables of a measurement and keep them where pages refer to them.

    Args:
        path: the results file.
        command: what measured them.
        tables: by name, each as :func:`hypermnesia.evals.stored.storable` makes it.
    """
    for found in tables.values():
        print(f"\n### {found['caption']}\n\n{markdown(stored(found))}")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {
        "command": command,
        "machine": machine(),
        "date": datetime.now(UTC).date().isoformat(),
        "tables": dict(tables),
    })  # fmt: skip
