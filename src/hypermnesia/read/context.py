"""Packing hits into a prompt: dated, cited, without repeats, within a token budget.

A turn and the facts taken from it say the same, so one of them is shown: the turn, in the place
of whichever ranks first, because it says more; but a long turn gives way to facts that rank
before it, because for its tokens many other memories could be shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self, TypeAlias

from hypermnesia.models.tokens import count_tokens
from hypermnesia.types import Hit, Node

HEADING = "What is remembered (most useful first; cite as [n]):"
CLIPPED_TOKENS = 24
"""A memory is cut to fit only if at least this much of it can be shown."""
BRIEF = 600
"""Characters up to which a turn stands in for its facts: what somebody says in one go. Answers of
assistants and pasted documents are longer."""
HEADS = 0.15
"""Share of the budget that episodes and topics may take. They are long and rank high for being
about everything: without a limit they push out the turns that answer."""
DATED = 8_000
"""Characters of a memory in which dates are written out."""
GIST = 160
"""Characters of a newer memory that are shown with what it superseded."""

Dater: TypeAlias = Callable[[str, datetime], str]
"""Writes the dates out that a text, said at a time, leaves to that time."""

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


def pack(
    hits: Sequence[Hit],
    max_tokens: int,
    successors: Mapping[str, Node] | None = None,
    dated: Dater | None = None,
) -> Context:
    """The best hits that fit, each on a line of its own; empty when none does.

    Args:
        hits: the most useful first.
        max_tokens: never exceeded.
        successors: by id, what superseded some of the hits.
        dated: applied to turns and facts; ``None`` = dates stay as they were said.
    """
    lines = [HEADING]
    tokens = count_tokens(HEADING)
    citations: list[Citation] = []
    shown: set[tuple[str, ...]] = set()
    heads = int(max_tokens * HEADS)
    for hit in _without_repeats(hits):
        words = tuple(_WORDS.findall(hit.content.casefold()))
        entry = _entry(hit, (successors or {}).get(hit.superseded_by or ""), dated)
        budget = max_tokens - tokens
        if hit.level in {"episode", "topic"}:
            budget = min(budget, heads)
        line, clipped = _fitting(entry, len(lines), budget)
        if words in shown or line is None:
            continue
        shown.add(words)
        if hit.level in {"episode", "topic"}:
            heads -= count_tokens(line)
        citations.append(Citation(len(lines), hit.id, hit.score, hit.sources, clipped))
        lines.append(line)
        tokens += count_tokens(line)
    if not citations:
        return Context("", (), 0)
    return Context("\n".join(lines), tuple(citations), tokens)


def _without_repeats(hits: Sequence[Hit]) -> Iterator[Hit]:
    """Turns or the facts taken from them, see the top of the module; everything else as it is."""
    turns = {said: hit for hit in hits if hit.level == "turn" and (said := _said(hit))}
    whole: set[tuple[str, str]] = set()
    in_parts: set[tuple[str, str]] = set()
    for hit in hits:
        said = _said(hit)
        if said is None or said not in turns:
            yield hit
            continue
        if said in whole or (hit.level == "turn" and said in in_parts):
            continue
        turn = turns[said]
        if hit.level == "turn" or len(turn.content) <= BRIEF:
            whole.add(said)
            yield turn
        else:
            in_parts.add(said)
            yield hit


def _said(hit: Hit) -> tuple[str, str] | None:
    """Session and external id of the turn that a hit is, or was taken from."""
    origin = hit.node.provenance
    if hit.level not in {"turn", "fact"} or origin.turn_id is None:
        return None
    return origin.session_id or "", origin.turn_id


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line in parts, of which the middle one may be cut."""

    before: str
    content: str
    after: str

    def line(self, number: int, content: str) -> str:
        return f"[{number}] {self.before}{content}{self.after}"


def _entry(hit: Hit, successor: Node | None, dated: Dater | None) -> _Entry:
    node, text = hit.node, hit.content
    if dated is not None and hit.level in {"turn", "fact"}:
        text = dated(text[:DATED], node.valid_from) + text[DATED:]
    after = ""
    if successor is not None:
        gist = _one_line(successor.content)
        gist = gist if len(gist) <= GIST else gist[:GIST].rsplit(" ", 1)[0] + " …"
        after = f' (superseded by "{gist}" on {successor.valid_from:%Y-%m-%d})'
    return _Entry(f"{node.valid_from:%Y-%m-%d}{_until(node)}, {_kind(hit)}", _one_line(text), after)


def _until(node: Node) -> str:
    """The end of what has one: of what no longer holds, or of an episode or topic."""
    if node.valid_until is not None:
        return f" until {node.valid_until:%Y-%m-%d}"
    end = node.metadata.get("end")
    if node.level in {"turn", "fact"} or not isinstance(end, str):
        return ""
    try:
        last = datetime.fromisoformat(end).date()
    except ValueError:  # a caller's own metadata
        return ""
    return "" if last == node.valid_from.date() else f" to {last}"


def _kind(hit: Hit) -> str:
    """What a line is; a turn says so by its speaker."""
    match hit.level:
        case "turn":
            return ""
        case "fact":
            return f"{hit.node.memory_type}: "
        case level:
            return f"{level}: "


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _fitting(entry: _Entry, number: int, budget: int) -> tuple[str | None, bool]:
    """The line, cut at a word if need be; ``None`` when too little of it would fit."""
    line = entry.line(number, entry.content)
    if count_tokens(line) <= budget:
        return line, False
    words = entry.content.split(" ")
    low, high = 0, len(words) - 1
    while low < high:  # the most words that fit
        middle = (low + high + 1) // 2
        if count_tokens(entry.line(number, " ".join(words[:middle]) + " …")) <= budget:
            low = middle
        else:
            high = middle - 1
    cut = " ".join(words[:low])
    if count_tokens(cut) < CLIPPED_TOKENS:
        return None, False
    return entry.line(number, cut + " …"), True
