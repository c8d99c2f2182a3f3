"""Hypermnesia itself, used like any application uses it: through :class:`Memory`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypermnesia.evals.adapters.protocol import Found, Item
from hypermnesia.memory import Memory
from hypermnesia.types import Added

SCOPE = "comparison"
PAGE = 1_000
"""Memories listed at once."""


class Own:
    """Utterances are ingested as a conversation and found as turns; other texts are added.

    A text that occurs twice is one memory; it stands for the ids of both.

    Args:
        memory: an empty one; it is closed with the adapter.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._texts: dict[str, list[str]] = {}
        self._talk = False

    def add(self, items: Sequence[Item]) -> int:
        """Ingest what was said, in order, and add what was not."""
        said = [item.said for item in items if item.said]
        refused = self._add([item for item in items if not item.said])
        if said:
            self._talk = True
            report = self._memory.ingest(said, scope=SCOPE)
            refused += report.refused + len(report.failed)
        return refused

    def search(self, query: str, k: int) -> list[Found]:
        """The turns of a conversation, or else whatever answers."""
        levels = "turn" if self._talk and not self._texts else None
        hits = self._memory.search(query, scope=SCOPE, k=k, levels=levels)
        best: dict[str, float] = {}
        for hit in hits:
            for name in self._texts.get(hit.id) or hit.sources:
                best.setdefault(name, hit.score)
        return [Found(*pair) for pair in list(best.items())[:k]]

    def delete(self, ids: Sequence[str]) -> None:
        """Forget the memories; with a turn go the facts that it alone told."""
        gone = set(ids)
        chosen = [memory for memory, names in self._texts.items() if gone.intersection(names)]
        for memory in chosen:
            del self._texts[memory]
        if self._talk:
            chosen += [memory for memory, turn in self._turns() if turn in gone]
        if chosen:
            self._memory.forget(ids=chosen, scope=SCOPE)

    def reset(self) -> None:
        """Forget the scope."""
        self._memory.forget(scope=SCOPE)
        self._texts.clear()
        self._talk = False

    def close(self) -> None:
        """Close the store."""
        self._memory.close()

    def _add(self, items: Sequence[Item]) -> int:
        drafts = ({"content": item.text, "at": item.at} for item in items)
        refused = 0
        for item, outcome in zip(items, self._memory.add_many(drafts, scope=SCOPE), strict=True):
            if isinstance(outcome, Added):
                self._texts.setdefault(outcome.id, []).append(item.id)
            else:
                refused += 1
        return refused

    def _turns(self) -> Iterator[tuple[str, str | None]]:
        """Every turn's id here, and its id in the data."""
        cursor: str | None = None
        while True:
            page = self._memory.list(scope=SCOPE, levels="turn", limit=PAGE, cursor=cursor)
            for turn in page:
                yield turn.id, turn.provenance.turn_id
            cursor = page.cursor
            if cursor is None:
                return
