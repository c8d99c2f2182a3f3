"""Generated single memories with their type, durability and salience.

Templates give breadth of form, :mod:`training.slots` breadth of content; both are seeded, so
that the same seed writes the same texts.
"""

# ruff: noqa: E501 - a template reads best on one line

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from training import slots
from training.pair_frames import SCENES
from training.pair_reasons import KINDS, reasoned

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True, slots=True)
class Labelled:
    """One memory and what a judge should say of it (durable 0 or 1, salience 0 to 4)."""

    text: str
    memory_type: str
    durable: int
    salience: float


_SLOTS: dict[str, tuple[str, ...] | list[str]] = {
    name.lower(): getattr(slots, name) for name in dir(slots) if name.isupper()
}
_TEMPLATES: dict[tuple[str, int, float], tuple[str, ...]] = {
    ("fact", 1, 4): (
        "{people} is allergic to {allergens}.", "I am allergic to {allergens}.",
        "{relatives} cannot have {allergens}, it is an allergy.", "allergy: {allergens}",
        "Note that {people} reacts badly to {allergens}.",
        "{people} needs the medication every day at {n} pm.",
    ),
    ("fact", 1, 3): (
        "{people} lives in {cities}.", "I moved to {cities} in {year}.", "{relatives} works as a {jobs}.",
        "{people} is {n2} years old.", "{people} has a dog called {pet_names}.", "My cat is named {pet_names}.",
        "I drive a {colours} {vehicles}.", "The {services} service listens on port {port}.",
        "{services} db port is {port}", "{people} is the owner of the {services} service.",
        "{people} speaks {languages} and {languages}.", "The office in {cities} has {n2} desks.",
        "Our contract with {companies} ends in {months}.", "My birthday is on {months} {n}.",
        "The {services} API allows {n2}0 requests per minute.", "{companies} pays its invoices on the {n}th.",
        "{people} joined {companies} as a {jobs} in {year}.", "Version {n}.{n} of the {services} client is in production.",
        "The {services} team meets every {weekdays} at {n}.", "User's {relation} is called {people}.",
        "{people} studied in {cities} and then moved to {countries}.", "timeout for {services} is {n2} s",
        "My doctor's appointment is always on {weekdays}.", "{people} told me she grew up in {countries}.",
        "The {services} repository uses {code} {n}.{n2}.", "{people}'s phone extension is {port}.",
        "He has {n} children and lives near {cities}.", "The wifi at the {cities} office is called {companies}-Guest.",
        "We visited {countries} in {year} with {people}.", "{people} bought a {colours} {vehicles} last year.",
        "{people} got engaged to {people} in {months}.", "server location: {cities}",
    ),
    ("fact", 1, 2): (
        "{people} went {hobbies} with {relatives} last {weekdays}.", "I saw {people} at the {cities} market in {months}.",
        "{people} tried {foods} for the first time.", "I watched {films} with {people} on {weekdays}.",
        "There are {n2} photos from the {cities} trip.",
    ),
    ("preference", 1, 3): (
        "I prefer {drinks} to {drinks}.", "{people} loves {foods}.", "{relatives} hates {foods}.",
        "likes {hobbies}", "My favourite colour is {colours}.", "I enjoy {sports} because it {treats}.",
        "I dislike {films} because watching them {complaints}.", "{films}. I avoid them since it {complaints}.",
        "I love {books} as reading them {treats}.", "Please use {code} for examples.",
        "Always reply in {languages}.", "{people} prefers {editors} over {editors}.",
        "User prefers short answers with {code} snippets.", "{music} is my favourite, it {treats}.",
        "I can't stand {music}, it {complaints}.", "I'd rather go on {travel} than {travel}.",
        "{people} is really into {games}.", "No meetings before {n} please.", "I never want {clothes} as a gift.",
        "{clothes} suit me best.", "{pets}. Having them around {treats}.", "{relatives} adores {pets}.",
        "Don't add comments to generated {code}.", "We usually prefer {travel} in {months}.",
        "{sports}. It {treats} and I do it every week.", "I no longer enjoy {games}; it {complaints}.",
        "{people} wants all reports as tables.", "I like my {drinks} without sugar.",
    ),
    ("decision", 1, 4): (
        "We decided to use {databases} instead of {databases} because {reasons}.",
        "We chose {brokers} over {brokers} for {services}.", "Decision: {services} moves from {clouds} to {clouds}.",
        "The team agreed to rewrite {services} in {code} since {reasons}.",
        "We are switching from {tools} to {tools} because {reasons}.", "Rejected {databases}: {reasons}.",
        "We will not support {code} clients any more.", "ADR: {databases} is the system of record for {services}.",
    ),
    ("decision", 1, 3): (
        "I decided to stop {hobbies} for now.", "We picked {cities} for the offsite.", "{people} decided to move to {cities}.",
        "We settled on {weekdays} for releases.", "Going with {tools}, {reasons}.", "I chose the {colours} {vehicles}.",
        "After the discussion we opted for {clouds}.", "{people} and {people} agreed to share the {services} on-call.",
        "We concluded that {tools} is good enough.", "{companies} approved the new budget.",
        "I've made up my mind to learn {languages}.", "Decided against {tools}.", "chose {code} for the prototype, {reasons}",
    ),
    ("project", 1, 3): (
        "Project {projects} launches in {months}.", "{projects} is {n2}% complete.", "TODO: {tasks}",
        "We still need to {tasks} before the release.", "{people} is working on {projects}, due {weekdays}.",
        "The deadline for {projects} is {months} {n}.", "Milestone {n} of {projects} slipped by {n} weeks.",
        "Next sprint: {tasks} and {tasks}.", "The {services} migration is blocked on {people}.",
        "I am planning a trip to {countries} in {months}.", "Release {n}.{n} is scheduled for {weekdays}.",
        "{projects} was put on hold until {months}.", "Goal for this quarter: {tasks}.",
        "I'm preparing for the {languages} exam in {months}.", "The {projects} pilot starts with {companies}.",
        "todo {tasks}", "Status of {projects}: waiting for {people}'s review.", "{people} will {tasks} next week.",
        "We are building a new {services} service for {companies}.", "The house renovation should be finished by {months}.",
    ),
    ("solution", 1, 3): (
        "We fixed {bugs} by {fixes}.", "{bugs} was caused by {services}; solved by {fixes}.",
        "Fix for {bugs}: {fixes}.", "{fixes} solved the crash in {services}.", "Root cause of {bugs} was {tools}. {fixes} helped.",
        "If {services} hangs, try {fixes}.", "Workaround: {fixes} until {people} patches {services}.",
        "The {services} outage was resolved by {fixes}.", "{fixes} made {services} {n} times faster.",
        "It turned out that {tools} broke {services}. Downgrading to {n}.{n} fixed it.",
        "Got rid of {bugs} after {fixes}.", "the error on port {port} goes away when {fixes}",
    ),
    ("architecture", 1, 3): (
        "The {services} service publishes events to {brokers} and {services} consumes them.",
        "{services} stores its data in {databases}.", "All requests pass the API gateway before they reach {services}.",
        "The {services} module must not depend on {services}.", "{services} is a {code} worker behind {brokers}.",
        "We run {services} on {clouds} with {n} replicas.", "The frontend talks to {services} over gRPC.",
        "{databases} holds the orders, {databases} the search index.", "Each tenant has its own {databases} schema.",
        "{services} and {services} share a read model fed by {brokers}.", "The {services} cache sits between the gateway and {databases}.",
        "Architecture: {services} -> {brokers} -> {services} -> {databases}.", "The {code} client is generated from the {services} schema.",
        "Layers: handlers call {services}, which calls the repository on {databases}.",
    ),
    ("conversation", 0, 0): (
        "ok {people}, thanks!", "hi {people}", "Hello {people}, how are you?", "thanks {people}!", "running the {services} tests now",
        "Let me check the {services} logs.", "Reading {services}/main.py", "{n2} passed in {n}.{n}s", "see you on {weekdays}",
        "Executing: grep -rn {services} src", "I'm opening {tools} now.", "Good morning {people}!", "sounds good {people}",
        "can you look at {services} again?", "What do you think, {people}?", "lol {people} that's funny", "Have fun in {cities}!",
        "That's wonderful, {people}!", "Wow {people}, {hobbies} sounds fun!", "Let me know how it goes, {people}.",
        "Downloading {n2}%", "step {n} of {n} done", "Updated {services}.py, rerunning.", "So happy for you, {people}!",
        "Now let me edit the {services} module.", "exit code {n}", "{tools} is loading...", "ok, next file",
    ),
    ("conversation", 0, 1): (
        "I had {foods} for lunch.", "It's raining in {cities} today.", "Traffic in {cities} was bad this morning.",
        "I'm tired after {hobbies} today.", "I'm having {drinks} right now.", "{people} is late again today.",
    ),
}  # fmt: skip


