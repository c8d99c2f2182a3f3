"""Small conversations written for these tests, as the turns that construction sees."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime, timedelta

import numpy as np

from hypermnesia.graph.local import words
from hypermnesia.graph.messages import Message, Role
from hypermnesia.graph.model import EpisodeText, EpisodeView, Turn
from hypermnesia.language.dates import mentions
from hypermnesia.types import Vector

START = datetime(2024, 5, 8, 18, tzinfo=UTC)
"""A Wednesday."""
DIMENSIONS = 128


def vector_of(text: str) -> Vector:
    """A stand-in for an encoder: texts are alike as far as they share telling words."""
    total = np.full(DIMENSIONS, 0.02, np.float32)
    for word in words.telling(words.words(text)):
        seed = zlib.crc32(words.singular(word).encode())
        total += np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
    return (total / np.linalg.norm(total)).astype(np.float32)


def turn(
    speaker: str,
    text: str,
    position: int = 0,
    *,
    at: datetime = START,
    role: Role | None = None,
    caption: str | None = None,
) -> Turn:
    """One turn, with the content, dates and vector that an ingest gives it."""
    shown = f"[shares {caption}]" if caption else ""
    content = f"{speaker}: {' '.join(filter(None, (text, shown)))}"
    message = Message(speaker, text, role, at, f"t{position}", "talk", caption)
    return Turn(
        id=f"id-{position}",
        message=message,
        at=at,
        content=content,
        session="talk",
        position=position,
        mentions=tuple(mentions(content, at)),
        vector=vector_of(content),
    )


def talk(*lines: tuple[str, str], at: datetime = START, minutes: int = 1) -> list[Turn]:
    """Turns of (speaker, text), some minutes apart."""
    step = timedelta(minutes=minutes)
    return [turn(who, said, i, at=at + i * step) for i, (who, said) in enumerate(lines)]


def chat(*lines: tuple[Role, str], at: datetime = START) -> list[Turn]:
    """Turns of (role, text) of a chat with an assistant."""
    return [
        turn(role, said, i, at=at + timedelta(minutes=i), role=role)
        for i, (role, said) in enumerate(lines)
    ]


def view(
    name: str,
    title: str,
    *,
    days: int = 0,
    keywords: tuple[str, ...] = (),
    people: tuple[str, ...] = ("Ann", "Bo"),
) -> EpisodeView:
    """A stored episode about its title, some days after the start."""
    at = START + timedelta(days=days)
    text = EpisodeText(title, f"{title}.", f"{title}.", keywords or tuple(title.split()))
    return EpisodeView(name, text, people, at, at + timedelta(hours=1), vector_of(title))


POTTERY = (
    ("Ann", "Hey Bo! Long time no see. How are you?"),
    ("Bo", "Hi Ann! Good, thanks. Did you start the pottery class?"),
    ("Ann", "Yes! I started the pottery class in Lisbon last Friday, and my teacher is great."),
    ("Bo", "Cool! What do you make in the pottery class?"),
    ("Ann", "I made a clay bowl for my sister. The glaze on the bowl is blue."),
    ("Bo", "My pottery bowls always crack in the kiln, because the clay is too wet."),
    ("Ann", "My teacher dries the clay for two weeks before the kiln."),
)
"""Two people; one theme."""
MARATHON = (
    ("Bo", "By the way, I signed up for the Berlin marathon with my running club."),
    ("Ann", "Wow! How many miles does the running club train for the marathon?"),
    ("Bo", "About 40 a week, and my knee hurts after the long marathon runs."),
)
"""The same two go over to something else."""
OFFICE = (
    ("Mia", "The printer on floor 3 is broken again."),
    ("Noor", "I called the printer company yesterday, they come on Monday."),
    ("Olaf", "Can we use the printer of the design team until then?"),
    ("Pia", "Sure, our design team printer is free after 3 pm."),
)
"""A group of four."""
ASSISTED: tuple[tuple[Role, str], ...] = (
    ("user", "I'm planning a trip to Kyoto in November with a budget of 3,000 euros. Any tips?"),
    (
        "assistant",
        "Great choice! Here are some ideas:\n\n1. **Temples**: Visit Fushimi Inari before 8 am to"
        " avoid crowds.\n2. **Food**: Nishiki Market has more than 100 stalls.\n3. **Trains**: The"
        " Haruka Express from Kansai Airport takes 75 minutes.\n4. Pack warm clothes.\n5."
        " **Gardens**: Tofukuji is famous for its 2,000 maple trees.\n\n```python\n"
        "budget = 3000\n```\n\nEnjoy!",
    ),
    ("user", "Thanks! I booked a ryokan near Nishiki Market for 5 nights."),
)  # fmt: skip
"""A chat with an assistant."""
NOTES = (
    ("me", "Parked the car on level 4 of the Westgate garage."),
    ("me", "Dentist: crown on the lower left molar costs 640 dollars."),
    ("me", "The seed order has 12 tomato and 6 pepper varieties from Greenfield Seeds."),
)
"""One person's notes."""
