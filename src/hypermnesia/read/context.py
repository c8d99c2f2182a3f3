"""Packing hits into a prompt: dated, cited, without repeats, within a token budget."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from hypermnesia.models.tokens import count_tokens
from hypermnesia.types import Hit

HEADING = "What is remembered (most useful first; cite as [n]):"
CLIPPED_TOKENS = 24
"""A memory is cut to fit only if at least this much of it can be shown."""

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a numbered line of a context comes from.

    Attributes:
        clipped: only the beginning of the memory fitted.
    """

    number: int
    id: str
    score: float
    sources: tuple[str, ...]
    clipped: bool


class Context(str):  # noqa: SLOT000 - str allows no slots
    """A prompt-ready block of text that also knows its sources.

    Attributes:
        citations: one per numbered line, in order.
        tokens: at most this many tokens, see :func:`~hypermnesia.models.tokens.count_tokens`.
    """

    citations: tuple[Citation, ...]
    tokens: int

    def __new__(cls, text: str, citations: tuple[Citation, ...], tokens: int) -> Self:
        """Attach citations and cost to a text."""
        block = super().__new__(cls, text)
        block.citations = citations
        block.tokens = tokens
        return block


def pack(hits: Sequence[Hit], max_tokens: int) -> Context:
    """The best hits that fit, each on a line of its own; empty when none does."""
    lines = [HEADING]
    tokens = count_tokens(HEADING)
    citations: list[Citation] = []
    shown: set[tuple[str, ...]] = set()
    for hit in hits:
        words = tuple(_WORDS.findall(hit.content.casefold()))
        line, clipped = _fitting(hit, len(lines), max_tokens - tokens)
        if words in shown or line is None:
            continue
        shown.add(words)
        citations.append(Citation(len(lines), hit.id, hit.score, hit.sources, clipped))
        lines.append(line)
        tokens += count_tokens(line)
    if not citations:
        return Context("", (), 0)
    return Context("\n".join(lines), tuple(citations), tokens)


def _fitting(hit: Hit, number: int, budget: int) -> tuple[str | None, bool]:
    """The hit's line, cut at a word if need be; ``None`` when too little of it would fit."""
    content = " ".join(hit.content.split())
    line = _line(hit, number, content)
    if count_tokens(line) <= budget:
        return line, False
    words = content.split(" ")
    low, high = 0, len(words) - 1
    while low < high:  # the most words that fit
        middle = (low + high + 1) // 2
        if count_tokens(_line(hit, number, " ".join(words[:middle]) + " …")) <= budget:
            low = middle
        else:
            high = middle - 1
    cut = " ".join(words[:low])
    if count_tokens(cut) < CLIPPED_TOKENS:
        return None, False
    return _line(hit, number, cut + " …"), True


def _line(hit: Hit, number: int, content: str) -> str:
    node = hit.node
    until = "" if node.valid_until is None else f" until {node.valid_until:%Y-%m-%d}"
    return f"[{number}] {node.valid_from:%Y-%m-%d}{until}, {node.memory_type}: {content}"
