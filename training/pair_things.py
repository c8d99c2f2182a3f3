"""Pairs about things that belong to somebody: the same thing, another's, or another thing.

Most of what lies close together in a store has one shape and is about different things. What is
said of a thing has facets (where it stands, who looks after it), of which each has one value at a
time; what once happened to it has none.
"""

# ruff: noqa: E501 - tables and templates read best one row a line

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Facet:
    """Something a thing has one value of at a time: ``{H}`` holder, ``{T}`` thing, ``{V}`` value.

    Attributes:
        values: its values.
        says: ways to state it.
        changes: ways to announce a new value; ``{O}`` = the value before.
    """

    values: tuple[str, ...]
    says: tuple[str, ...]
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """A sort of holder with its things, their facets, and what can happen to them.

    Attributes:
        happened: single events; ``{V}`` is any value of the events' own.
        causes: those values.
    """

    holders: tuple[str, ...]
    things: tuple[str, ...]
    facets: tuple[Facet, ...]
    happened: tuple[str, ...]
    causes: tuple[str, ...]


_WHO = (
    "Yara",
    "Nils",
    "Olivia",
    "Rahul",
    "Bella",
    "Erik",
    "Keiko",
    "Tomas",
    "Wren",
    "Isolde",
    "Casper",
    "Mina",
)

SOFTWARE = Domain(
    holders=("Aurora", "Bramble", "Cinder", "Dovetail", "Ember", "Fathom", "Garnet", "Lantern", "Pelican", "Thistle"),
    things=("worker pool", "rate limiter", "login page", "image cache", "job queue", "mail gateway", "backup script",
            "search box", "token service", "billing form", "crawler", "feed reader", "cart", "planner", "migrator", "router"),
    facets=(
        Facet(("MIT", "GPL", "BSD", "Apache", "a house licence", "no licence"),
              ("The {T} of {H} is under {V}.", "{H}'s {T} carries {V} as its licence.", "Licence of the {T} in {H}: {V}"),
              ("The {T} of {H} was relicensed from {O} to {V}.", "{H}'s {T} is under {V} now.", "We put the {T} of {H} under {V}.")),
        Facet(("a week", "ten days", "30 days", "a quarter", "two years", "400 days"),
              ("{H} keeps the records of its {T} for {V}.", "Records of {H}'s {T} stay for {V}.", "The {T} of {H} forgets everything after {V}."),
              ("{H} keeps the records of its {T} for {V} instead of {O}.", "Records of {H}'s {T} stay for {V} from now on.", "The {T} of {H} was changed to forget everything after {V}.")),
        Facet(_WHO,
              ("{V} maintains the {T} in {H}.", "Questions on {H}'s {T} go to {V}.", "{V} answers for the {T} of {H}.", "Maintainer of {H}'s {T}: {V}"),
              ("{V} took the {T} of {H} over from {O}.", "{V} maintains the {T} in {H} now, {O} has left.", "{O} handed {H}'s {T} to {V}.")),
        Facet(("40", "60", "150", "200", "350", "500", "900"),
              ("{H}'s {T} takes at most {V} requests at once.", "The {T} of {H} is limited to {V} requests.", "Limit of the {T} in {H}: {V} requests"),
              ("The limit of {H}'s {T} went up from {O} to {V} requests.", "{H}'s {T} takes {V} requests at once now.", "We raised the {T} of {H} to {V} requests.")),
        Facet(("dark green", "teal", "plain grey", "high contrast", "the winter theme", "the old logo"),
              ("{H}'s {T} is styled in {V}.", "The {T} of {H} wears {V}.", "Look of the {T} in {H}: {V}"),
              ("{H}'s {T} is styled in {V} instead of {O} now.", "The {T} of {H} was restyled in {V}.", "The look of {H}'s {T} changed from {O} to {V}.")),
        Facet(("the free plan", "the team plan", "the gold plan", "pay as you go", "a flat fee"),
              ("{H} has its {T} on {V}.", "The {T} of {H} is billed on {V}.", "Price of {H}'s {T}: {V}"),
              ("{H} moved its {T} from {O} to {V}.", "The {T} of {H} is billed on {V} now.", "We put {H}'s {T} on {V}.")),
        Facet(("rack 4", "rack 11", "the cellar", "the blue cabinet", "a rented server", "the spare laptop"),
              ("{H}'s {T} lives on {V}.", "You find the {T} of {H} on {V}.", "Place of the {T} in {H}: {V}"),
              ("{H}'s {T} was carried from {O} to {V}.", "You find the {T} of {H} on {V} now.")),
        Facet(("Chrome only", "all browsers", "Safari and Firefox", "screens from 800 pixels", "phones", "tablets"),
              ("{H}'s {T} supports {V}.", "The {T} of {H} was made for {V}.", "Support of {H}'s {T}: {V}"),
              ("{H}'s {T} supports {V} now instead of {O}.", "Support of {H}'s {T} was widened from {O} to {V}.")),
    ),
    happened=(
        "{H}'s {T} choked on {V}; repaired.", "The {T} of {H} does not stall on {V} any more.", "We traced the outage of {H}'s {T} to {V} and took care of it.",
        "{H}, {T}: {V} was the culprit, gone since the patch.", "Yesterday {V} took {H}'s {T} down for an hour.", "{H} gives up its {T} next year, {V} was the last straw.",
        "The {T} of {H} was shown at the fair and nobody noticed {V}.", "{H} had its {T} reviewed from outside; they found {V}.", "A student writes a thesis on {V} in {H}'s {T}.",
        "A customer complained about {V} in the {T} of {H}.", "The {T} of {H} is on the way out; a bought one comes in its place.", "We looked at the {T} of {H} with the whole team.",
        "{H}'s {T} won a prize in spite of {V}.", "The idea for {H}'s {T} came up over lunch.",
    ),
    causes=("empty headers", "a stale lock", "daylight saving", "long file names", "slow DNS", "a missing index", "double encoding", "too many threads",
            "old certificates", "negative amounts", "Turkish letters", "an endless loop"),
)  # fmt: skip

