"""Questions that a fact answers, by template, from what its statement has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypermnesia.language.dates import Mention

LONGEST = 160
"""Characters of a statement that a question repeats; a longer one asks too much at once."""

_REASON = re.compile(
    r",?\s+\b(?:because|'cause|cuz|due to|so that|in order to|thanks to)\b.*",
    re.IGNORECASE | re.DOTALL,
)


def queries(
    speaker: str,
    clause: str | None,
    keywords: Sequence[str],
    mentions: Sequence[Mention],
    where: str | None,
) -> tuple[str, ...]:
    """What, who, when, where and why, as far as the fact says.

    Args:
        speaker: who says it.
        clause: the fact when its persons were resolved, else ``None``: a question that repeats
            "I" would ask the wrong person.
        keywords: of the fact.
        mentions: its dates, with their places in the clause.
        where: the place named.
    """
    found: list[str] = []
    if keywords:
        found.append(f"What does {speaker} say about {' and '.join(keywords[:2])}?")
    if clause is None or len(clause) > LONGEST or not clause.startswith(speaker):
        return tuple(found)
    bare = re.sub(r"[\s.!,;]+$", "", _undated(clause, mentions))
    if bare.startswith(f"{speaker} "):
        found.append(f"Who{bare[len(speaker) :]}?")
    if mentions:
        found.append(f"When was it that {bare}?")
    if where:
        found.append(f"Where was it that {bare}?")
    if (shorter := _REASON.sub("", bare)) != bare:
        found.append(f"Why is it that {shorter}?")
    return tuple(found)


def _undated(clause: str, mentions: Sequence[Mention]) -> str:
    """The clause without the dates written beside phrases."""
    for mention in mentions:
        clause = clause.replace(f" ({mention.text})", "")
    return clause
