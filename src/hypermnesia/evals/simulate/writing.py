"""Storing a simulated memory through the product's own write path, and what became of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hypermnesia.evals.simulate.world import Row, World
from hypermnesia.memory import Memory
from hypermnesia.types import Added, Node, Status

EVERY_STATUS = ("active", "low_signal", "superseded")


@dataclass(frozen=True, slots=True)
class Written:
    """A store that holds a world.

    Attributes:
        rows: ids of rows by the ids that the store gave; a repeated text may have got a second.
        statuses: of every row that the store took, those of its memories.
        refused: rows that it did not take.
        duplicates: how many of the repeated texts it knew again.
    """

    rows: Mapping[str, str]
    statuses: Mapping[str, set[Status]]
    refused: tuple[str, ...]
    duplicates: int

    def row_of(self, memory_id: str) -> str:
        """The row behind a memory."""
        return self.rows[memory_id]

    def report(self, world: World) -> dict[str, float]:
        """How well writing did, each as a share; what cannot be said is left out.

        ``supersede_recall``: outdated rows that were retired. ``supersede_precision``: retired
        rows, without chatter, that were outdated or told once more. ``lost``: rows that hold,
        chatter excepted, but were retired. ``chatter_gated`` and ``gated``: chatter, and anything
        else, that the gate kept out. ``repeats_known``: repeated texts that made no new memory.
        """
        retired = {row for row, having in self.statuses.items() if having == {"superseded"}}
        gated = {row for row, having in self.statuses.items() if having == {"low_signal"}}
        told = Counter((row.about, row.value) for row in world.rows)
        telling = {row.id for row in world.rows if row.kind != "chatter"}
        outdated = {row.id for row in world.rows if row.until is not None}
        again = {row.id for row in world.rows if told[row.about, row.value] > 1}
        holding = telling - outdated - again
        shares = {
            "supersede_recall": (outdated & retired, outdated),
            "supersede_precision": ((outdated | again) & telling & retired, telling & retired),
            "lost": (holding & retired, holding),
            "chatter_gated": (gated - telling, {row.id for row in world.rows} - telling),
            "gated": (gated & telling, telling),
        }
        found = {name: len(part) / len(whole) for name, (part, whole) in shares.items() if whole}
        if world.repeats:
            found["repeats_known"] = self.duplicates / len(world.repeats)
        return {"rows": len(world.rows), "refused": len(self.refused), **found}


def write(memory: Memory, world: World, progress: Callable[[int], None]) -> Written:
    """Store every row in order of time, then the repeated texts.

    Args:
        memory: an empty one.
        world: what is stored.
        progress: told the number of memories stored since the last call.
    """
    outcomes = memory.add_many(map(item_of, world.rows), progress=progress)
    by_id = {row.id: row for row in world.rows}
    repeated = [(by_id[row], at) for row, at in world.repeats.items()]
    again = memory.add_many(
        [{"content": row.text, "at": at} for row, at in repeated], progress=progress
    )
    pairs = zip([*world.rows, *(row for row, _ in repeated)], [*outcomes, *again], strict=True)
    rows = {added.id: row.id for row, added in pairs if isinstance(added, Added)}
    statuses: dict[str, set[Status]] = defaultdict(set)
    for node in readable(memory, status=EVERY_STATUS):
        statuses[rows[node.id]].add(node.status)
    return Written(
        rows,
        statuses,
        tuple(by_id.keys() - statuses.keys()),
        sum(isinstance(added, Added) and added.duplicate for added in again),
    )


def readable(memory: Memory, **filters: Any) -> Iterator[Node]:
    """Every memory that a search with these filters could return."""
    cursor = None
    while True:
        page = memory.list(limit=1000, cursor=cursor, **filters)
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


def item_of(row: Row) -> dict[str, Any]:
    """All that a memory is told of a row: text, time and session, not what the generator knows."""
    session = f"session-{row.session:02d}"
    return {"content": row.text, "at": row.at, "provenance": {"session_id": session}}