HOUSE = Domain(
    holders=("the Porto office", "ward B", "the Graz plant", "Villa Sol", "the north wing", "Hall 7", "Leith Street", "the Odense depot", "Mill Farm"),
    things=("boiler", "lift", "dishwasher", "gate", "coffee machine", "projector", "freezer", "fire alarm", "printer", "water pump", "thermostat", "meeting room"),
    facets=(
        Facet(_WHO,
              ("{V} has the key to the {T} in {H}.", "{V} services the {T} of {H}.", "For the {T} in {H} ring {V}.", "Caretaker of the {T} in {H}: {V}"),
              ("{V} services the {T} of {H} now, no longer {O}.", "{O} gave the key to the {T} in {H} to {V}.", "For the {T} in {H} ring {V} instead of {O}.")),
        Facet(("in January", "in April", "in August", "every spring", "each quarter", "in week 12"),
              ("The {T} of {H} is inspected {V}.", "Inspection of the {T} in {H}: {V}", "They check the {T} in {H} {V}."),
              ("The inspection of the {T} in {H} was moved to {V}.", "The {T} of {H} is inspected {V} instead of {O}.")),
        Facet(("12", "18", "21", "45", "60", "80"),
              ("The {T} in {H} is set to {V}.", "Setting of the {T} of {H}: {V}", "We run the {T} of {H} at {V}."),
              ("The {T} in {H} was turned from {O} to {V}.", "The {T} in {H} is set to {V} now.")),
        Facet(("Bosch", "Otis", "Miele", "Siemens", "Canon", "Philips", "Kone"),
              ("The {T} in {H} is from {V}.", "{V} built the {T} of {H}.", "Make of the {T} in {H}: {V}"),
              ("The {T} in {H} was replaced by one from {V}.", "{O} took back the {T} of {H}; the new one is from {V}.")),
    ),
    happened=(
        "The {T} of {H} was dead on {V}; fixed the same day.", "The {T} in {H} was cleaned on {V}.", "On {V} the {T} of {H} leaked, which is over now.",
        "{H} ordered filters for its {T} on {V}.", "Somebody got stuck at the {T} of {H} on {V}.", "The {T} of {H} will be thrown out, a rented one comes.",
        "Photos of the {T} in {H} are in the folder of {V}.", "Noise from the {T} in {H} on {V}; a loose screw, tightened.",
    ),
    causes=("Monday", "Tuesday morning", "Whit Sunday", "3 May", "9 August", "the first of June", "Saturday night"),
)  # fmt: skip
DOMAINS = (SOFTWARE, SOFTWARE, HOUSE)

