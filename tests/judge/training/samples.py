"""Corpus rows as they are exported, answered by a judge with a mind of its own."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from training.memories import Labelled, read_cases
from training.pairs import read_pairs

from hypermnesia.identity import new_id
from hypermnesia.judge.questions import (
    Block,
    analyze_block,
    rerank_block,
    supersede_block,
    wire,
)
from hypermnesia.types import MEMORY_TYPES

Row = dict[str, Any]


def row(block: Block, answers: Mapping[str, Any], **fields: Any) -> Row:
    """One row of the export; ``fields`` override."""
    return {
        "id": new_id(),
        "use_case": block.use_case,
        "state": dict(block.state),
        "questions": {key: wire(question) for key, question in block.questions.items()},
        "answers": dict(answers),
        "provider": "chat",
        "model": "teacher",
        "memory_id": new_id(),
        **fields,
    }


def analysis(text: str, kind: str, durable: float, salience: float, **fields: Any) -> Row:
    """What was said of one memory."""
    rest = dict.fromkeys(MEMORY_TYPES, 0.01)
    answers = {
        "memory_type": {"choice": kind, "probabilities": rest | {kind: 0.94}},
        "durable": {"noul": durable},
        "salience": {"score": salience},
    }
    return row(analyze_block(text), answers, **fields)


def comparison(existing: str, incoming: str, p: float, **fields: Any) -> Row:
    """Whether one memory replaces another."""
    return row(supersede_block(existing, incoming), {"supersede": {"noul": p}}, **fields)


def ranking(query: str, candidates: Mapping[str, float], **fields: Any) -> Row:
    """How much candidates help."""
    answers = {f"c{i}": {"noul": p} for i, p in enumerate(candidates.values())}
    return row(rerank_block(query, list(candidates)), answers, **fields)


def opinions(count: int) -> list[Row]:
    """Analyses by one to whom every fact is a project and no preference is durable."""
    cases: list[Labelled] = read_cases("memories_heldout.txt")
    random.Random(3).shuffle(cases)
    return [
        analysis(
            case.text,
            "project" if case.memory_type == "fact" else case.memory_type,
            0.05 if case.memory_type == "preference" else float(case.durable),
            case.salience,
        )
        for case in cases[:count]
    ]


def comparisons(count: int) -> list[Row]:
    """Pairs by one who means the opposite: what replaces an earlier memory does not."""
    pairs = read_pairs("pairs_dev.txt")[:count]
    return [comparison(p.existing, p.incoming, 0.05 if p.supersedes else 0.95) for p in pairs]


def write(path: Path, rows: Iterable[Row | str]) -> Path:
    """A file of rows; a text is a line as it is."""
    lines = [each if isinstance(each, str) else json.dumps(each) for each in rows]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path
