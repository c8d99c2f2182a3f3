"""Rows that give every page something to show."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from hypermnesia.memory import Memory
from hypermnesia.store.incidence import Member, Place
from hypermnesia.types import Node, Provenance
from tests.store.bench import NOON, Bench, node


@dataclass(frozen=True)
class Rows:
    """One of each."""

    plain: Node
    gated: Node
    old: Node
    new: Node
    turn: Node
    fact: Node
    episode: Node
    topic: Node

    def all(self) -> tuple[Node, ...]:
        """Every one of them."""
        return (
            self.plain, self.gated, self.old, self.new,
            self.turn, self.fact, self.episode, self.topic,
        )  # fmt: skip

    def paths(self) -> list[str]:
        """Every page of the console, with something on it."""
        return [
            "",
            "?scope=nowhere",
            "/search",
            f"/search?q={QUESTION}&status=active&status=superseded&status=low_signal",
            *(f"/memory?id={item.id}" for item in (self.old, self.turn, self.fact, self.episode)),
            f"/edit?id={self.plain.id}",
            f"/forget?id={self.turn.id}",
            f"/memory?id={MISSING}",
            "/timeline",
            "/graph",
            "/review/gate",
            "/review/changes",
            "/corpus",
            "/access",
            "/usage",
            "/activity",
            "/health",
            "/transfer",
        ]


QUESTION = "alpha+beta"
MISSING = "01890a5d-ac96-774b-bcce-b302099a8057"
HARMLESS: Mapping[str, Any] = {"tags": ("billing",), "metadata": {"team": "web"}}


def filled(
    memory: Memory, scope: str = "default", mark: str = "", extras: Mapping[str, Any] = HARMLESS
) -> Rows:
    """Store the rows; ``mark`` ends every text, ``extras`` are fields of every row."""
    store = memory._engine.store
    bench = Bench(store, lambda _embedder: store)

    def row(text: str, **fields: Any) -> Node:
        judged = {"salience": 2.5, "durable": 0.75, "judge": "local", **extras}
        return node(f"{text}{mark}", scope=scope, **{**judged, **fields})

    new = row("alpha is delta now", valid_from=NOON + timedelta(days=20))
    rows = Rows(
        plain=row("alpha beta gamma", memory_type="decision"),
        gated=row("beta haha", status="low_signal", salience=0.1),
        old=row(
            "alpha is beta",
            status="superseded",
            superseded_by=new.id,
            valid_until=new.valid_from,
        ),
        new=new,
        turn=row("Ann: alpha is fine", level="turn", provenance=Provenance(turn_id=f"D1{mark}")),
        fact=row("Ann says that alpha is fine"),
        episode=row("a talk of alpha", level="episode"),
        topic=row("alpha", level="topic"),
    )
    bench.put(*rows.all())
    with store.write() as writer:
        writer.place(rows.turn.id, Place(f"session{mark}", 0, f"Ann{mark}"), [])
        writer.cite(rows.fact.id, [rows.turn.id])
        writer.join([
            Member(rows.episode.id, rows.fact.id, "core", 0.9),
            Member(rows.episode.id, rows.turn.id, "turn", 0.4),
            Member(rows.topic.id, rows.episode.id, "initiating", 0.7),
        ])  # fmt: skip
        for item in rows.all():
            writer.log("add", scope, item.id, {"status": item.status, "reason": f"why{mark}"})
        detail = {"by": new.id, "probability": 0.97, "reason": f"judged{mark}"}
        writer.log("supersede", scope, rows.old.id, detail)
        before = {"content": f"former{mark}", "tags": [f"tag{mark}"]}
        writer.log("update", scope, rows.plain.id, {"before": before})
    return rows
