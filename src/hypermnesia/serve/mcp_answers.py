"""What tools answer: structured for programs, readable for models, and bounded for both."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hypermnesia.serial import plain
from hypermnesia.types import Hit, Node

MAX_RESULT = 10_000
"""Characters of a whole result as JSON, text and structure together."""
PAGE = 3_600
"""Characters, as JSON, of a content's page; it is sent twice, as text and as structure."""
CLIPS = (2000, 1200, 800, 500, 320, 200, 120, 80, 50)
"""Lengths that contents of a list are clipped to; the first that fits is taken."""
MAX_TAGS_SHOWN = 100
"""Characters of a memory's tags in a list."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a tool: the same told twice.

    Attributes:
        text: for a model that reads.
        data: for a client that computes; matches the tool's output schema.
    """

    text: str
    data: dict[str, Any]

    def size(self) -> int:
        """Characters of both as JSON."""
        return encoded(self.text) + encoded(self.data)


def encoded(value: Any) -> int:
    """Length of a value as JSON, in characters."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def fitted(count: int, compose: Callable[[int, int], Answer], bound: int = MAX_RESULT) -> Answer:
    """The fullest answer within the bound: contents are clipped first, then items left out.

    Args:
        count: items there are.
        compose: the answer with so many of them, each clipped to so many characters.
        bound: most characters.
    """
    for length in CLIPS:
        answer = compose(count, length)
        if answer.size() <= bound:
            return answer
    low, high = 0, max(count - 1, 0)
    while low < high:  # the most items that fit
        middle = (low + high + 1) // 2
        if compose(middle, CLIPS[-1]).size() <= bound:
            low = middle
        else:
            high = middle - 1
    return compose(low, CLIPS[-1])


def clip(text: str, length: int) -> str:
    """The text, cut between words if need be, with an ellipsis where it was cut."""
    if len(text) <= length:
        return text
    cut = text[: length - 1]
    head, _, tail = cut.rpartition(" ")
    return (head if len(tail) < length // 2 and head else cut) + "…"


def clip_encoded(text: str, length: int) -> str:
    """The longest beginning of a text that takes at most so many characters as JSON."""
    if encoded(text) <= length:
        return text
    low, high = 0, min(len(text), length)
    while low < high:
        middle = (low + high + 1) // 2
        if encoded(text[:middle]) <= length:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def brief(node: Node, length: int) -> dict[str, Any]:
    """A memory in a list: what is usual (active, a fact level, current) goes without saying."""
    content = clip(node.content, length)
    return {
        "id": node.id,
        "content": content,
        **({"length": len(node.content)} if content != node.content else {}),
        "memory_type": node.memory_type,
        **({"level": node.level} if node.level != "fact" else {}),
        **({"status": node.status} if node.status != "active" else {}),
        "at": moment(node.valid_from),
        **({"until": moment(node.valid_until)} if node.valid_until else {}),
        **({"superseded_by": node.superseded_by} if node.superseded_by else {}),
        **_tags(node.tags),
    }


def brief_hit(hit: Hit, length: int, *, explain: bool = False) -> dict[str, Any]:
    """A hit in a list, with its score and, if wanted, its reasons."""
    return {
        **brief(hit.node, length),
        "score": round(hit.score, 4),
        **({"sources": [clip(source, 60) for source in hit.sources[:3]]} if hit.sources else {}),
        **({"superseded_by": hit.superseded_by} if hit.superseded_by else {}),
        **({"redacted": True} if hit.redacted else {}),
        **({"explain": rounded(plain(hit.explain))} if explain else {}),
    }


def lines(items: Sequence[Mapping[str, Any]], start: int = 1) -> str:
    """Briefs as numbered lines."""
    return "\n".join(f"{n}. {_line(item)}" for n, item in enumerate(items, start))


def moment(value: datetime) -> str:
    """A time to the second."""
    return value.isoformat(timespec="seconds")


def rounded(value: Any) -> Any:
    """Four digits are enough for anyone to compare."""
    match value:
        case float():
            return round(value, 4)
        case dict():
            return {name: rounded(inner) for name, inner in value.items()}
        case _:
            return value


def _line(item: Mapping[str, Any]) -> str:
    score = f" {item['score']:.2f}" if "score" in item else ""
    until = f" until {item['until'][:10]}" if "until" in item else ""
    status = f", {item['status']}" if "status" in item else ""
    more = f" [{item['length']:,} characters: memory_get]" if "length" in item else ""
    content = " ".join(item["content"].split())
    head = f"{item['at'][:10]}{until} {item['memory_type']}{status}{score} ({item['id']})"
    return f"{head}: {content}{more}"


def _tags(tags: Sequence[str]) -> dict[str, list[str]]:
    shown: list[str] = []
    for tag in tags:
        if encoded([*shown, tag]) > MAX_TAGS_SHOWN:
            break
        shown.append(tag)
    return {"tags": shown} if shown else {}
