"""Public data that the judge is measured on and never trained on.

The folder given holds ``sick.txt`` (SICK), ``halumem-preference-events.jsonl`` (HaluMem) and
``locomo-dev.json`` (LoCoMo); none of them ships with the project.
"""

# ruff: noqa: E501 - tables and templates read best one row a line

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hypermnesia.evals.stored import storable
from hypermnesia.judge.features_query import cosines, vector_features
from hypermnesia.judge.local import LocalJudge
from training.features import passages, query

Texts = tuple[str, str]
Stored = dict[str, Any]
SAMPLE = 5000
"""Pairs of other kinds asked about per rendering, of some 19,000."""
Values = npt.NDArray[np.float64]


def tables(judge: LocalJudge, data: Path, threshold: float) -> dict[str, Stored]:
    """All public measurements, each as :func:`hypermnesia.evals.stored.storable` makes it."""
    return {
        "sick": _sick(judge, data / "sick.txt", threshold),
        "halumem": _halumem(judge, data / "halumem-preference-events.jsonl", threshold),
        "locomo": _locomo(judge, data / "locomo-dev.json"),
    }


def _ask(judge: LocalJudge, pairs: Sequence[Texts]) -> Values:
    read = passages(t for pair in pairs for t in pair)
    couples = zip(read[::2], read[1::2], strict=True)
    return np.asarray([judge.supersede([old], new)[0] for old, new in couples])


def _sick(judge: LocalJudge, path: Path, threshold: float) -> Stored:
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    rows: list[tuple[str, int, float, float]] = []
    for label in ("ENTAILMENT", "NEUTRAL", "CONTRADICTION"):
        pairs = [(cells[1], cells[2]) for cells in lines if cells[4].strip() == label]
        forward, back = (_ask(judge, p) >= threshold for p in (pairs, [(b, a) for a, b in pairs]))
        rows.append((label.lower(), len(pairs), forward.mean(), back.mean()))
    head = ("relation", "pairs", "superseded", "other order")
    return storable("Supersession, SICK", head, rows, {"columns": [".0f", ".3f", ".3f"]})


_RENDERINGS: dict[str, Callable[[dict[str, Any]], str]] = {
    "item. reason": lambda m: f"{m['specific_item']}. {m['reason']}",
    "item: reason": lambda m: f"{m['specific_item']}: {m['reason']}",
    "I like item because reason": lambda m: f"I {m['type']} {m['specific_item']} because {m['reason']}",
    "User likes item: reason": lambda m: f"User {m['type']}s {m['specific_item']}: {m['reason']}",
    "item reason": lambda m: f"{m['specific_item']} {m['reason']}",
}  # fmt: skip


def _halumem(judge: LocalJudge, path: Path, threshold: float) -> Stored:
    people = [
        json.loads(line)["event_list"] for line in path.read_text(encoding="utf-8").splitlines()
    ]
    rows: list[tuple[Any, ...]] = []
    for name, render in _RENDERINGS.items():
        changed, other = _changes(people, render)
        hit = int((_ask(judge, changed) >= threshold).sum())
        sample = random.Random(0).sample(other, min(SAMPLE, len(other)))
        rate = float((_ask(judge, sample) >= threshold).mean())
        shares = (hit / (hit + rate * n) for n in (len(changed), 9 * len(changed), len(other)))
        rows.append((name, len(changed), hit / len(changed), *shares))
    return storable(
        "Supersession, HaluMem preference changes",
        ("rendering", "changes", "recall", "precision, one other kind a change",
         "precision, nine", "precision, all"),
        rows,
        {"columns": [".0f", *[".3f"] * 4]},
    )  # fmt: skip


def _changes(
    people: Sequence[Sequence[dict[str, Any]]], render: Callable[[dict[str, Any]], str]
) -> tuple[list[Texts], list[Texts]]:
    """Before and after of each change; and either against the person's preferences of other kinds."""
    changed: list[Texts] = []
    other: set[Texts] = set()

    def point(event: dict[str, Any], side: str) -> str:
        return render(event[f"{side}_preference"]["memory_points"][0])

    for events in people:
        for event in (e for e in events if e["update_direction"] == "Modify"):
            after = point(event, "after")
            changed.append((point(event, "before"), after))
            for strange in events:
                if strange["preference_type"] != event["preference_type"]:
                    other |= {(point(strange, side), after) for side in ("before", "after")}
    return changed, sorted(other)


def _locomo(judge: LocalJudge, path: Path, depth: int = 20) -> Stored:
    """Evidence found in the first ten of a shortlist, ordered by F alone and by the blend."""
    found: dict[str, list[float]] = {"F alone": [], "judge alone": [], "0.5 F + 0.4 J + 0.1 S": []}
    for talk in json.loads(path.read_text(encoding="utf-8")):
        turns = _turns(talk["conversation"])
        read = passages(turns.values())
        for qa in talk["qa"][::4]:
            gold = {
                e for e in re.findall(r"D\d+:\d+", " ".join(qa.get("evidence", []))) if e in turns
            }
            if not gold or qa["category"] == 5:
                continue
            asked = query(qa["question"])
            fused = cosines(asked, read) + 0.5 * vector_features(asked, read)[:, 1]
            short = np.argsort(-fused)[:depth]
            f = fused[short] / fused[short].max()
            j = np.asarray(judge.relevance(asked, [read[i] for i in short]))
            ids = np.asarray(list(turns))[short]
            orders = {"F alone": f, "judge alone": j, "0.5 F + 0.4 J + 0.1 S": 0.5 * f + 0.4 * j}
            for name, score in orders.items():
                top = set(ids[np.argsort(-score)][:5])
                found[name].append(len(top & gold) / len(gold))
    rows = [(name, np.mean(shares)) for name, shares in found.items()]
    head = (f"order of the shortlist of {depth}", "evidence recall@5")
    return storable("Relevance, LoCoMo evidence", head, rows)


def _turns(conversation: dict[str, Any]) -> dict[str, str]:
    sessions = (v for k, v in conversation.items() if re.fullmatch(r"session_\d+", k))
    return {t["dia_id"]: f"{t['speaker']}: {t['text']}" for s in sessions for t in s}
