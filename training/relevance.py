"""Generated questions with the memory that answers each and memories that do not.

A frame holds memories and questions over the same slots. Negatives are the same frame with other
values (another person's city), other frames about the same subject, and random memories.
"""

# ruff: noqa: E501 - a template reads best on one line

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from training.memories import draw

_FRAMES: tuple[tuple[str, str], ...] = (
    ("{people} lives in {cities}.|{people} moved to {cities} and found a flat near the station.",
     "Where does {people} live?|{people} city|which town is {people} based in?"),
    ("{people} works as a {jobs} at {companies}.|{people} got a job as a {jobs}.",
     "What does {people} do for a living?|{people}'s profession|what is {people}'s job?"),
    ("{people} is allergic to {allergens}.|Careful, {people} can't have {allergens}.",
     "Does {people} have any allergies?|what must {people} avoid eating?|food restrictions of {people}"),
    ("{people} was born on {months} {n}.|We celebrated {people}'s birthday on {months} {n} with cake.",
     "When is {people}'s birthday?|{people} date of birth|when was {people} born?"),
    ("{people} has a dog called {pet_names}.|{people}: My dog {pet_names} chewed my shoes again!",
     "What is {people}'s dog called?|does {people} have pets?|name of {people}'s pet"),
    ("The {services} service listens on port {port}.|{services} port is {port}",
     "Which port does {services} use?|{services} port|what is the port of the {services} service?"),
    ("{people} owns the {services} service.|Ask {people} about {services}, she maintains it.",
     "Who is responsible for {services}?|owner of {services}|who maintains the {services} service?"),
    ("We moved {services} from {brokers} to {brokers} because {reasons}.|Decision: {services} uses {brokers}, {reasons}.",
     "Which message broker does {services} use?|why did we change the broker of {services}?|what is {services} built on for messaging?"),
    ("We chose {databases} for {services} since {reasons}.|{services} keeps its rows in {databases}.",
     "What database does {services} use?|where is the data of {services} stored?|{services} storage decision"),
    ("We fixed {bugs} by {fixes}.|{bugs} came back last week; {fixes} solved it for good.",
     "How did we solve {bugs}?|{bugs} fix|what to do about {bugs}?"),
    ("Project {projects} launches in {months}.|{projects} goes live on {months} {n}.",
     "When does {projects} launch?|release date of {projects}|{projects} deadline"),
    ("{projects} is {n2}% complete.|{people} said {projects} is blocked until {tools} is set up.",
     "What is the status of {projects}?|how far is {projects}?|progress on {projects}"),
    ("TODO: {tasks} before {weekdays}.|{people} will {tasks} next week.",
     "What is still open?|who will {tasks}?|plan to {tasks}"),
    ("I love {foods}.|{foods} is what I order every time.|I can't stand {foods}.",
     "What do I think about {foods}?|my favourite food|do I like {foods}?"),
    ("I prefer {editors} over {editors}.|User works in {editors} all day.",
     "Which editor does the user like?|preferred editor|what IDE should I assume?"),
    ("I enjoy {sports} because it {treats}.|{people} started {sports} in {year} and it {treats}.",
     "What sport is practised for fun?|why {sports}?|who does {sports}?"),
    ("{people} bought a {colours} {vehicles}.|{people}'s car is a {colours} {vehicles}.",
     "What car does {people} drive?|colour of {people}'s car|{people} vehicle"),
    ("{people} visited {countries} in {year}.|{people}: we just came back from {countries}, it was amazing!",
     "Where did {people} travel?|has {people} been to {countries}?|when did {people} go to {countries}?"),
    ("{people} speaks {languages}.|{people} has been learning {languages} since {year}.",
     "What languages does {people} know?|who speaks {languages}?|{people} language skills"),
    ("The {services} API allows {n2}0 requests per minute.|rate limit of {services}: {n2}0/min",
     "What is the rate limit for {services}?|how many requests does {services} allow?|{services} throttling"),
    ("{services} publishes events to {brokers} and {services} consumes them.|{services} is a {code} worker behind {brokers}.",
     "How does {services} communicate?|architecture of {services}|which language is {services} written in?"),
    ("{people} has {n} children.|{people}: my {n} kids had so much fun at the zoo.",
     "How many children does {people} have?|does {people} have kids?|{people}'s family"),
    ("{people} got engaged to {people} in {months}.|{people} told us about the wedding planned for {months}.",
     "When did {people} get engaged?|who is {people} going to marry?|{people} wedding"),
    ("{people} took up {hobbies} to relax.|{people}: {hobbies} has been such a great way to clear my mind lately.",
     "What does {people} do to relax?|what are {people}'s hobbies?|how does {people} unwind?"),
    ("{events} was moved to {weekdays} at {n}.|{events} is on {weekdays}.",
     "When is {events}?|what day is {events}?|time of {events}"),
    ("Invoice INV-{port} for {companies} is {n2}0 euros.|INV-{port}: {companies} paid {n2}0 euros in {months}.",
     "How much was INV-{port}?|status of invoice INV-{port}|INV-{port} amount"),
    ("The config of {services} lives in /etc/{services}/config.toml.|src/{services}/settings.py reads the environment",
     "Where is the {services} configuration?|config file of {services}|which file configures {services}?"),
    ("Deploys happen on {weekdays} after {people} signs off.|We release every {weekdays}.",
     "When do we deploy?|who approves releases?|release day"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shortlist:
    """One query, its candidates, and which of them help to answer it (1) or not (0)."""

    query: str
    candidates: tuple[str, ...]
    labels: tuple[int, ...]


def generate(seed: int, per_frame: int, size: int = 12) -> list[Shortlist]:
    """Shortlists of ``size`` candidates with one or two helpful ones each."""
    rng = random.Random(seed)
    return [_shortlist(rng, i, size) for i in range(len(_FRAMES)) for _ in range(per_frame)]


def _shortlist(rng: random.Random, index: int, size: int) -> Shortlist:
    memories, questions = (part.split("|") for part in _FRAMES[index])
    bound = _Bound(rng)
    question = bound.fill(rng.choice(questions))
    good = {bound.fill(m): 1 for m in rng.sample(memories, rng.choice((1, min(2, len(memories)))))}
    rows = dict(good)
    frozen = dict(bound.values)
    while len(rows) < size:
        other = rng.randrange(len(_FRAMES))
        template = rng.choice(_FRAMES[other][0].split("|"))
        kind = rng.random()
        if kind < 0.3 and bound.values and set(_slots(rng.choice(questions))) & set(bound.values):
            rows.setdefault(_changed(rng, rng.choice(memories), frozen), 0)
        elif kind < 0.6 and other != index:
            rows.setdefault(_Bound(rng, frozen).fill(template), 0)
        elif other != index:
            rows.setdefault(_Bound(rng).fill(template), 0)
    items = list(rows.items())
    rng.shuffle(items)
    return Shortlist(question, tuple(t for t, _ in items), tuple(v for _, v in items))


class _Bound:
    """Fills templates so that a slot keeps the value it got first."""

    def __init__(self, rng: random.Random, values: dict[str, str] | None = None) -> None:
        self._rng = rng
        self.values = dict(values or {})

    def fill(self, template: str) -> str:
        """Fill one template; a second use of a slot within it gets a value of its own."""
        seen: set[str] = set()

        def value(match: re.Match[str]) -> str:
            slot = match.group(1)
            if slot in seen:
                return draw(self._rng, slot)
            seen.add(slot)
            return self.values.setdefault(slot, draw(self._rng, slot))

        text = re.sub(r"\{(\w+)\}", value, template)
        return text[0].upper() + text[1:] if template.endswith((".", "?", "!")) else text


def _changed(rng: random.Random, template: str, values: dict[str, str]) -> str:
    """The same statement about another subject: the first slot of the template differs."""
    first = _slots(template)[0]
    kept = dict(values)
    while kept.get(first) == values.get(first):
        kept[first] = draw(rng, first)
    return _Bound(rng, kept).fill(template)


def _slots(template: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", template)
