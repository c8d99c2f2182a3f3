"""Fit the basis that token vectors are reduced with, and ship it as ``late.npz``.

Run from the repository's root, about a minute on two cores::

    .venv/bin/python training/late.py

Everything it learns from is made here: sentences drawn from templates written for this
project, and carrier sentences filled with words of the encoder's own vocabulary, so that the
basis covers words that no template thought of. No corpus is read.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.models.late import DIMENSIONS, FIRST_WORD
from hypermnesia.store.lexicon import STOP_WORDS
from hypermnesia.types import Matrix

WEIGHTS = Path("src/hypermnesia/models/weights/late.npz")
TEXTS = 9000
SEED = 20260503
CLITICS = frozenset({"s", "t", "d", "m", "ll", "re", "ve", "don"})
"""What the tokenizer leaves of contractions, and "don", the head of the commonest."""

Mask: TypeAlias = npt.NDArray[np.bool_]

# ruff: noqa: E501 - one template a line reads best
SLOTS: dict[str, str] = {
    "person": "Ana Bashir Chen Daria Elif Femi Grace Hugo Ines Jonas Kavya Lars Mina Noor Oskar Priya"
    " Quinn Rosa Sven Tomás Uma Viktor Wei Yara Zoe",
    "kin": "sister brother mother father cousin daughter son wife husband grandmother neighbour"
    " roommate boss colleague teacher friend nephew",
    "place": "Lisbon Oslo Kyoto Nairobi Denver Bergen Lyon Toronto Busan Cusco Galway Austin Prague"
    " Melbourne Jaipur the-coast the-mountains the-lake the-museum the-market the-library school"
    " the-hospital the-gym the-airport downtown the-harbour",
    "hobby": "pottery climbing violin chess sailing painting gardening photography baking swimming"
    " karate knitting birdwatching running cycling calligraphy surfing astronomy woodworking yoga",
    "thing": "bicycle guitar laptop kettle tent bookshelf camera sofa necklace backpack telescope"
    " piano scooter lamp notebook jacket phone ticket recipe puzzle aquarium drone mug quilt",
    "animal": "dog cat rabbit parrot tortoise puppy kitten horse hamster goldfish",
    "food": "lasagna sushi pancakes dumplings curry salad bread ramen tacos cheesecake soup pie"
    " coffee tea mango chocolate noodles risotto",
    "event": "wedding interview concert marathon exhibition funeral birthday graduation conference"
    " camping-trip picnic deadline surgery move promotion breakup festival recital workshop",
    "feeling": "thrilled nervous exhausted proud grateful worried calm lonely excited frustrated"
    " relieved hopeful overwhelmed jealous curious inspired",
    "when": "yesterday last-week on-Monday in-March two-days-ago tomorrow next-month this-morning"
    " on-12-June-2023 since-2019 last-summer at-4-pm every-Friday a-year-ago tonight",
    "tech": "Postgres Redis Kafka NATS React Django Flask Kubernetes Terraform Rust Go TypeScript"
    " GraphQL SQLite Elasticsearch RabbitMQ Docker nginx Celery FastAPI Prometheus Grafana",
    "part": "scheduler billing-service auth-module migration parser cache queue gateway webhook"
    " dashboard test-suite pipeline endpoint worker index connection-pool rate-limiter importer",
    "problem": "a-deadlock a-memory-leak a-race-condition timeouts stale-reads a-500-error flaky-tests"
    " a-null-pointer wrong-totals slow-queries an-expired-certificate a-dropped-connection",
    "path": "src/auth.py app/models/user.rb lib/queue.ts POL-358 v2.3 api/v1/orders README.md"
    " config.yaml test_login.py TICKET-91 main.go cache_key userId 10.0.0.8 port-8443",
    "reason": "it-was-cheaper latency-dropped nobody-maintained-it the-team-knew-it it-scales-better"
    " the-budget-ran-out customers-complained the-licence-changed it-kept-crashing"
    " the-doctor-advised-it we-needed-more-space it-makes-me-happy",
    "number": "2 3 5 7 12 15 20 42 90 128 250 400 1,200 3.5 99% $45 €300 60-seconds 10-km 4-GB",
    "subject": "history physics poetry law medicine economics chemistry philosophy geology theology"
    " linguistics politics nursing accounting architecture music biology",
    "body": "knee back shoulder heart stomach ankle wrist eyes lungs skin tooth",
}

TEMPLATES = """
{person}: I went to {place} with my {kin} {when} and we had {food}.
{person}: How was the {event}? I heard your {kin} was {feeling}!
{person}: My {kin} just adopted a {animal}, we are so {feeling} about it.
{person}: I've been into {hobby} {when}; it helps me when I feel {feeling}.
{person}: That's great! What got you started with {hobby}?
{person}: Thanks {person2}! I bought a {thing} in {place} for {number}.
{person}: Here is a photo of the {thing} my {kin} gave me. [shares a photo of a {thing} and a {animal}]
{person}: I felt {feeling} after the {event}, but my {kin} supported me.
{person}: We moved to {place} {when} because {reason}.
{person}: I'm studying {subject} and hope to teach {hobby} one day.
{person}: My {body} hurts since the {event}, so no {hobby} until {when}.
{person}: I can't believe the {event} is {when}! Are you {feeling}?
When did {person} go to {place}?
What does {person} think of {hobby} and {subject}?
Which {thing} did {person} buy for their {kin}?
How many {thing}s does {person}'s {kin} own now?
We chose {tech} over {tech2} for the {part} because {reason}.
The {part} in {path} hit {problem}; the fix was to raise the limit to {number}.
user: I'm getting {problem} in the {part} when I call {path}. Can you help me debug it with {tech}?
assistant: Sure. First check the {part}, then configure {tech} as in {path}: set the timeout to {number}.
Decision: the {part} moves from {tech} to {tech2} {when}; owner {person}.
{person} prefers {tech} and dislikes {tech2}; use {number} workers for the {part}.
Never deploy the {part} on Friday: {problem} cost us {number} {when}.
def load_{part}(path): return {tech}.connect("{path}", retries={number})
The average response time of the {part} is now {number} ms, down from {number2}.
Architecture: {part} publishes to {tech}, {part2} consumes, and {path} documents the schema.
As of {when} the {part} uses {tech2}, no longer {tech}.
Dr. {person} recommended {food} and {hobby} for the {body}.
The {subject} exam in {place} is {when}; bring a {thing}.
The recipe for {food} needs {number} minutes and {number2} grams of flour.
{person} was promoted {when} and leads {number} people on the {part}.
The river near {place} flooded {when}, and the {event} was cancelled because {reason}.
""".strip().splitlines()

CARRIERS = """
The {w} and the {w} were near the {w}.
{person}: I think {w} is about {w}, not {w}.
What is the {w} of {w}?
She said that {w} {w} would {w} after the {w}.
We talked about {w}, {w} and {w} {when}.
In {place} the {w} became {w} because of a {w}.
A {w} for {w} costs {number}.
The {part} handles {w} and {w} through the {w}.
""".strip().splitlines()


def fill(template: str, rng: random.Random, words: list[str]) -> str:
    """A sentence of a template; each ``{slot}`` or ``{slot2}`` draws anew, ``{w}`` any word."""

    def draw(match: re.Match[str]) -> str:
        name = match[1].rstrip("2")
        return rng.choice(words if name == "w" else SLOTS[name].split()).replace("-", " ")

    return re.sub(r"\{(\w+)\}", draw, template)


def texts(words: list[str], count: int, seed: int) -> list[str]:
    """Memories of one to four sentences, half of them from :data:`TEMPLATES`."""
    rng = random.Random(seed)
    out: list[str] = []
    for _ in range(count):
        templates = rng.choice((TEMPLATES, CARRIERS))
        out.append(
            " ".join(fill(rng.choice(templates), rng, words) for _ in range(rng.randint(1, 4)))
        )
    return out


def spread(directions: Matrix, seed: int) -> Matrix:
    """Rotate principal directions at random, ``(d, p)`` to ``(d, p)``.

    Inner products keep; the variance, which the first few directions held, is shared out, so
    that the sign of every dimension tells as much.
    """
    dimensions = directions.shape[1]
    rotation, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(dimensions, dimensions)))
    return (directions @ rotation).astype(np.float32)


def principal(tokens: Matrix, dimensions: int) -> Matrix:
    """The ``dimensions`` directions, ``(d, p)``, that keep most of the inner products of ``(n, d)``."""
    gram = tokens.T.astype(np.float64) @ tokens.astype(np.float64)
    return np.linalg.eigh(gram)[1][:, ::-1][:, :dimensions].astype(np.float32)


def piece_kinds(vocabulary: list[str]) -> tuple[Mask, Mask]:
    """Which pieces are dropped, and which of those have no letter or digit; both ``(vocabulary,)``."""
    # "don't" is split at the apostrophe: its halves are stop-words too.
    stops = {part for word in STOP_WORDS for part in re.split(r"\W", word) if part} | CLITICS
    marks = np.array([p[0] == "[" or not any(map(str.isalnum, p)) for p in vocabulary])
    return marks | np.isin(np.array(vocabulary), sorted(stops)), marks


def vocabulary(encoder: OnnxEncoder) -> list[str]:
    """The encoder's word pieces by id."""
    tokenizer = Tokenizer.from_file(str(encoder.directory / "tokenizer.json"))
    return [tokenizer.id_to_token(i) or "[]" for i in range(tokenizer.get_vocab_size())]


def corpus(pieces: list[str], count: int = TEXTS) -> list[str]:
    """What the basis is fitted on; see :func:`texts`."""
    words = [p for p in pieces[FIRST_WORD:] if p.isascii() and p.isalpha() and len(p) > 2]
    return texts(words, count, SEED)


def main() -> None:
    """Fit and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    out: Path = parser.parse_args().out
    encoder = OnnxEncoder()
    pieces = vocabulary(encoder)
    stops, marks = piece_kinds(pieces)
    encodings = encoder.encode(corpus(pieces))
    kept = np.concatenate([e.tokens[~stops[e.pieces]] for e in encodings])
    basis = spread(principal(kept, DIMENSIONS), SEED).astype(np.float16)
    np.savez_compressed(out, basis=basis, stops=stops, marks=marks)
    energy = np.square(kept @ basis.astype(np.float32)).sum() / np.square(kept).sum()
    print(
        f"{len(kept)} token vectors; {energy:.3f} of their energy kept; {out.stat().st_size} bytes"
    )


if __name__ == "__main__":
    main()
