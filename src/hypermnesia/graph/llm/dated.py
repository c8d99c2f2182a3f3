"""Dates in a fact that a model wrote: counted from the turn's own time, beside their phrases."""

from __future__ import annotations

import re
from datetime import datetime

from hypermnesia.graph.local.facts import leaves_date_open
from hypermnesia.language.dates import Mention, mentions

_NOTE = re.compile(r" ?\(([^()]{1,60})\)")
"""What stands in brackets right behind a phrase."""


def dated(content: str, at: datetime) -> tuple[str, tuple[Mention, ...]]:
    """A fact with the date beside each relative phrase, and its dates with their places.

    A date that the model put there stays if it agrees with the phrase, counted from ``at``; one
    that contradicts is replaced, because models count from the wrong day. A phrase without a
    date gets it.

    Args:
        content: the fact.
        at: when its turn was said.
    """
    out: list[str] = []
    place = noted = 0
    for mention in mentions(content, at):
        if mention.start < noted or not leaves_date_open(mention):
            continue
        note = _NOTE.match(content, mention.end)
        written = mentions(note[1], at) if note else []
        noted = note.end() if note and written else mention.end
        if not any(_meet(mention, other) for other in written):
            out += [content[place : mention.end], f" ({mention.text})"]
            place = noted
    whole = "".join(out) + content[place:]
    return whole, _distinct(whole, mentions(whole, at))


def _distinct(content: str, found: list[Mention]) -> tuple[Mention, ...]:
    """Without those in brackets that say again what the phrase before them says."""
    kept: list[Mention] = []
    for mention in found:
        bracketed = content[: mention.start].endswith(("(", "(the ", "(on "))
        if not (bracketed and kept and _meet(kept[-1], mention)):
            kept.append(mention)
    return tuple(kept)


def _meet(one: Mention, other: Mention) -> bool:
    return one.first <= other.last and other.first <= one.last