def generate(seed: int, per_template: int) -> list[Labelled]:
    """Fill every template ``per_template`` times."""
    rng = random.Random(seed)
    out: dict[str, Labelled] = {}
    for (memory_type, durable, salience), templates in _TEMPLATES.items():
        for template in templates:
            for _ in range(per_template):
                text = _style(rng, fill(rng, template))
                out[text] = Labelled(text, memory_type, durable, salience)
    return list(out.values())


def about(rng: random.Random, person: str, service: str, count: int) -> list[str]:
    """Sentences of different templates that speak of the same person and service."""
    told = [
        t
        for (_, durable, _), ts in _TEMPLATES.items()
        if durable
        for t in ts
        if "{people}" in t or "{services}" in t
    ]
    return [
        fill(rng, t.replace("{people}", person, 1).replace("{services}", service, 1))
        for t in rng.sample(told, count)
    ]


def generate_longer(seed: int, count: int) -> list[Labelled]:
    """Preferences with reasons, and descriptions of scenes, which must not look like them."""
    rng = random.Random(seed)
    reasons = [t for _ in range(count) for t in reasoned(rng, rng.choice(sorted(KINDS)))]
    scenes = [
        f"{rng.choice(('A', 'The', 'There is a', 'Some'))} {rng.choice(SCENES['actor'])} is"
        f" {rng.choice(SCENES['act'])}{rng.choice(SCENES['place'])}"
        for _ in range(count)
    ]
    return [Labelled(t, "preference", 1, 3) for t in dict.fromkeys(reasons)] + [
        Labelled(t, "fact", 1, 2) for t in dict.fromkeys(scenes)
    ]


