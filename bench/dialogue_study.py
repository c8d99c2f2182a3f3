"""What each signal of :mod:`hypermnesia.read.dialogue` is worth in ranking turns of talk.

Run from the repository's root; ``DIR`` holds ``locomo-dev.json`` and ``beam-dev/*.json``::

    .venv/bin/python -m bench.dialogue_study --data DIR --cache DIR2

"Held out": weights fitted to all conversations but one and reported on that one. Intervals: 95% of
the paired bootstrap over questions. Of the data nothing is kept but measures, in
``results/published/``.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from bench.published import publish
from bench.recall_data import encoded, evidence_turns, measure, numbers, turn_text
from bench.recall_study import lexical_scores
from hypermnesia.evals.stored import storable
from hypermnesia.language.dates import question_dates
from hypermnesia.models import late
from hypermnesia.models.encoder import Encoding, OnnxEncoder
from hypermnesia.read.dialogue import TALK, Question, Turns, Weights, signals, weights_for
from hypermnesia.read.dialogue_signals import Address, Period, address
from hypermnesia.read.fuse import absolute_fusion
from hypermnesia.types import Matrix, Vector

RESULTS = Path("results", "published", "dialogue-study.json")
"""What the page on retrieval refers to."""
ADVERSARIAL = 5
DEPTH = 150
"""Turns that the words and the sentence vectors bring each, before those beside them."""
BESIDE = 50
"""Of these, how many bring the turns before and after."""
RESAMPLES = 2000
RIDGE = 5.0
"""Penalty of the fit, on weights of standardised signals, for all questions together."""
NAMES = [field.name for field in fields(Weights)]

Positions = npt.NDArray[np.intp]
Stored = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation: its turns, and the questions with their kind and evidence."""

    name: str
    texts: tuple[str, ...]
    speakers: tuple[str, ...]
    sessions: tuple[int, ...]
    said: tuple[datetime, ...]
    asked: tuple[tuple[str, str, frozenset[int]], ...]

    @property
    def people(self) -> list[str]:
        """Everyone who speaks."""
        return sorted(set(self.speakers))


@dataclass(frozen=True, slots=True)
class Case:
    """One question: what is known of its candidates."""

    kind: str
    gold: frozenset[int]
    candidates: Positions
    signals: Matrix
    flat: Vector


def locomo(path: Path) -> Iterator[Talk]:
    """LoCoMo, categories 1 to 4."""
    for number, sample in enumerate(json.loads(path.read_text("utf-8"))):
        talk = sample["conversation"]
        keys = sorted((k for k in talk if re.fullmatch(r"session_\d+", k)), key=_number)
        turns = [(turn, key) for key in keys for turn in talk[key]]
        place = {turn["dia_id"]: i for i, (turn, _) in enumerate(turns)}
        yield Talk(
            name=f"locomo-{number}",
            texts=tuple(turn_text(turn).partition(": ")[2] for turn, _ in turns),
            speakers=tuple(turn["speaker"] for turn, _ in turns),
            sessions=tuple(_number(key) for _, key in turns),
            said=tuple(_moment(talk[f"{k}_date_time"], "%I:%M %p on %d %B, %Y") for _, k in turns),
            asked=tuple(
                (str(q["category"]), q["question"], gold)
                for q in sample["qa"]
                if q["category"] != ADVERSARIAL and (gold := evidence_turns(q["evidence"], place))
            ),
        )


def beam(folder: Path) -> Iterator[Talk]:
    """BEAM; a session begins where a date is given."""
    for path in sorted(folder.glob("*.json"), key=lambda p: int(p.stem)):
        data = json.loads(path.read_text("utf-8"))
        place = {turn["id"]: i for i, turn in enumerate(data["turns"])}
        said: list[datetime] = []
        for turn in data["turns"]:
            anchor = turn["time_anchor"]
            said.append(_moment(anchor, "%B-%d-%Y") if anchor else said[-1])
        asked = [
            (
                q["type"],
                q["question"],
                frozenset(place[i] for i in numbers(q["evidence"]) if i in place),
            )
            for q in data["questions"]
        ]
        yield Talk(
            name=f"beam-{path.stem}",
            texts=tuple(turn["content"] for turn in data["turns"]),
            speakers=tuple(turn["role"] for turn in data["turns"]),
            sessions=tuple(
                np.cumsum([t["time_anchor"] is not None for t in data["turns"]]).tolist()
            ),
            said=tuple(said),
            asked=tuple(a for a in asked if a[2]),
        )


