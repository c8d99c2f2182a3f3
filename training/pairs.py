"""Pairs of an existing and an incoming memory, hand-written and generated.

Generated families follow what makes two statements compatible or not: an attribute with one value
at a time, one with many, tastes, single events, plans, scenes, and preferences with reasons.
"""

# ruff: noqa: E501 - tables and templates read best one row a line

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from training import dialogue, memories, pair_things
from training.memories import CASES, draw, fill
from training.pair_frames import ATTRIBUTES, ENDINGS, MANY, PLANS, SCENES, STATES, TASTES, Attribute
from training.pair_reasons import KINDS, reasoned


@dataclass(frozen=True, slots=True)
class Pair:
    """``incoming`` supersedes ``existing`` or not; ``family`` says what kind of case it is."""

    existing: str
    incoming: str
    supersedes: bool
    family: str


def read_pairs(name: str) -> list[Pair]:
    """Read a file of hand-checked pairs; its header explains the format."""
    out: list[Pair] = []
    family, answer = "", ""
    for line in (CASES / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            family, answer = line[3:].split()
        elif line.strip() and not line.startswith("# "):
            existing, incoming = line.split(" | ")
            out.append(Pair(existing, incoming, answer == "yes", family))
    return out


def generate(seed: int, rounds: int) -> list[Pair]:
    """About 60 pairs a round, half of them compatible; no pair twice."""
    rng = random.Random(seed)
    families: tuple[Callable[[random.Random], Iterator[Pair]], ...] = (
        _attributes, _many, _states, _tastes, _plans, _scenes, _reasons, _bystanders, _things,
    )  # fmt: skip
    found = {
        (pair.existing, pair.incoming): pair
        for _ in range(rounds)
        for family in families
        for pair in family(rng)
        if pair.existing != pair.incoming or not pair.supersedes
    }
    return list(found.values())


def _attributes(rng: random.Random) -> Iterator[Pair]:
    """One value at a time: a new value supersedes; paraphrases and other subjects do not."""
    for attribute in rng.sample(ATTRIBUTES, 14):
        subject = _subject(rng, attribute.subjects)
        old, new = _two(rng, attribute.values)
        say = rng.choice(attribute.says)
        stated = _put(say, subject, old)
        again = _put(rng.choice(attribute.says if rng.random() < 0.4 else (say,)), subject, new)
        changed = _put(rng.choice(attribute.changes), subject, new, old)
        yield Pair(stated, _styled(rng, rng.choice((again, changed))), True, "attribute")
        yield Pair(stated, again, True, "attribute")
        yield from _compatible(rng, attribute, subject, stated, (old, new))


def _compatible(
    rng: random.Random, attribute: Attribute, subject: str, stated: str, values: tuple[str, str]
) -> Iterator[Pair]:
    old, new = values
    say = rng.choice(attribute.says)
    yield Pair(stated, _put(say, subject, old), False, "duplicate")
    yield Pair(
        stated, _put(say, subject, old).rstrip(".") + rng.choice(ENDINGS), False, "elaboration"
    )
    other = _subject(rng, attribute.subjects)
    if other != subject:
        same_form = next(s for s in attribute.says if _put(s, subject, old) == stated)
        yield Pair(stated, _put(same_form, other, rng.choice((old, new))), False, "person")
        yield Pair(stated, _put(rng.choice(attribute.changes), other, new, old), False, "person")
    second = rng.choice(
        [a for a in ATTRIBUTES if a.subjects == attribute.subjects and a != attribute]
    )
    value = draw(rng, second.values)
    yield Pair(stated, _put(rng.choice(second.says), subject, value), False, "other attribute")
    yield Pair(stated, _put(rng.choice(second.changes), subject, value, draw(rng, second.values)), False,
               "other attribute")  # fmt: skip


def _many(rng: random.Random) -> Iterator[Pair]:
    """Many values at a time: a further one is compatible, an end supersedes."""
    for says, ends, subjects, values in rng.sample(MANY, 8):
        subject = _subject(rng, subjects)
        old, new = _two(rng, values)
        say = rng.choice(says)
        stated = _put(say, subject, old)
        yield Pair(stated, _put(say, subject, new), False, "many")
        yield Pair(stated, _put(rng.choice(says), subject, new), False, "many")
        if ends:
            yield Pair(stated, _put(rng.choice(ends), subject, old), True, "end")
            yield Pair(stated, _put(rng.choice(ends), subject, new), False, "end")
        other = _subject(rng, subjects)
        if other != subject and ends:
            yield Pair(stated, _put(rng.choice(ends), other, old), False, "end")


def _states(rng: random.Random) -> Iterator[Pair]:
    """A state that ended supersedes, either way; the state of something else does not."""

    def say(choices: tuple[str, ...]) -> str:
        text = fill(rng, rng.choice(choices))
        return text[0].lower() + text[1:]

    for subject, (before, after) in rng.sample(STATES, 9):
        who, other = fill(rng, subject), fill(rng, subject)
        first, second = say(before), say(after)
        yield Pair(f"{who} {first}", f"{who} {second}", True, "state")
        yield Pair(f"{who} {first}", f"{who} {say(before)}", False, "duplicate")
        if who != other:
            yield Pair(f"{who} {first}", f"{other} {second}", False, "person")
        for strange, groups in STATES:
            if strange == subject and groups != (before, after) and rng.random() < 0.2:
                yield Pair(f"{who} {first}", f"{who} {say(groups[0])}", False, "other attribute")


def _tastes(rng: random.Random) -> Iterator[Pair]:
    """A taste turned round supersedes; a taste for something else, or of somebody else, not."""
    for _ in range(6):
        subject = _subject(rng, "taste")
        slot = rng.choice(
            ("foods", "drinks", "hobbies", "music", "films", "books", "games", "travel")
        )
        old, new = _two(rng, slot)
        sides = ["like", "dislike"]
        rng.shuffle(sides)
        stated = _put(rng.choice(TASTES[sides[0]]), subject, old)
        yield Pair(stated, _put(rng.choice(TASTES[sides[1]]), subject, old), True, "taste")
        yield Pair(stated, _put(rng.choice(TASTES["now " + sides[1]]), subject, old), True, "taste")
        yield Pair(stated, _put(rng.choice(TASTES[sides[0]]), subject, old), False, "duplicate")
        yield Pair(
            stated, _put(rng.choice(TASTES[rng.choice(sides)]), subject, new), False, "taste"
        )
        other = _subject(rng, "taste")
        if other != subject:
            yield Pair(stated, _put(rng.choice(TASTES[sides[1]]), other, old), False, "person")


def _plans(rng: random.Random) -> Iterator[Pair]:
    """A cancelled plan supersedes; a completed one does not."""
    for plan, cancelled, completed in rng.sample(PLANS, 3):
        seed = rng.random()
        stated, off, done, other = (
            fill(random.Random(s), text) for s, text in ((seed, plan), (seed, cancelled), (seed, completed),
                                                          (rng.random(), plan))
        )  # fmt: skip
        yield Pair(stated, off, True, "plan")
        yield Pair(stated, done, False, "plan")
        yield Pair(stated, other, False, "plan")


def _scenes(rng: random.Random) -> Iterator[Pair]:
    """Descriptions of scenes: a denial supersedes, another detail or actor does not."""
    for _ in range(5):
        (actor, other_actor), (act, other_act) = (
            rng.sample(SCENES["actor"], 2),
            rng.sample(SCENES["act"], 2),
        )
        place = rng.choice(SCENES["place"])
        article = rng.choice(("A", "The"))
        stated = f"{article} {actor} is {act}{place}"
        denial = rng.choice((f"There is no {actor} {act}{place}", f"{article} {actor} is not {act}{place}",
                             f"{rng.choice(('The', 'A'))} {actor} isn't {act}{place}"))  # fmt: skip
        both = [stated, denial]
        rng.shuffle(both)
        yield Pair(both[0], both[1], True, "denial")
        yield Pair(denial, f"There is no {actor} {act}", False, "scene")
        for changed in (
            f"{article} {actor} is {other_act}{place}", f"{article} {other_actor} is {act}{place}",
            f"A {rng.choice(SCENES['quality'])} {actor} is {act}{rng.choice(SCENES['place'])}",
            f"There is no {actor} {other_act}{place}", f"The {other_actor} is not {other_act}{place}",
            f"A {actor} is {rng.choice(SCENES['manner'])} {act}",
        ):  # fmt: skip
            pair = [stated, changed]
            rng.shuffle(pair)
            yield Pair(pair[0], pair[1], False, "scene")


def _reasons(rng: random.Random) -> Iterator[Pair]:
    """Preferences with reasons: a revision within a kind supersedes, other kinds do not."""
    for _ in range(6):
        kind, other = rng.sample(sorted(KINDS), 2)
        existing, incoming = reasoned(rng, kind)
        yield Pair(existing, incoming, True, "reasoned")
        yield Pair(existing, reasoned(rng, other)[rng.randrange(2)], False, "reasoned")
        yield Pair(reasoned(rng, other)[0], incoming, False, "reasoned")


def _bystanders(rng: random.Random) -> Iterator[Pair]:
    """What really stands nearest in a store: other facts about the same, other turns of a talk."""
    for _ in range(10):
        person, service = draw(rng, "people"), draw(rng, "services")
        told = memories.about(rng, person, service, 4)
        yield Pair(told[0], told[1], False, "bystander")
        yield Pair(" ".join(told[:2]), " ".join(told[2:]), False, "bystander")
        news = rng.sample(dialogue.NEWS, 3)
        label = rng.choice((f"{person}: ", ""))
        yield Pair(
            label + dialogue.say(rng, news[:1]),
            label + dialogue.say(rng, news[1:]),
            False,
            "bystander",
        )
        yield Pair(
            label + dialogue.say(rng, news[2:]), label + dialogue.say(rng, []), False, "bystander"
        )
        yield Pair(
            label + dialogue.say(rng, []), label + dialogue.say(rng, news[:1]), False, "bystander"
        )
        yield Pair(label + dialogue.say(rng, []), label + dialogue.say(rng, []), False, "bystander")


def _things(rng: random.Random) -> Iterator[Pair]:
    """Things of several holders, what is said of them, and what happened to them."""
    for existing, incoming, supersedes, family in pair_things.things(rng):
        yield Pair(existing, incoming, supersedes, family)


def _subject(rng: random.Random, kind: str) -> str:
    match kind:
        case "person":
            return rng.choice((draw(rng, "people"), draw(rng, "people"), draw(rng, "relatives")))
        case "taste":
            return rng.choice(("I", "I", draw(rng, "people"), draw(rng, "relatives")))
        case "speaker":
            return rng.choice(("My", "My", "The user's", draw(rng, "people") + "'s"))
        case _:
            return draw(rng, kind)


def _two(rng: random.Random, slot: str) -> tuple[str, str]:
    old, new = draw(rng, slot), draw(rng, slot)
    while new == old:
        new = draw(rng, slot)
    return old, new


_FIRST = (
    (" likes ", " like "), (" loves ", " love "), (" hates ", " hate "), (" enjoys ", " enjoy "), (" has ", " have "),
    (" dislikes ", " dislike "), (" doesn't ", " don't "), (" is ", " am "), (" avoids ", " avoid "),
    (" adores ", " adore "), (" finds ", " find "), (" thinks ", " think "),
)  # fmt: skip


def _put(template: str, subject: str, value: str, old: str = "") -> str:
    """Fill ``S`` (subject), ``V`` (value) and ``O`` (the value before)."""
    text = template.format(S=subject, V=value, O=old)
    if subject == "I":
        for third, first in _FIRST:
            text = text.replace(third, first)
    return text[0].upper() + text[1:]


def _styled(rng: random.Random, text: str) -> str:
    return text.rstrip(".").lower() if rng.random() < 0.12 else text
