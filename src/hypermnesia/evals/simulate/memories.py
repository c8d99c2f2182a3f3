"""The memories of a long-horizon engineering agent, made up from one seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypermnesia.evals.simulate import vocabulary as words
from hypermnesia.evals.simulate.texts import Fact, chatter, concepts, facts, slots
from hypermnesia.evals.simulate.world import Row

START = datetime(2025, 1, 6, 9, tzinfo=UTC)
SESSIONS = 95
"""Of the published workload; here about one every four days."""
SESSION_GAP = timedelta(days=4)
CHAINS = (2, 2, 3, 3, 4)
"""Lengths that a supersede chain is drawn from (published workload)."""
SUBJECTS = 45 / 900
PATHS = 170 / 900
CHATTER = 150 / 900
REPEATS = 20 / 900
"""Shares of all memories. What they and the semantic pairs leave is facts of which many are
alike."""
RESTATED = 0.12
"""Share of facts and subjects that a later session tells once more in other words."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A row that has no id yet; ``moment`` is its place in time, in [0, 1)."""

    moment: float
    text: str
    kind: str
    about: str = ""
    value: str = ""
    was: str = ""
    until: float | None = None
    names: tuple[str, ...] = ()


def memories(rng: random.Random, count: int) -> tuple[list[Row], dict[str, datetime]]:
    """``count`` memories in order of time, and when some of them are stored a second time."""
    repeats = round(count * REPEATS)
    wanted = count - repeats
    drafts = [
        *_subjects(rng, max(4, round(count * SUBJECTS))),
        *_concepts(rng, min(len(concepts()), round(wanted * 0.07))),
        *_paths(rng, round(count * PATHS)),
        *_chatter(rng, round(count * CHATTER)),
    ]
    alike = _facts(rng)
    while len(drafts) < wanted:
        drafts.extend(next(alike))
    rows = dated(drafts[:wanted])
    again = rng.sample([row for row in rows if row.kind != "subject"], repeats)
    last = rows[-1].at
    return rows, {row.id: last + timedelta(minutes=i + 1) for i, row in enumerate(again)}


def dated(drafts: Sequence[Draft]) -> list[Row]:
    """Rows with ids in order of time; every one has a minute of its own."""
    order = sorted(drafts, key=lambda draft: draft.moment)
    # A row begins where its draft's moment falls among the sessions, in steps of a minute.
    starts = {
        id(draft): START + SESSION_GAP * int(draft.moment * SESSIONS) + timedelta(minutes=position)
        for position, draft in enumerate(order)
    }
    return [
        Row(
            id=f"m{position:04d}",
            text=draft.text,
            at=starts[id(draft)],
            kind=draft.kind,
            about=draft.about,
            value=draft.value,
            was=draft.was,
            until=None if draft.until is None else _start_of(order, starts, draft),
            names=draft.names,
            session=int(draft.moment * SESSIONS),
        )
        for position, draft in enumerate(order)
    ]


def _start_of(order: Sequence[Draft], starts: dict[int, datetime], draft: Draft) -> datetime:
    """When the version that follows a draft begins."""
    (successor,) = (d for d in order if d.about == draft.about and d.moment == draft.until)
    return starts[id(successor)]


def _subjects(rng: random.Random, count: int) -> Iterator[Draft]:
    places = [(project, slot) for project in words.PROJECTS for slot in slots()]
    for project, slot in rng.sample(places, min(count, len(places))):
        values = rng.sample(slot.values, rng.choice(CHAINS))
        moments = _apart(rng, len(values))
        about = f"{project}/{slot.slot}"
        ends = [*moments[1:], None]
        texts = [rng.choice(slot.first).format(P=project, V=values[0])]
        texts += [rng.choice(slot.change).format(P=project, O=o, V=v) for o, v in pairwise(values)]
        before = ["", *values[:-1]]
        for text, value, was, start, end in zip(texts, values, before, moments, ends, strict=True):
            yield Draft(start, text, "subject", about, value, was, end)
            if rng.random() < RESTATED:
                later = start + (1.0 if end is None else end - start) * rng.uniform(0.2, 0.8)
                if later < 1:
                    again = slot.restated.format(P=project, V=value)
                    yield Draft(later, again, "subject", about, value, "", end)


def _apart(rng: random.Random, count: int) -> list[float]:
    """Moments at which versions begin, at least half a share of the time from each other."""
    share = 0.95 / count
    return [share * (i + rng.uniform(0, 0.5)) for i in range(count)]


def _concepts(rng: random.Random, count: int) -> Iterator[Draft]:
    for place in sorted(rng.sample(range(len(concepts())), count)):
        concept = concepts()[place]
        about, moment = f"concept/{place}", rng.random()
        yield Draft(moment, concept.statement, concept.kind, about)
        if concept.restated:
            yield Draft(rng.uniform(moment, 1), concept.restated, concept.kind, about)


