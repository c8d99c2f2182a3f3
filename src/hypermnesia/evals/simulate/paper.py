"""A workload after the description of the published one, its flaws included.

DGUI-HyperMem whitepaper (CTECX 2026): about 870 memories of 95 sessions, 20 subjects with chains of
two to four versions, templated fillers; 37 lexical, 39 pinpoint, 37 semantic and 37 temporal
questions with *one* gold each. Only what is active is indexed, although every second temporal
question asks for what was superseded; a template leaves several memories that answer equally well;
"lexical" questions carry no path, "semantic" ones share words with their gold. The texts are
ours: its findings can be checked on it, its figures cannot be expected.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from hypermnesia.evals.simulate import vocabulary as words
from hypermnesia.evals.simulate.memories import CHAINS, CHATTER, Draft, dated
from hypermnesia.evals.simulate.questions import shares
from hypermnesia.evals.simulate.texts import chatter, slots
from hypermnesia.evals.simulate.world import Class, Query, Row, World, answering

SUBJECTS = 20
PROJECTS = words.PROJECTS[:6]
CONCERNS = (
    "retries", "caching", "logging", "validation", "uploads", "sessions", "exports", "locking",
)  # fmt: skip
TOOLS = ("Redis", "Celery", "Pydantic", "Terraform", "Envoy", "Vault", "Airflow", "Sentry")
MANNERS = ("short", "explicit", "typed", "documented", "automatic", "minimal")
DUPLICATES = 0.05
"""Share of fillers that are an earlier text with a note added."""


@dataclass(frozen=True, slots=True)
class Filler:
    """A sort of templated memory and how it is asked for; ``{P} {K} {T} {M} {N}`` are filled."""

    kind: str
    text: str
    about: str
    asked: Class
    question: str


FILLERS = (
    Filler("decision", "Decision: {P} uses {T} for {K} because it is {M}.", "decision/{P}/{K}",
           "pinpoint", "what did we decide about {K} in {P}"),
    Filler("solution", "Fixed {K} in {P}: {T} needed a {M} setup.", "solution/{P}/{K}",
           "semantic", "how did we solve the trouble with {K} in {P}"),
    Filler("project", "The {K} code of {P} is at src/{P}/{K}/{T}_{M}.py.", "path/{P}/{K}",
           "lexical", "file for {K} in {P}"),
    Filler("architecture", "{P} architecture: {K} goes through {T}, kept {M}.", "flow/{P}/{K}",
           "pinpoint", "architecture of {K} in {P}"),
    Filler("preference", "{N} prefers {M} {K} with {T}.", "preference/{N}/{K}",
           "semantic", "what does {N} like when it comes to {K}"),
)  # fmt: skip


def paper_world(seed: int, count: int, asked: int) -> World:
    """The published kind of workload; ``golds`` may hold a row that was never stored.

    Args:
        seed: the same seed gives the same world.
        count: memories that are made; those superseded are left out of the rows.
        asked: questions.
    """
    rng = random.Random(f"{seed}/paper")  # noqa: S311 - a workload, not a secret
    subjects = list(_subjects(rng))
    rows = dated([*subjects, *islice(_fillers(rng), max(0, count - len(subjects)))])
    active = tuple(row for row in rows if row.until is None)
    return World(seed, active, {}, tuple(_questions(rng, rows, active, asked)))


def _subjects(rng: random.Random) -> Iterator[Draft]:
    places = [(project, slot) for project in PROJECTS for slot in slots()]
    for project, slot in rng.sample(places, SUBJECTS):
        values = rng.sample(slot.values, rng.choice(CHAINS))
        moments = sorted(rng.random() for _ in values)
        about = f"subject/{project}/{slot.slot}"
        for value, (start, end) in zip(values, pairwise([*moments, 1.0]), strict=True):
            text = f"{project} {slot.slot}: we now use {value}."
            yield Draft(start, text, "subject", about, value, "", None if end == 1 else end)


def _fillers(rng: random.Random) -> Iterator[Draft]:
    """Without end, no two of one text."""
    told: list[Draft] = []
    seen = set[str]()
    for number in itertools.count():
        if rng.random() < CHATTER:
            text = rng.choice(chatter()).format(
                P=rng.choice(PROJECTS), C=rng.choice(words.COMPONENTS), N=rng.choice(words.PEOPLE)
            )
            draft = Draft(rng.random(), text, "chatter")
        elif told and rng.random() < DUPLICATES:
            original = rng.choice(told)
            text = f"{original.text} (again, note {number})"
            draft = replace(original, moment=rng.random(), text=text)
        else:
            draft = _filler(rng)
            told.append(draft)
        if draft.text not in seen:
            seen.add(draft.text)
            yield draft


def _filler(rng: random.Random) -> Draft:
    filler = rng.choice(FILLERS)
    filled = {
        "P": rng.choice(PROJECTS), "K": rng.choice(CONCERNS), "T": rng.choice(TOOLS),
        "M": rng.choice(MANNERS), "N": rng.choice(words.PEOPLE),
    }  # fmt: skip
    about = filler.about.format(**filled)
    return Draft(rng.random(), filler.text.format(**filled), filler.kind, about)


def _questions(
    rng: random.Random, rows: Sequence[Row], active: Sequence[Row], asked: int
) -> Iterator[Query]:
    wanted = shares(asked)
    for kind in ("lexical", "semantic", "pinpoint"):
        sorts = {f.about.split("/")[0]: f for f in FILLERS if f.asked == kind}
        targets = [row for row in active if row.about.split("/")[0] in sorts]
        for number in range(wanted[kind]):
            target = rng.choice(targets)
            sort, holder, concern = target.about.split("/")
            text = sorts[sort].question.format(P=holder, N=holder, K=concern)
            yield Query(f"{kind}-{number:03d}", text, kind, "fact", target.about, (target.id,))
    yield from _temporal(rng, rows, wanted["temporal"])


def _temporal(rng: random.Random, rows: Sequence[Row], wanted: int) -> Iterator[Query]:
    """Every second one, beginning with the first, asks for what is superseded.

    None has stale rows: outdated versions are not stored, so none could come first.
    """
    versions = [row for row in rows if row.kind == "subject"]
    former = [row for row in versions if row.until is not None]
    current = [row for row in versions if row.until is None]
    for number in range(wanted):
        earlier = number % 2 == 0
        target = rng.choice(former if earlier else current)
        _, project, slot = target.about.split("/")
        yield Query(
            f"temporal-{number:03d}",
            f"{'previous' if earlier else 'current'} {slot} of {project}",
            "temporal",
            "before" if earlier else "now",
            target.about,
            (target.id,),
            value=target.value,
        )


def impossible(world: World) -> int:
    """Questions none of whose golds is stored."""
    stored = {row.id for row in world.rows}
    return sum(not stored.intersection(query.golds) for query in world.queries)


def ambiguous(world: World) -> int:
    """Questions that more rows answer than count."""
    return sum(len(answering(world.rows, query)) > len(query.golds) for query in world.queries)
