"""What extraction finds, and what it should leave: ``python -m bench.answer_study LOCOMO``.

Every conversation is ingested into a store of its own. Each is asked its own answerable questions
(is the sentence that was chosen from a turn that is evidence?), its adversarial ones, and the
questions of the next conversation; of the last two every answer is wrong. Then the constants of
:mod:`hypermnesia.answer.extract` are varied, one at a time.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from bench.recall_data import ADVERSARIAL, table
from hypermnesia.answer import extract
from hypermnesia.answer.result import Answer, Asked
from hypermnesia.config import build, load
from hypermnesia.engine import Engine
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Embedder
from hypermnesia.types import Hit, Vector

K = 50
VARIED: Mapping[str, Sequence[float]] = {
    "THRESHOLD": (0.5, 0.55, 0.6, 0.65, 0.7),
    "RANK": (0.0, 0.15, 0.6),
    "OFFERS": (0.0, 0.1),
    "ASKS": (0.0, -0.05),
    "OUTDATED": (0.0, -0.2),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its hits: ``own``, ``adversarial`` or ``foreign``, and its evidence."""

    kind: str
    question: str
    hits: Sequence[Hit]
    evidence: frozenset[str]


def main() -> None:
    """Measure the constants as they are, then each other value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="a LoCoMo file")
    parser.add_argument("--every", type=int, default=3, help="ask only every n-th question")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = build(load(store=str(Path(folder) / "m.db"), threads=1, llm_cache="off"))
        cases = list(collected(engine, options.data, Path(folder), options.every))
        remembered(extract.likeness)
        rows = [("as it is", *measured(engine, cases))]
        for name, values in VARIED.items():
            for value in values:
                with mock.patch.object(extract, name, value):
                    rows.append((f"{name} = {value}", *measured(engine, cases)))
        engine.store.close()
    table(("constants", "right", "own answered", "adversarial answered", "foreign answered"), rows)


def remembered(likeness: Callable[[Embedder, str, Sequence[str]], Vector]) -> None:
    """Compare a question with its sentences once, whatever the constants; that takes the time."""
    known: dict[tuple[str, ...], Vector] = {}

    def remembering(embedder: Embedder, question: str, texts: Sequence[str]) -> Vector:
        key = (question, *texts)
        if key not in known:
            known[key] = likeness(embedder, question, texts)
        return known[key]

    extract.likeness = remembering


def collected(engine: Engine, data: Path, folder: Path, every: int) -> Iterator[Case]:
    """Every case with what a search finds for it."""
    samples = json.loads(data.read_text("utf-8"))
    memory = Memory(engine, "default")
    for number, sample in enumerate(samples):
        path = folder / "conversation.json"
        path.write_text(json.dumps(sample), "utf-8")
        memory.ingest(path, scope=str(number), format="locomo")
        following = samples[(number + 1) % len(samples)]
        own = [q for q in sample["qa"] if q["category"] != ADVERSARIAL and evidence(q)]
        for kind, asked in (
            ("own", own),
            ("adversarial", [q for q in sample["qa"] if q["category"] == ADVERSARIAL]),
            ("foreign", [q for q in following["qa"] if q["category"] != ADVERSARIAL]),
        ):
            for question in asked[::every]:
                text = str(question["question"])
                hits = memory.search(text, scope=str(number), k=K, levels=engine.context_levels)
                yield Case(kind, text, hits, evidence(question))


def evidence(question: Mapping[str, Any]) -> frozenset[str]:
    """Ids of the turns that answer, where they are well-formed."""
    return frozenset(re.findall(r"D\d+:\d+", " ".join(question["evidence"])))


def measured(engine: Engine, cases: Sequence[Case]) -> tuple[float, float, float, float]:
    """Share of own questions with a right sentence; share answered of each kind."""
    answers = [(c, extract.extract(engine.embedder, Asked(c.question), c.hits)) for c in cases]
    return (
        share(right(case, answer) for case, answer in answers if case.kind == "own"),
        share(answer.known for case, answer in answers if case.kind == "own"),
        share(answer.known for case, answer in answers if case.kind == "adversarial"),
        share(answer.known for case, answer in answers if case.kind == "foreign"),
    )


def share(outcomes: Iterable[bool]) -> float:
    """How many of them are true."""
    listed = list(outcomes)
    return sum(listed) / max(len(listed), 1)


def right(case: Case, answer: Answer) -> bool:
    """Whether the sentence is from a turn that is evidence."""
    return answer.known and bool(case.evidence & set(answer.hits[0].sources))


if __name__ == "__main__":
    main()
