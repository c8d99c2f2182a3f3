"""What kind of thing a question asks for, and whether a sentence has it to give.

English; a question in another language wants anything, which every sentence has.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Wanted: TypeAlias = Literal["date", "number", "person", "place", "anything"]

_AUXILIARY = r"(?:did|does|do|is|are|was|were|will|would|has|have|had|can|could|should)"
_DATE = re.compile(
    rf"\b(?:when(?:'s)?\b(?=\s+(?:{_AUXILIARY}|exactly)\b|'s)"
    r"|(?:what|which)\s+(?:\w+\s+)?(?:date|day|month|year|week|weekend)\b|since when|until when)",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\bhow\s+(?:many|much|often|old|long|far|tall|big|large|high|fast)\b"
    r"|\bwhat\s+(?:number|percentage|amount|price|port|age|size)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_PLACE = re.compile(
    r"\bwhere\b|\b(?:what|which)\s+(?:city|country|town|state|place|region|street)\b", re.IGNORECASE
)

_FIGURE = re.compile(
    r"\d|\b(?:once|twice|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen"
    r"|twenty|thirty|forty|fifty|hundred|thousand|million|couple|several)\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(
    r"(?<=[a-z,;:] )[A-Z][a-z]+|\b(?:my|her|his|their|our)\s+(?:\w+\s+)?"
    r"(?:mom|mum|mother|dad|father|parents|sister|brother|son|daughter|kids|children|wife|husband"
    r"|partner|friends?|boss|colleagues?|team|family|grandma|grandpa|aunt|uncle|cousin|teacher)\b"
)
_SOMEWHERE = re.compile(
    r"\b(?:in|at|to|from|near|around|on)\s+(?:the\s+)?(?:[A-Z][\w'-]+"
    r"|(?:my|our|a|the)\s+\w+)|\b(?:home|abroad|downtown|here)\b"
)


def wanted(question: str) -> Wanted:
    """What a question asks for, by its question words; the first that fits in this order."""
    if _DATE.search(question):
        return "date"
    if _NUMBER.search(question):
        return "number"
    if _PERSON.search(question):
        return "person"
    return "place" if _PLACE.search(question) else "anything"


def offers(sentence: str, what: Wanted, *, dated: bool) -> bool:
    """Whether a sentence has something of the kind that is wanted.

    Args:
        sentence: without its speaker.
        what: the kind.
        dated: it names a date.
    """
    match what:
        case "date":
            return dated
        case "number":
            return _FIGURE.search(sentence) is not None
        case "person":
            return _SOMEBODY.search(sentence) is not None
        case "place":
            return _SOMEWHERE.search(sentence) is not None
        case "anything":
            return True
