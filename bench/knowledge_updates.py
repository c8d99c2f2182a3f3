"""Are outdated turns marked? ``python -m bench.knowledge_updates FOLDER`` of BEAM conversations.

Each conversation is ingested through the public interface. A question on a knowledge update names
the turns that gave the old value; such a turn is marked when a fact of it is superseded. The turns
that other questions rest on should not be.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.published import publish
from hypermnesia.evals.stored import storable
from hypermnesia.memory import Memory

RESULTS = Path("results", "published", "knowledge-updates.json")
"""What the page on the judge refers to."""
COLUMNS = ("talk", "updates", "old turn marked", "other evidence", "marked", "turns", "marked")


def main() -> None:
    """Measure every conversation and publish one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    rows = {
        f"beam-{path.stem}": measure(json.loads(path.read_text("utf-8")))
        for path in sorted(folder.glob("*.json"), key=lambda p: int(p.stem))
    }
    rows["all"] = tuple(map(sum, zip(*rows.values(), strict=True)))
    found = storable(
        "Outdated turns of BEAM, ingested",
        COLUMNS,
        [(name, *row) for name, row in rows.items()],
        ".0f",
    )
    publish(RESULTS, "python -m bench.knowledge_updates FOLDER", {"beam": found})


def measure(talk: Mapping[str, Any]) -> tuple[int, ...]:
    """Updates, those marked, other evidence turns, those marked, turns, those marked."""
    marked = superseded_turns(talk["turns"])
    asked = [q for q in talk["questions"] if q["type"] == "knowledge_update"]
    old = [set(numbers(q["evidence"]["original_info"])) for q in asked]
    others = {
        turn for q in talk["questions"] if q not in asked for turn in numbers(q["evidence"])
    } - set().union(*old)
    return (
        len(old),
        sum(bool(turns & marked) for turns in old),
        len(others),
        len(others & marked),
        len(talk["turns"]),
        len(marked),
    )


def superseded_turns(turns: list[Mapping[str, Any]]) -> set[int]:
    """Ids of the turns of which a fact is superseded."""
    messages = [
        {"role": t["role"], "content": t["content"], "id": str(t["id"])}
        for t in turns
        if t["content"].strip()
    ]
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "m.db") as memory:
        memory.ingest(messages)
        facts = memory.list(levels="fact", status="superseded", limit=1000)
    return {int(fact.provenance.turn_id) for fact in facts if fact.provenance.turn_id}


def numbers(evidence: Any) -> Iterator[int]:
    """Every turn id of a nested structure."""
    if isinstance(evidence, int):
        yield evidence
    elif isinstance(evidence, list | dict):
        for part in evidence.values() if isinstance(evidence, dict) else evidence:
            yield from numbers(part)


if __name__ == "__main__":
    main()
