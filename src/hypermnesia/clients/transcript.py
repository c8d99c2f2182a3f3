"""What a person and an agent said in a transcript of Claude Code, and nothing that was recalled.

A transcript is JSON lines: ``{"type": "user" | "assistant" | ..., "uuid", "timestamp", "message":
{"content": text or parts}, ...}``. Left out are calls of tools and their results, thinking, what
subagents and the program itself say, and summaries. Texts that the memory gave are left out
wherever they turn up again: stored once more, they would crowd out what is new.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from hypermnesia.errors import InvalidInput

OPENING, CLOSING = "<hypermnesia-memory>", "</hypermnesia-memory>"
"""Around what a hook puts into a session, so that it is known again."""
REPEATED = 24
"""Characters from which a line is taken to repeat a memory: shorter ones are common words."""

_APART = re.compile(
    r"<(hypermnesia-memory|system-reminder|command-[a-z]+|local-command-[a-z]+|"
    r"bash-(?:input|stdout|stderr)|task-notification)>.*?(?:</\1>|\Z)",
    re.DOTALL,
)
"""What the program puts into messages beside their text."""
_WORD = re.compile(r"\w+")
_ASIDE = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")


def messages(path: Path) -> Iterator[dict[str, Any]]:
    """The messages of a transcript, as :meth:`hypermnesia.Memory.ingest` takes them.

    A line that is not JSON is passed over: the program may be in the middle of writing it.

    Raises:
        InvalidInput: there is no such file, or it cannot be read.
    """
    recalled, calls = set[str](), set[str]()
    for record in _records(path):
        for part in _parts(record):
            _note_recall(part, calls, recalled)
        if record.get("type") in {"user", "assistant"} and not any(map(record.get, _ASIDE)):
            text = _said(record, recalled)
            if text:
                yield {
                    "role": record["type"],
                    "content": text,
                    "id": record.get("uuid"),
                    "timestamp": record.get("timestamp"),
                }


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open("rb") as file:
            for line in file:
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(value, dict):
                    yield cast("Mapping[str, Any]", value)
    except OSError as error:
        raise InvalidInput(f"the transcript {path} cannot be read ({error.strerror})") from None


def _parts(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    match record.get("message"):
        case {"content": str() as text}:
            return [{"type": "text", "text": text}]
        case {"content": list() as parts}:
            found = cast("list[object]", parts)
            return [cast("Mapping[str, Any]", part) for part in found if isinstance(part, Mapping)]
        case _:
            return []


def _note_recall(part: Mapping[str, Any], calls: set[str], recalled: set[str]) -> None:
    """Remember what a tool of the memory answered, or a hook of ours put in."""
    match part:
        case {"type": "tool_use", "id": str() as call, "name": str() as name}:
            if "hypermnesia" in name or "memory_" in name:
                calls.add(call)
        case {"type": "tool_result", "tool_use_id": str() as call} if call in calls:
            recalled.update(_texts(part.get("content")))
        case {"text": str() as text} if OPENING in text:
            for block in text.split(OPENING)[1:]:
                recalled.update(map(_plain, block.partition(CLOSING)[0].splitlines()))
        case _:
            pass


def _texts(value: object) -> Iterator[str]:
    """Every line of every text in a tool's answer, which may be JSON in a text."""
    match value:
        case str():
            try:
                inner = json.loads(value)
            except (ValueError, RecursionError):
                inner = None
            if isinstance(inner, dict | list):
                yield from _texts(cast("object", inner))
            else:
                yield from map(_plain, value.splitlines())
        case list():
            for item in cast("list[object]", value):
                yield from _texts(item)
        case dict():
            yield from _texts(list(cast("dict[str, object]", value).values()))
        case _:
            pass


def _said(record: Mapping[str, Any], recalled: Iterable[str]) -> str:
    texts = [part.get("text") for part in _parts(record) if part.get("type") == "text"]
    text = "\n".join(one for one in texts if isinstance(one, str))
    text = _APART.sub("", text).strip()
    if record.get("type") == "user":
        return text  # what a person says counts, even if it is known
    known = [one for one in recalled if len(one) >= REPEATED]
    return "\n".join(line for line in text.splitlines() if not _repeats(line, known)).strip()


def _repeats(line: str, known: Iterable[str]) -> bool:
    """Whether a line is part of a memory, or mostly one, as with a date and a number before it."""
    plain = _plain(line)
    if len(plain) < REPEATED:
        return False
    return any(plain in one or (one in plain and 2 * len(one) > len(plain)) for one in known)


def _plain(line: str) -> str:
    """A line as it is compared: its words."""
    return " ".join(_WORD.findall(line.casefold()))
