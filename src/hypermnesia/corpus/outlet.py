"""The folder that batches go to, and what tells of them there and on the hub."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypermnesia.corpus.files import write_document
from hypermnesia.corpus.row import COLUMNS, disguised
from hypermnesia.engine import CorpusPolicy, Engine
from hypermnesia.errors import CorpusError, InvalidInput
from hypermnesia.identity import new_id
from hypermnesia.store.outbox import Queued
from hypermnesia.store.protocol import Store


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where the batches of one store go.

    Attributes:
        folder: exists; several stores may share it.
        origin: stands for the store in names of files.
    """

    folder: Path
    origin: str
    policy: CorpusPolicy
    store: Store

    @classmethod
    def of(cls, engine: Engine) -> Outlet:
        """The configured one; its folder is made when it is missing.

        Raises:
            InvalidInput: none is configured.
            CorpusError: it cannot be made.
        """
        folder = engine.corpus.folder
        if folder is None:
            raise InvalidInput("no folder for judgements is configured; set corpus_folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CorpusError(
                f"{folder} cannot be made ({error.strerror}); name another corpus_folder"
            ) from error
        origin = disguised("store", engine.store.corpus_salt())
        return cls(folder.resolve(), origin, engine.corpus, engine.store)

    def name(self) -> str:
        """A name for a new batch, which says its format."""
        return f"{new_id()}.{self.policy.format}"

    def path(self, batch: str) -> Path:
        """The file of a batch."""
        return self.folder / f"corpus-{self.origin}-{batch}"

    def tidy(self) -> None:
        """Remove what a process that died had not finished writing."""
        for stray in self.folder.glob(f".corpus-{self.origin}*.tmp"):
            with suppress(OSError):
                stray.unlink()

    def parcel(self, path: Path, rows: Sequence[Queued]) -> Mapping[str, bytes]:
        """What goes to the hub, by path: the file of a batch, and the totals with it."""
        totals = json.dumps(self._totals(rows), indent=2) + "\n"
        return {
            f"data/{path.name}": path.read_bytes(),
            f"metadata/{self.origin}.json": totals.encode(),
        }

    def describe(self, rows: Sequence[Queued]) -> None:
        """Write the totals beside the files.

        Args:
            rows: leave now, and are not counted in the store yet.
        """
        write_document(self.folder / f"corpus-{self.origin}.json", self._totals(rows))

    def _totals(self, leaving: Sequence[Queued]) -> dict[str, Any]:
        """How many rows left this store, and how many did not."""
        uploaded = Counter[str](row.use_case for row in leaving)
        other = Counter[str]()
        for tally in self.store.tallies(None):
            uploaded[tally.use_case] += tally.uploaded
            for name in ("error", "unredacted", "dropped"):
                other[name] += getattr(tally, name)
        return {
            "origin": self.origin,
            "columns": list(COLUMNS),
            "rows": uploaded.total(),
            "by_use_case": dict(sorted(uploaded.items())),
            "withheld": other["error"],
            "unredacted": other["unredacted"],
            "dropped": other["dropped"],
        }
