"""Measure the local judge: ``python -m training.evaluate [--data DIR] [--out FILE]``.

Without ``--data`` only the project's own cases are measured; with it, also public data sets that
are never trained on. ``--out`` replaces the tables between the markers of a Markdown page, those of
the public data only where they were measured, and keeps the values in ``results/published/``,
which the page refers to.
"""

# ruff: noqa: E501 - tables and templates read best one row a line

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from bench.published import publish

from hypermnesia.evals.stored import storable, stored
from hypermnesia.evals.tables import markdown
from hypermnesia.judge.local import LocalJudge
from hypermnesia.types import MEMORY_TYPES, Analysis
from training import memories, pairs, public, relevance, supersede
from training.features import passages, query

Values = npt.NDArray[np.float64]
Stored = public.Stored
THRESHOLD = 0.80
PUBLISHED = Path("results", "published")
"""What the page refers to."""
PARTS = {"local-judge": "measured", "local-judge-public": "measured on public data"}
"""Results, and the part of the page that shows them."""
COMMANDS = {
    "local-judge": "python -m training.evaluate",
    "local-judge-public": "python -m training.evaluate --data DIR",
}


def main() -> None:
    """Measure, print, and write the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("HYPERMNESIA_EVAL_DATA"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    judge = LocalJudge()
    measured = {"local-judge": own_cases(judge)}
    if options.data:
        measured["local-judge-public"] = public.tables(judge, Path(options.data), THRESHOLD)
    for name, tables in measured.items():
        publish(PUBLISHED / f"{name}.json", COMMANDS[name], tables)
    if options.out:
        page = options.out.read_text(encoding="utf-8")
        for name, tables in measured.items():
            page = replaced(page, PARTS[name], report(PUBLISHED / f"{name}.json", tables))
        options.out.write_text(page, encoding="utf-8")


def own_cases(judge: LocalJudge) -> dict[str, Stored]:
    """Everything that can be measured on what ships."""
    return analysis(judge) | {
        "relevance": relevance_table(judge),
        "pairs": own_pairs(judge),
        "updates": updates_table(judge),
    }


def report(results: Path, tables: Mapping[str, Stored]) -> str:
    """The tables, each with the reference to its values."""
    return "\n\n".join(
        f"### {found['caption']}\n\n<!-- eval:table {results.as_posix()}#/tables/{name} -->\n\n"
        f"{markdown(stored(found))}\n<!-- /eval -->"
        for name, found in tables.items()
    )


def replaced(page: str, name: str, text: str) -> str:
    """The page with another text between the markers of a part."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    head, rest = page.split(begin)
    return f"{head}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}"


def analysis(judge: LocalJudge) -> dict[str, Stored]:
    """Type, durability, salience and the gate on the held-out memories; and the types told apart."""
    cases = memories.read_cases("memories_heldout.txt")
    said = judge.analyze(passages(c.text for c in cases))
    right = np.asarray([s.memory_type == c.memory_type for s, c in zip(said, cases, strict=True)])
    top = np.asarray([max(s.type_probabilities.values()) for s in said])
    durable = np.asarray([c.durable for c in cases])
    salience = np.asarray([s.salience for s in said])
    truth = np.asarray([c.salience for c in cases])
    p = np.asarray([s.durable for s in said])
    three, two = ".3f", ".2f"
    rows = [
        ("type: accuracy", right.mean(), three),
        ("type: ECE (10 bins)", ece(top, right), three),
        ("type: Brier (7 classes)", _brier7(said, cases), three),
        ("durable: accuracy at 0.5", ((p >= 0.5) == durable).mean(), three),
        ("durable: ECE", ece(p, durable), three),
        ("durable: Brier", ((p - durable) ** 2).mean(), three),
        ("salience: mean absolute error (levels)", np.abs(salience - truth).mean(), two),
        (f"gate {judge.gate:.2f}: durable memories gated", (salience < judge.gate)[durable == 1].mean(), three),
        (f"gate {judge.gate:.2f}: chatter kept", (salience >= judge.gate)[durable == 0].mean(), three),
    ]  # fmt: skip
    return {
        "analysis": storable(
            f"Type, durability, salience ({len(cases)} held-out memories)",
            ("measure", "value"),
            [(name, value) for name, value, _ in rows],
            [form for _, _, form in rows],
        ),
        "types": _confusion(said, cases),
    }


def _brier7(said: Sequence[Analysis], cases: Sequence[memories.Labelled]) -> float:
    p = np.asarray([list(s.type_probabilities.values()) for s in said])
    y = np.asarray([[t == c.memory_type for t in MEMORY_TYPES] for c in cases])
    return float(((p - y) ** 2).sum(axis=1).mean())