def cases(talk: Talk, encoder: OnnxEncoder, cache: Path) -> list[Case]:
    """Every question's candidates with their signals."""
    told = [f"{who}: {text}" for who, text in zip(talk.speakers, talk.texts, strict=True)]
    asked = [question for _, question, _ in talk.asked]
    addressed = [address(question, talk.people) for question in asked]
    encodings = encoded(encoder, talk.name, told, cache)
    plain = [encoder.encode_queries([question])[0].dense[0] for question in asked]
    dense = np.stack([e.dense.mean(axis=0) for e in encodings])
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    blobs = [late.compress(e.pieces, e.tokens.astype(np.float32)) for e in encodings]
    tokens, offsets = late.expand_all(blobs)
    sessions = np.array(talk.sessions, np.int64)
    turns = Turns(
        texts=talk.texts,
        speakers=talk.speakers,
        sessions=sessions,
        positions=np.arange(len(told), dtype=np.int64),
        days=np.array([moment.toordinal() for moment in talk.said], np.int64),
        dense=dense,
        tokens=tokens,
        offsets=offsets,
    )
    found: list[Case] = []
    for (kind, text, gold), about, vector, bm25 in zip(
        talk.asked, addressed, plain, lexical_scores(told, asked), strict=True
    ):
        told_as = encoder.encode_queries([about.text])[0]
        query = _question(text, about, vector, told_as)
        picked = prefilter(bm25, dense @ told_as.dense[0], sessions)
        heard = signals(query, turns, picked, bm25[picked], talk.people)
        # As a search without any of this sees them: the question as asked, each turn alone.
        own = late.query_tokens(encoder.encode_queries([text])[0])
        maxsim = late.maxsim(*own, tokens, offsets)
        flat = absolute_fusion(maxsim[picked], (dense @ vector)[picked], bm25[picked])
        stacked = np.stack([getattr(heard, name) for name in NAMES], axis=1)
        found.append(Case(kind, gold, picked, stacked, flat))
    return found


def prefilter(bm25: Vector, cosines: Vector, sessions: npt.NDArray[np.int64]) -> Positions:
    """Candidates: the best by words and by sentence vectors, and those beside the very best."""
    lexical = np.argsort(-bm25, kind="stable")[: min(DEPTH, int((bm25 > 0).sum()))]
    dense = np.argsort(-cosines, kind="stable")[:DEPTH]
    best = np.concatenate([lexical[:BESIDE], dense[:BESIDE]])
    pairs = np.concatenate([np.stack([best, best + step]) for step in (-1, 1)], axis=1)
    owner, beside = pairs[:, (pairs[1] >= 0) & (pairs[1] < len(cosines))]
    return np.unique(np.concatenate([lexical, dense, beside[sessions[owner] == sessions[beside]]]))


