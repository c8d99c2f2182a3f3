"""Writing what is queued, and what left and is still kept, to a file of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hypermnesia.corpus.files import format_of, replacing
from hypermnesia.corpus.outgoing import write
from hypermnesia.engine import Engine, RowFormat


@dataclass(frozen=True, slots=True)
class Exported:
    """The outcome of an export.

    Attributes:
        rows: written.
        withheld: left out, because the scan of the file found something in them.
    """

    rows: int
    withheld: int


def export_corpus(
    engine: Engine, path: Path, scope: str | None = None, kind: RowFormat | None = None
) -> Exported:
    """Write the rows (of a scope) to a file, oldest first; nothing in the queue changes.

    The file appears whole or not at all, and is scanned before it does.

    Args:
        engine: whose store.
        path: the file.
        scope: only its rows; ``None`` = those of every scope that agrees.
        kind: its format; ``None`` = Parquet if its name ends in ``.parquet``, else JSON lines.

    Raises:
        InvalidInput: the file may not be replaced, or Parquet is not installed.
        CorpusError: the file cannot be written.
    """
    path = path.resolve()
    withheld = set[str]()
    with replacing(path) as temporary:
        while True:
            rows = (row for row in engine.store.queued(scope) if row.id not in withheld)
            found = write(temporary, rows, kind or format_of(path))
            withheld |= found.faulty.keys()
            # Consent may have been withdrawn while the file was written.
            if not found.faulty and found.scopes <= engine.store.consenting().keys():
                return Exported(len(found.ids), len(withheld))