def _confusion(said: Sequence[Analysis], cases: Sequence[memories.Labelled]) -> Stored:
    counts = {(a, b): 0 for a in MEMORY_TYPES for b in MEMORY_TYPES}
    for s, c in zip(said, cases, strict=True):
        counts[c.memory_type, s.memory_type] += 1  # pyright: ignore[reportArgumentType]
    rows = [(a, *(counts[a, b] for b in MEMORY_TYPES)) for a in MEMORY_TYPES]
    return storable(
        "Types told apart, the same memories", ("true, across: said", *MEMORY_TYPES), rows, ".0f"
    )


def relevance_table(judge: LocalJudge) -> Stored:
    """Relevance on generated shortlists of another seed."""
    lists = relevance.generate(seed=99, per_frame=6)
    p, y = [], []
    for one in lists:
        p += judge.relevance(query(one.query), passages(one.candidates))
        y += list(one.labels)
    first = np.mean([
        one.labels[int(np.argmax(judge.relevance(query(one.query), passages(one.candidates))))]
        for one in lists
    ])  # fmt: skip
    probability, label = np.asarray(p), np.asarray(y)
    rows = [
        ("relevance: best candidate is helpful", first),
        ("relevance: ECE", ece(probability, label)),
        ("relevance: Brier", ((probability - label) ** 2).mean()),
    ]
    caption = f"Relevance ({len(lists)} generated shortlists of an unseen seed)"
    return storable(caption, ("measure", "value"), rows)


def own_pairs(judge: LocalJudge) -> Stored:
    """The hard pairs: held out, ten-fold, and with each whole family left out."""
    held = pairs.read_pairs("pairs_heldout.txt")
    things = pairs.read_pairs("pairs_things_heldout.txt")
    hand = supersede.hand_pairs()
    rows = [
        (f"held-out pairs ({len(held)})", *_scores(ask(judge, held), _labels(held))),
        (f"held-out pairs of things and events ({len(things)})", *_scores(ask(judge, things), _labels(things))),
        (f"hard pairs, ten-fold ({len(hand)})", *_scores(_folds(hand, by_family=False), _labels(hand))),
        (f"hard pairs, family left out ({len(hand)})", *_scores(_folds(hand, by_family=True), _labels(hand))),
    ]  # fmt: skip
    head = ("pairs", "accuracy at 0.80", "recall", "compatible superseded", "ECE", "Brier")
    return storable("Supersession, own pairs", head, rows)


def updates_table(judge: LocalJudge) -> Stored:
    """Values updated in talk: the pairs that the rules were written with, and those held out."""
    rows: list[tuple[str, float, float]] = []
    for title, name in (("own", "updates.txt"), ("held out", "updates_heldout.txt")):
        cases = pairs.read_pairs(name)
        said, y = ask(judge, cases, said=True) >= THRESHOLD, _labels(cases)
        rows.append((f"{title} ({len(cases)})", said[y].mean(), said[~y].mean()))
    return storable("Values updated in talk", ("pairs", "updates found", "others superseded"), rows)


def _labels(cases: Sequence[pairs.Pair]) -> npt.NDArray[Any]:
    return np.asarray([p.supersedes for p in cases])


def ask(judge: LocalJudge, cases: Sequence[pairs.Pair], *, said: bool = False) -> Values:
    """The shipped judge's probability for each pair, of memories or of what was said."""
    texts = passages(t for p in cases for t in (p.existing, p.incoming))
    read = [replace(p, said=said) for p in texts]
    couples = zip(read[::2], read[1::2], strict=True)
    return np.asarray([judge.supersede([old], new)[0] for old, new in couples])


def _folds(hand: Sequence[pairs.Pair], *, by_family: bool) -> Values:
    """Out-of-fold probabilities of the trees alone, trained as they ship."""
    everything, weights = supersede.training_pairs()
    x, y = supersede.features(everything), _labels(everything)
    families = sorted({p.family for p in hand})
    group = np.full(len(everything), -1)
    spread = np.random.default_rng(supersede.SEED).integers(0, 10, len(hand))
    for i, pair in enumerate(hand):
        group[i] = families.index(pair.family) % 10 if by_family else spread[i]
    out = np.zeros(len(hand))
    for fold in range(10):
        seen, test = group != fold, np.flatnonzero(group == fold)
        models = supersede.fit(x[seen], y[seen], weights[seen])
        out[test] = 1 / (1 + np.exp(-supersede.logits(models, x[test])))
    return out


def _scores(p: Values, y: npt.NDArray[Any]) -> tuple[float, ...]:
    said = p >= THRESHOLD
    return (
        (said == y).mean(),
        said[y].mean(),
        said[~y].mean(),
        ece(p, y),
        ((p - y) ** 2).mean(),
    )


def ece(p: Values, y: npt.NDArray[Any], bins: int = 10) -> float:
    """Expected calibration error over equal bins (Naeini et al. 2015)."""
    bin_of = np.minimum((p * bins).astype(int), bins - 1)
    gaps = [abs(p[bin_of == b].mean() - y[bin_of == b].mean()) * (bin_of == b).mean()
            for b in range(bins) if (bin_of == b).any()]  # fmt: skip
    return float(sum(gaps))


if __name__ == "__main__":
    main()