PEOPLE: tuple[Facet, ...] = (
    Facet(("before nine", "in the lunch break", "after school", "on the train home", "late at night", "between calls"),
          ("{H} picks up the phone {V}.", "You reach {H} {V}.", "The best time to ring {H} is {V}."),
          ("{H} picks up the phone {V} now, not {O}.", "You reach {H} {V} from now on.")),
    Facet(("Polish", "Dutch", "Swedish", "plain English", "Catalan"),
          ("Prepare the minutes for {H} in {V}.", "Letters to {H} are written in {V}.", "{H} wants the handouts in {V}."),
          ("From now on prepare the minutes for {H} in {V}.", "{H} wants the handouts in {V} instead of {O}.")),
    Facet(("by e-mail", "as a PDF", "on paper", "as a voice note", "in the shared folder"),
          ("Send {H} the weekly figures {V}.", "{H} gets the weekly figures {V}.", "The weekly figures for {H} go out {V}."),
          ("Send {H} the weekly figures {V} from now on.", "{H} gets the weekly figures {V} rather than {O} now.")),
    Facet(("an aisle seat", "a room with a desk", "the vegan menu", "a ground-floor flat", "a late check-in"),
          ("Book {V} for {H}.", "{H} needs {V} when travelling.", "For {H} we always reserve {V}."),
          ("Book {V} for {H} from now on, no longer {O}.", "{H} needs {V} instead of {O} when travelling.")),
    Facet(("the quarterly report", "new interns", "the holiday list", "safety training", "customer tours"),
          ("{H} is in charge of {V} on our floor.", "{V} is up to {H} on our floor."),
          ("{H} is in charge of {V} on our floor now, not of {O} any more.",)),
)  # fmt: skip
"""What holds of a person: two people may share every value."""

EVENTS: tuple[str, ...] = (
    "I paid {N} euros for {A}.", "We spent {N} dollars on {A} today.", "I bought {N} {B} at the market.", "{P} ran {N} km along the river.",
    "{P} read {N} pages of the manual.", "We met {P} in {C}.", "I had dinner with {P} in {C}.", "{P} flew to {C} for a day.", "{P} called about {A}.",
    "Sold {N} {B} to {P}.", "I gave {P} {N} {B}.", "Our team won by {N} points against {C}.", "We drove {N} km to {C}.", "I slept {N} hours.",
    "{P} lent me {N} euros.", "I watched a match with {P}.", "The courier brought {N} parcels.", "{P} planted {N} {B}.", "The stock rose {N} points on that day.",
    "Deploy number {N} failed at {C}.", "{P} reported a crash in {C}.", "We shipped {N} boxes to {C}.", "The test run took {N} minutes.", "I posted {N} letters to {P}.",
    "{P} invited {N} guests for {A}.", "The dentist charged {N} euros for {A}.", "I walked {N} steps around {C}.", "{P} donated {N} dollars for {A}.",
)  # fmt: skip
"""Single events: the next one of the kind takes nothing back."""
_CORRECTED = (
    "Correction: {new}",
    "I was wrong about that: {new}",
    "Actually it was like this: {new}",
)
_A = (
    "lunch",
    "a taxi",
    "the concert",
    "two tickets",
    "a haircut",
    "the parking",
    "coffee",
    "flowers",
)
_B = ("apples", "chairs", "tulips", "stamps", "candles", "shirts", "lamps")
_C = ("Turin", "Bergen", "Leipzig", "Ghent", "Nantes", "Split", "Aarhus")


