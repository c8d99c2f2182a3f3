"""Questions on a simulated memory: four classes, each question with every row that answers it."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.simulate.texts import concepts, facts
from hypermnesia.evals.simulate.world import CLASSES, Class, Query, Row, answering

MENTIONS = (
    "What do we know about {X}?", "{X}", "Did we ever fix {X}, and how?", "notes on {X}",
    "Which memory talks of `{X}`?", "Something broke in {X} again. What happened last time?",
    "open {X} please, what is special there?",
)  # fmt: skip
NOW = (
    "What is the {S} of {P} now?", "Which {S} does {P} have at the moment?",
    "{P}: current {S}?", "Remind me what {P} settled on as its {S}.",
)  # fmt: skip
AS_OF = (
    "What was the {S} of {P} on {D}?", "Which {S} did {P} have on {D}?",
    "{D}: what was {P}'s {S}?",
)  # fmt: skip
BEFORE = (
    "What was the {S} of {P} before {V}?", "{P} has {V} as {S}; what came before that?",
    "Which {S} did {P} have until {V} took its place?",
)  # fmt: skip
SHAPES = ("now", "as_of", "now", "before", "as_of", "now")
"""Order in which temporal questions are asked: one half of what holds, the rest of earlier
states."""


def shares(count: int) -> dict[Class, int]:
    """Questions of each class: a quarter each, and the rest to ``pinpoint``, as published."""
    quarter = count // len(CLASSES)
    wanted: dict[Class, int] = dict.fromkeys(CLASSES, quarter)
    wanted["pinpoint"] += count - sum(wanted.values())
    return wanted


def questions(rng: random.Random, rows: Sequence[Row], count: int) -> tuple[Query, ...]:
    """``count`` questions, no two alike.

    Raises:
        InvalidInput: the memory is too small for so many.
    """
    asked: list[Query] = []
    makers = {
        "lexical": _mentions,
        "semantic": _meanings,
        "temporal": _times,
        "pinpoint": _facts,
    }
    for kind, wanted in shares(count).items():
        made = list(_first(makers[kind](rng, rows), wanted))
        if len(made) < wanted:
            raise InvalidInput(
                f"so few memories carry {len(made)} {kind} questions, not {wanted};"
                " ask for more memories or fewer questions"
            )
        asked += [
            _completed(replace(query, id=f"{kind}-{n:03d}"), rows) for n, query in enumerate(made)
        ]
    return tuple(asked)


def _first(queries: Iterator[Query], wanted: int) -> Iterator[Query]:
    for _, query in zip(range(wanted), queries, strict=False):
        yield query


def _completed(query: Query, rows: Sequence[Row]) -> Query:
    """The question with its golds, and the rows that give another value of the same thing."""
    golds = answering(rows, query)
    if query.shape not in {"now", "as_of"}:
        return replace(query, golds=golds)
    right = {row.value for row in rows if row.id in golds}
    stale = [r.id for r in rows if r.about == query.about and r.value not in right]
    return replace(query, golds=golds, stale=tuple(stale))


def _mentions(rng: random.Random, rows: Sequence[Row]) -> Iterator[Query]:
    names = list(dict.fromkeys(name for row in rows for name in row.names))
    for name in rng.sample(names, len(names)):
        text = rng.choice(MENTIONS).format(X=name)
        yield Query("", text, "lexical", "mention", name, ())


def _meanings(rng: random.Random, rows: Sequence[Row]) -> Iterator[Query]:
    told = list(dict.fromkeys(row.about for row in rows if row.about.startswith("concept/")))
    for about in rng.sample(told, len(told)):
        concept = concepts()[int(about.removeprefix("concept/"))]
        yield Query("", concept.question, "semantic", "meaning", about, ())


def _facts(rng: random.Random, rows: Sequence[Row]) -> Iterator[Query]:
    bank = {fact.aspect: fact for fact in facts()}
    told = list(dict.fromkeys(row.about for row in rows if row.about.split("/")[-1] in bank))
    for about in rng.sample(told, len(told)):
        *holder, aspect = about.split("/")
        names = dict(zip("PC" if len(holder) > 1 else "N", holder, strict=True))
        text = rng.choice(bank[aspect].questions).format(**names)
        yield Query("", text, "pinpoint", "fact", about, ())


def _times(rng: random.Random, rows: Sequence[Row]) -> Iterator[Query]:
    """Every subject once in some shape, then every subject in the next."""
    chains = _chains(rows)
    order = rng.sample(list(chains), len(chains))
    for turn in range(len(SHAPES)):
        for position, about in enumerate(order):
            query = _time(rng, SHAPES[(position + turn) % len(SHAPES)], about, chains[about])
            if turn == 0 or query.shape != "now":
                yield query


def _chains(rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    """The first row of every version of every subject, oldest first."""
    chains: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        versions = chains[row.about] if row.kind == "subject" else None
        if versions is not None and row.value not in {version.value for version in versions}:
            versions.append(row)
    return chains


def _time(rng: random.Random, shape: str, about: str, chain: Sequence[Row]) -> Query:
    project, slot = about.split("/")
    if shape == "now":
        text = rng.choice(NOW).format(S=slot, P=project)
        return Query("", text, "temporal", "now", about, ())
    place = rng.randrange(len(chain) - 1)
    if shape == "before":
        text = rng.choice(BEFORE).format(S=slot, P=project, V=chain[place + 1].value)
        return Query("", text, "temporal", "before", about, (), value=chain[place].value)
    span = chain[place + 1].at - chain[place].at
    middle = chain[place].at + span * rng.uniform(0.2, 0.8)
    day = middle.replace(hour=23, minute=59, second=59, microsecond=0) - timedelta(days=1)
    day = max(day, chain[place].at)
    text = rng.choice(AS_OF).format(S=slot, P=project, D=f"{day.day} {day:%B %Y}")
    return Query("", text, "temporal", "as_of", about, (), as_of=day)