def _facts(rng: random.Random) -> Iterator[list[Draft]]:
    """Facts without end, each told once or twice: no two of one aspect of one holder."""
    seen = set[str]()
    while True:
        fact = rng.choice(facts())
        slots_of = _holder(rng, fact)
        about = "/".join([*slots_of.values(), fact.aspect])
        if about in seen:
            continue
        seen.add(about)
        value = rng.choice(fact.values)
        first, second = rng.sample(fact.statements, 2)
        moment = rng.random()
        told = [Draft(moment, first.format(V=value, **slots_of), fact.kind, about, value)]
        if rng.random() < RESTATED:
            text = second.format(V=value, **slots_of)
            told.append(Draft(rng.uniform(moment, 1), text, fact.kind, about, value))
        yield told


def _holder(rng: random.Random, fact: Fact) -> dict[str, str]:
    if fact.holder == "person":
        return {"N": rng.choice(words.PEOPLE)}
    return {"P": _favourite(rng, words.PROJECTS), "C": _favourite(rng, words.COMPONENTS)}


def _favourite(rng: random.Random, names: Sequence[str]) -> str:
    """One of the names, the first most often: much of the work concerns few of them."""
    return rng.choices(names, [1 / (rank + 2) for rank in range(len(names))])[0]


def _paths(rng: random.Random, count: int) -> Iterator[Draft]:
    """Files, symbols and tickets; what is found under one name is told in one to three rows."""
    made, number = 0, 0
    used = set[str]()
    while made < count:
        project, component = rng.choice(words.PROJECTS), rng.choice(words.COMPONENTS)
        path = (
            f"{rng.choice(words.FOLDERS)}/{project.lower()}/{component.replace(' ', '_')}/"
            f"{rng.choice(words.MODULES)}.{rng.choice(words.SUFFIXES)}"
        )
        symbol = rng.choice(words.VERBS) + rng.choice(words.OBJECTS) + rng.choice(words.OBJECTS)
        ticket = f"{project[:3].upper()}-{rng.randrange(100, 1000)}"
        if used & {path, symbol, ticket}:
            continue
        used |= {path, symbol, ticket}
        number += 1
        moment = rng.random()
        told: list[tuple[str, tuple[str, ...]]] = [
            (_path_text(rng, path, project, component), (path,))
        ]
        if rng.random() < 0.5:  # noqa: PLR2004 - every second file had a fault
            told.append((_fault_text(rng, path, ticket), (path, ticket)))
        if rng.random() < 0.5:  # noqa: PLR2004 - as above
            told.append((_symbol_text(rng, symbol, ticket), (symbol, ticket)))
        for text, names in told[: count - made]:
            kind = "project" if names == (path,) else "solution"
            about = f"file/{number}/{len(names)}/{names[0]}"
            yield Draft(moment, text, kind, about, names=names)
            moment = rng.uniform(moment, 1)
            made += 1


def _path_text(rng: random.Random, path: str, project: str, component: str) -> str:
    purpose = rng.choice(words.PURPOSES)
    return rng.choice((
        f"{path} holds {purpose} of the {component} in {project}.",
        f"In {project}'s {component}, {purpose} went into `{path}`.",
        f"Look at {path} for {purpose} ({component} of {project}).",
        f"{project}, {component}: {purpose} is in {path}.",
    ))  # fmt: skip


def _fault_text(rng: random.Random, path: str, ticket: str) -> str:
    symptom, cure = rng.choice(words.SYMPTOMS), rng.choice(words.CURES)
    return rng.choice((
        f"{ticket}: {path} {symptom}; {cure}.",
        f"Code in {path} {symptom} ({ticket}). Solved: {cure}.",
        f"Closed {ticket}. `{path}` {symptom}, {cure}.",
    ))  # fmt: skip


def _symbol_text(rng: random.Random, symbol: str, ticket: str) -> str:
    symptom, cure = rng.choice(words.SYMPTOMS), rng.choice(words.CURES)
    return rng.choice((
        f"{symbol}() {symptom}: {cure}. Ticket {ticket}.",
        f"While on {ticket} we saw that {symbol} {symptom}; {cure}.",
    ))  # fmt: skip


def _chatter(rng: random.Random, count: int) -> Iterator[Draft]:
    seen = set[str]()
    for _ in range(count):
        text = _said(rng)
        while text in seen:
            text = f"{text} {_said(rng)}"
        seen.add(text)
        yield Draft(rng.random(), text, "chatter")


def _said(rng: random.Random) -> str:
    project, component = rng.choice(words.PROJECTS), rng.choice(words.COMPONENTS)
    return rng.choice(chatter()).format(P=project, C=component, N=rng.choice(words.PEOPLE))