def things(rng: random.Random) -> Iterator[tuple[str, str, bool, str]]:
    """Existing and incoming text, whether it supersedes, and the kind of case."""
    for _ in range(3):
        yield from _of_things(rng, rng.choice(DOMAINS))
        yield from _of_people(rng)
        yield from _of_events(rng)


def _of_things(rng: random.Random, domain: Domain) -> Iterator[tuple[str, str, bool, str]]:
    (holder, strange), (thing, other) = rng.sample(domain.holders, 2), rng.sample(domain.things, 2)
    facet, second = rng.sample(domain.facets, 2)
    old, new, third = rng.sample(facet.values, 3)
    say = rng.choice(facet.says)
    stated = _put(say, holder, thing, old)
    again = _put(rng.choice((say, *facet.says)), holder, thing, new)
    changed = _put(rng.choice(facet.changes), holder, thing, new, old)
    later = _put(rng.choice(facet.changes), holder, thing, third, new)
    yield stated, again, True, "thing"
    yield stated, changed, True, "thing"
    yield changed, later, True, "thing"
    yield again, later, True, "thing"
    yield stated, _put(rng.choice(facet.says), holder, thing, old), False, "duplicate"
    for whose, which in ((strange, thing), (holder, other), (strange, other)):
        value = rng.choice((old, new))
        yield stated, _put(say, whose, which, value), False, "thing"
        yield changed, _put(rng.choice(facet.changes), whose, which, third, old), False, "thing"
    value, before = rng.sample(second.values, 2)
    aside = (_put(rng.choice(second.says), holder, thing, value), _put(rng.choice(second.changes), holder, thing, value, before),
             *(_put(text, holder, thing, rng.choice(domain.causes)) for text in rng.sample(domain.happened, 3)))  # fmt: skip
    for text in aside:
        yield rng.choice((stated, again)), text, False, "facet"
    yield aside[-1], stated, False, "facet"
    event = rng.choice(domain.happened)
    cause, another = rng.sample(domain.causes, 2)
    told = _put(event, holder, thing, cause)
    for whose, which in ((strange, thing), (holder, other)):
        yield told, _put(event, whose, which, rng.choice((cause, another))), False, "event"


def _of_people(rng: random.Random) -> Iterator[tuple[str, str, bool, str]]:
    person, other = rng.sample(_WHO, 2)
    for facet in rng.sample(PEOPLE, 2):
        old, new = rng.sample(facet.values, 2)
        say = rng.choice(facet.says)
        stated = _put(say, person, "", old)
        if facet is not PEOPLE[-1]:
            yield stated, _put(rng.choice(facet.changes), person, "", new, old), True, "thing"
            yield stated, _put(say, person, "", new), True, "thing"
        for value in (old, new):
            yield stated, _put(say, other, "", value), False, "person"
        yield stated, _put(rng.choice(facet.changes), other, "", new, old), False, "person"


def _of_events(rng: random.Random) -> Iterator[tuple[str, str, bool, str]]:
    for template in rng.sample(EVENTS, 3):
        slots = [
            {
                "N": str(rng.randint(2, 60)),
                "A": rng.choice(_A),
                "B": rng.choice(_B),
                "C": rng.choice(_C),
                "P": rng.choice(_WHO),
            }
            for _ in range(2)
        ]
        changed = rng.choice([name for name in slots[0] if f"{{{name}}}" in template])
        first = template.format(**slots[0])
        second = template.format(**slots[0] | {changed: slots[1][changed]})
        yield first, second, False, "event"
        yield first, template.format(**slots[1]), False, "event"
        if first != second and changed in "NC":
            correct = rng.choice(_CORRECTED).format(
                new=second[0].lower() + second[1:] if second.startswith(("We", "The")) else second
            )
            yield first, correct, True, "event"


def _put(template: str, holder: str, thing: str, value: str, old: str = "") -> str:
    text = template.format(H=holder, T=thing, V=value, O=old)
    return text[0].upper() + text[1:]
