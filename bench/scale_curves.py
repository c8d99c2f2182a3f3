"""Growth curves of the stores that were measured: ``python -m bench.scale_curves``.

Draws what ``bench.scale`` published, each value over the number of memories, both logarithmic.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.scale import RESULTS
from hypermnesia.evals.plots import blank, style, svg_of
from hypermnesia.evals.results import read_json

IMAGE = Path("docs", "images", "scale-growth.svg")
STORES = ("SQLite", "PostgreSQL")
PANELS = (
    ("search, p50 ms", {"search, p50 ms": "all", "with a tag of 1 in 100, p50 ms": "1 in 100"}),
    ("memory at most, MB", {"peak resident memory, MB": "client"}),
    ("disk, MB", {"disk, bytes a memory": "store"}),
)
"""What each part of the picture shows: its title, and the rows that it draws with their names."""


def curves(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """The picture as SVG.

    Args:
        measured: by store, the published table.
    """
    with style():
        figure = blank()
        for axes, (title, rows) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
            for store, table in measured.items():
                sizes = [int(column.replace(",", "")) for column in table["columns"][1:]]
                for name, *values in (row for row in table["rows"] if row[0] in rows):
                    each = sizes if title == "disk, MB" else [1e6] * len(sizes)
                    shown = [v * n / 1e6 for v, n in zip(values, each, strict=True)]
                    axes.plot(sizes, shown, marker="o", label=f"{store}, {rows[name]}")
            axes.set(xscale="log", yscale="log", xlabel="memories", title=title)
            axes.legend()
        return svg_of(figure, "scale-growth")


def main() -> None:
    """Draw the picture of the page on scaling."""
    measured = {
        store: read_json(RESULTS / f"scale-{store.lower()}.json")["tables"]["growth"]
        for store in STORES
    }
    IMAGE.write_text(curves(measured), encoding="utf-8")


if __name__ == "__main__":
    main()
