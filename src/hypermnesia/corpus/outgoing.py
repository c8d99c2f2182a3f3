"""A file of rows that is about to leave: written, then read back whole and searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hypermnesia.corpus.files import read_rows, write_rows
from hypermnesia.corpus.row import faults, is_whole
from hypermnesia.engine import RowFormat
from hypermnesia.store.outbox import Queued


@dataclass(slots=True)
class Written:
    """What a file holds. Mutable: filled while it is written and read.

    Attributes:
        ids: of its rows, in their order.
        scopes: whose rows they are.
        faulty: by id, why a row must not leave (names of rules and fields); a damaged one is not
            in the file at all. Empty: the file may leave.
    """

    ids: list[str] = field(default_factory=list[str])
    scopes: set[str] = field(default_factory=set[str])
    faulty: dict[str, str] = field(default_factory=dict[str, str])

    def bodies(self, rows: Iterable[Queued]) -> Iterator[str]:
        """The texts of the rows, while it is noted whose they are."""
        for row in rows:
            if row.body is None or not is_whole(row.id, row.body):
                self.faulty[row.id] = "it is damaged"
                continue
            self.ids.append(row.id)
            self.scopes.add(row.scope)
            yield row.body


def write(path: Path, rows: Iterable[Queued], kind: RowFormat) -> Written:
    """Write rows to a file and search what the file holds.

    Raises:
        InvalidInput: Parquet is asked for and not installed.
        CorpusError: the file cannot be written.
    """
    found = Written()
    write_rows(path, found.bodies(rows), kind)
    for row_id, row in zip(found.ids, read_rows(path, kind), strict=True):
        if reasons := faults(row):
            found.faulty[row_id] = f"the scan found {', '.join(reasons)}"
    return found