def fill(rng: random.Random, template: str) -> str:
    """Replace every ``{slot}`` by a random value; a sentence starts with a capital."""

    def value(match: re.Match[str]) -> str:
        return draw(rng, match.group(1))

    text = re.sub(r"\{(\w+)\}", value, template)
    keep = template[0].islower() and not template.endswith((".", "!", "?"))
    return text if keep else text[0].upper() + text[1:]


_MADE: dict[str, Callable[[random.Random], str]] = {
    "n": lambda rng: str(rng.randint(2, 12)),
    "n2": lambda rng: str(rng.randint(13, 95)),
    "port": lambda rng: str(rng.randint(1024, 9999)),
    "year": lambda rng: str(rng.randint(2005, 2027)),
    "version": lambda rng: f"{rng.randint(1, 9)}.{rng.randint(0, 20)}",
    "clock": lambda rng: f"{rng.randint(7, 20)}:{rng.choice(('00', '15', '30', '45'))}",
    "invoice": lambda rng: f"INV-{rng.randint(1000, 9999)}",
    "ticket": lambda rng: f"OPS-{rng.randint(10, 999)}",
    "onoff": lambda rng: rng.choice(("on", "off", "enabled", "disabled")),
    "status": lambda rng: rng.choice(
        ("on hold", "in beta", "cancelled", "on track", "blocked", "finished")
    ),
    "relation": lambda rng: rng.choice(("wife", "son", "sister", "manager", "best friend")),
}


def draw(rng: random.Random, slot: str) -> str:
    """One value of a slot."""
    return _MADE[slot](rng) if slot in _MADE else rng.choice(_SLOTS[slot])


def _style(rng: random.Random, text: str) -> str:
    """Registers: as is, without the full stop, all lower case, as a report about the user."""
    match rng.randrange(6):
        case 0:
            return text.rstrip(".")
        case 1:
            return text.lower().rstrip(".")
        case 2 if text.startswith("I ") and text.split()[1] in {
            "prefer",
            "enjoy",
            "love",
            "dislike",
        }:
            verb, rest = text.split(" ", 2)[1:]
            return f"User {verb}s {rest}"
        case _:
            return text


def read_cases(name: str) -> list[Labelled]:
    """Read a file of hand-written cases; its header explains the format."""
    out: list[Labelled] = []
    label = ("fact", 1, 3.0)
    for line in (CASES / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            memory_type, durable, salience = line[3:].split()
            label = (memory_type, int(durable), float(salience))
        elif line.strip() and not line.startswith("# "):
            out.append(Labelled(line, *label))
    return out
