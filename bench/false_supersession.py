"""How often talk retires talk: ``python -m bench.false_supersession DATA ... [--by statement]``.

People seldom take back what they said, so nearly every memory that an add retires is lost by
mistake. Every turn of a LoCoMo file or a folder of BEAM conversations (or every statement of a
turn, which is what facts are made of) is added, pinned past the gate, through the public interface.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.published import publish
from bench.recall_data import Collection, beam, locomo
from hypermnesia.evals.stored import storable
from hypermnesia.language.statements import statements
from hypermnesia.memory import Memory
from hypermnesia.types import Added

RESULTS = Path("results", "published", "false-supersession.json")
"""What the page on the judge refers to."""
CHARACTERS = 64_000
"""Longest memory that is accepted."""


def main() -> None:
    """Measure every collection and publish one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="+", help="a LoCoMo file, or a folder of BEAM's")
    parser.add_argument("--by", choices=("turn", "statement"), default="turn")
    parser.add_argument("--speakers", nargs="*", help="only what these say, in lower case")
    options = parser.parse_args()
    measured = {
        collection.name: counts(texts(collection, options.by, options.speakers))
        for path in options.data
        for collection in collections(path)
    }
    columns = list(zip(*measured.values(), strict=True))
    measured["all"] = (sum(columns[0]), sum(columns[1]), sum(columns[2]))
    head = ("talk", "adds", "that retire", "retired", "share that retires", "share retired")
    found = storable(
        f"What talk retires of talk, each {options.by} added",
        head,
        [(name, *row, row[1] / row[0], row[2] / row[0]) for name, row in measured.items()],
        {"columns": [*[".0f"] * 3, *[".3f"] * 2]},
    )
    publish(RESULTS, f"python -m bench.false_supersession FILE --by {options.by}", {"talk": found})


def collections(path: Path) -> Iterator[Collection]:
    """The conversations of a file or folder."""
    return beam(path) if path.is_dir() else locomo(path)


def texts(collection: Collection, by: str, speakers: Sequence[str] | None) -> list[str]:
    """What is added: turns, or their statements, each with its speaker."""
    turns = [turn.partition(": ") for turn in collection.texts]
    kept = [turn for turn in turns if not speakers or turn[0].lower() in speakers]
    if by == "turn":
        return ["".join(turn)[:CHARACTERS] for turn in kept]
    return [
        f"{speaker}: {statement.text}"
        for speaker, _, said in kept
        for statement in statements(said)
        if not statement.code
    ]


def counts(added: Sequence[str]) -> tuple[int, int, int]:
    """Distinct adds, those that retired something, and the memories retired."""
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "m.db") as memory:
        answers = memory.add_many({"content": text, "pin": True} for text in added)
    fresh = [a for a in answers if isinstance(a, Added) and not a.duplicate]
    retired = {old for answer in fresh for old in answer.superseded}
    return len(fresh), sum(bool(a.superseded) for a in fresh), len(retired)


if __name__ == "__main__":
    main()