def fit(known: Sequence[Case], names: Sequence[str]) -> Vector:
    """Weights under which each evidence turn is most probable among its question's other turns.

    A question counts by the square root of the number of its evidence turns: between counting
    questions alike, where those that need several turns are hardly heard, and counting turns
    alike, where they are nearly all that is.
    """
    columns = [NAMES.index(name) for name in names]
    rows = [(c.signals[:, columns], np.isin(c.candidates, list(c.gold))) for c in known]
    rows = [(x, y) for x, y in rows if y.any()]
    scale = np.concatenate([x for x, _ in rows]).std(axis=0) + 1e-9

    def loss(weights: Vector) -> tuple[float, Vector]:
        value, slope = RIDGE * float(weights @ weights) / 2, RIDGE * weights
        for x, y in rows:
            scores = (x / scale) @ weights
            odds = np.exp(scores - scores.max())
            among = odds[y] + odds[~y].sum()
            counts = float(np.sqrt(y.sum()))
            value -= counts * float(np.log(odds[y] / among).mean())
            share = np.where(y, 0, odds) * (1 / among).mean()
            share[y] = (odds[y] / among - 1) / y.sum()
            slope = slope + counts * ((x / scale).T @ share)
        return value, slope

    result = cast("Any", minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B"))
    return np.asarray(result.x / scale, np.float32)


def held_out(talks: Sequence[Sequence[Case]], names: Sequence[str]) -> Matrix:
    """:func:`measured` of every question, by weights fitted to the other conversations."""
    columns = [NAMES.index(name) for name in names]
    rows: list[tuple[float, ...]] = []
    for left in range(len(talks)):
        known = [case for i, talk in enumerate(talks) if i != left for case in talk]
        weights = fit(known, names)
        rows += [measured(c, c.signals[:, columns] @ weights) for c in talks[left]]
    return np.array(rows, np.float32)


def measured(case: Case, scores: Vector) -> tuple[float, ...]:
    """Recall and nDCG at 10, and whether all the evidence is among the ten."""
    best = case.candidates[np.argsort(-scores, kind="stable")[:10]]
    _, recall, ndcg, _ = measure(best, case.gold)
    return recall, ndcg, float(case.gold <= set(best.tolist()))


def interval(gain: Vector) -> tuple[float, float, float]:
    """The mean of paired differences with its bootstrap interval."""
    rng = np.random.default_rng(1)
    means = gain[rng.integers(0, len(gain), (RESAMPLES, len(gain)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(gain.mean()), float(low), float(high)


def report(name: str, talks: Sequence[Sequence[Case]], weights: Weights) -> dict[str, Stored]:
    """One data set's tables; by kind of question, and signal by signal, for :data:`TALK`."""
    kinds = weights == TALK
    asked = [case for talk in talks for case in talk]
    labels = np.array([case.kind for case in asked])
    brought = [len(c.gold & set(c.candidates.tolist())) / len(c.gold) for c in asked]
    size = np.mean([len(case.candidates) for case in asked])
    shipped = np.array(astuple(weights), np.float32)
    rows = {
        "flat": np.array([measured(c, c.flat) for c in asked], np.float32),
        "as shipped": np.array([measured(c, c.signals @ shipped) for c in asked], np.float32),
        "held out": held_out(talks, NAMES),
    }
    if kinds:
        rows |= {f"to {n}": held_out(talks, NAMES[: i + 1]) for i, n in enumerate(NAMES) if i > 1}
    shown = sorted(set(labels)) if kinds else []
    columns = [f"{measure}, {kind}" for measure in ("R@10", "all@10") for kind in shown]
    tables = {
        "ranking": storable(
            f"{name}: {len(asked)} questions; {size:.0f} candidates each,"
            f" with {np.mean(brought):.3f} of the evidence",
            ("ranking", "R@10", "nDCG@10", "all@10", *columns),
            [_line(label, row, labels, shown) for label, row in rows.items()],
        )
    }
    if kinds:
        tables["signals"] = _lost(talks, rows["held out"])
    fitted = zip(NAMES, fit(asked, NAMES).tolist(), shipped.tolist(), strict=True)
    tables["weights"] = storable(f"{name}: weights", ("signal", "fitted", "shipped"), fitted)
    return tables


def _lost(talks: Sequence[Sequence[Case]], everything: Matrix) -> Stored:
    """What leaving a signal out costs, held out."""
    without = {name: held_out(talks, [n for n in NAMES if n != name]) for name in NAMES}
    columns = [
        f"{measure}{part}" for measure in ("R@10", "nDCG@10") for part in ("", ", low", ", high")
    ]
    rows = [
        (name, *interval(everything[:, 0] - row[:, 0]), *interval(everything[:, 1] - row[:, 1]))
        for name, row in without.items()
    ]
    return storable("Loss without a signal, and its 95% interval", ("left out", *columns), rows)


def _line(
    label: str, row: Matrix, labels: npt.NDArray[np.str_], shown: Sequence[str]
) -> tuple[Any, ...]:
    parts = [row[labels == kind] for kind in shown]
    means = [*row.mean(axis=0), *(p[:, 0].mean() for p in parts), *(p[:, 2].mean() for p in parts)]
    return (label, *means)


def _question(text: str, about: Address, vector: Vector, encoding: Encoding) -> Question:
    tokens, weights = late.query_tokens(encoding)
    periods = [Period(m.first, m.last, not m.year_known) for m in question_dates(text)]
    return Question(tokens, weights, vector, about.speaker, periods)


def _number(key: str) -> int:
    return int(key.rpartition("_")[2])


def _moment(text: str, form: str) -> datetime:
    return datetime.strptime(text, form).replace(tzinfo=UTC)


def main() -> None:
    """Measure both data sets, and publish the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="locomo-dev.json and beam-dev/")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    encoder = OnnxEncoder()
    tables: dict[str, Stored] = {}
    for key, name, talks in (
        ("locomo", "LoCoMo", list(locomo(options.data / "locomo-dev.json"))),
        ("beam", "BEAM 100K", list(beam(options.data / "beam-dev"))),
    ):
        shipped = weights_for(talks[0].people)
        found = report(name, [cases(t, encoder, options.cache) for t in talks], shipped)
        tables |= {f"{key}-{part}": table for part, table in found.items()}
    publish(RESULTS, "python -m bench.dialogue_study --data DIR --cache CACHE", tables)


if __name__ == "__main__":
    main()
