"""Whether a store holds what was acknowledged, and of what was interrupted all or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hypermnesia.graph.ahead import CHUNK
from hypermnesia.write.batch import SMALLEST
from torture.image import CONTENT, LEVEL, STATUS, SUCCESSOR, Image, changes, memories
from torture.invariants import texts_of
from torture.steps import Step


def every_acknowledged_write_is_present(
    before: Image, after: Image, interrupted: Step | None
) -> list[str]:
    """Rows as they were when the last verb returned, but for what the interrupted one changes.

    Args:
        before: when the last acknowledged verb had returned.
        after: what is there now.
        interrupted: the verb that was under way, if any.
    """
    return [
        f"{key} was acknowledged and is {'gone' if key not in after else 'changed'}"
        for key in changes(before, after)
        if key in before and not _may_change(key, before, after, interrupted)
    ] + [
        f"{key} is there and nobody wrote it"
        for key in after.keys() - before.keys()
        if interrupted is None
    ]


def _may_change(key: str, before: Image, after: Image, step: Step | None) -> bool:
    """Whether the interrupted verb may have changed this row."""
    if step is None:
        return False
    kind, _, memory_id = key.partition(":")
    old, new = before[key], after.get(key)
    match kind:
        case "memory":
            return new is not None and _may_amend(memory_id, old, new, after, step)
        case "outbox":
            return step.verb in {"flush", "migrate", "forget", "erase"}
        case "consent":
            return False
        case _:  # places and links: erased with a memory, or woven anew around it
            return step.verb in {"forget", "erase", "ingest"}


def _may_amend(
    memory_id: str, old: tuple[Any, ...], new: tuple[Any, ...], after: Image, step: Step
) -> bool:
    target = step.arguments.get("id")
    if memory_id == target:
        return step.verb in {"update", "restore", "forget", "erase"}
    if new[STATUS] == "superseded":  # by something of this step, the text untouched
        successor = after.get(f"memory:{new[SUCCESSOR]}")
        replaced = old[CONTENT] == new[CONTENT] and successor is not None
        return replaced and step.verb in {"add", "supersede", "add_many", "ingest", "update"}
    if step.verb in {"forget", "erase"}:  # what stands on it goes too; heads are told anew
        return new[STATUS] == "deleted" or old[LEVEL] in {"episode", "topic"}
    if step.verb == "ingest":
        return old[LEVEL] in {"episode", "topic"} or old[CONTENT] == new[CONTENT]
    # A text that was known already was told once more.
    return step.verb in {"add", "supersede", "add_many"} and old[CONTENT] == new[CONTENT]


def nothing_is_half_applied(before: Image, after: Image, interrupted: Step | None) -> list[str]:
    """Of the interrupted verb all is there, or nothing, or whole transactions of it in order.

    Args:
        before: as above.
        after: as above.
        interrupted: as above.
    """
    if interrupted is None or not changes(before, after):
        return []
    return list(_half(before, after, interrupted))


def _half(before: Image, after: Image, step: Step) -> Iterator[str]:
    old, texts = texts_of(before), texts_of(after)
    new = memories(after).keys() - memories(before).keys()
    match step.verb:
        case "add" | "supersede":
            if len(new) > 1 or step.arguments["content"] not in texts:
                yield f"an interrupted {step.verb} left {len(new)} memories"
        case "add_many":
            items = [item for item in step.arguments["items"] if item not in old]
            yield from _in_order(items, texts, "an item", SMALLEST)
        case "ingest":
            said = [message["content"] for message in step.arguments["messages"]]
            yield from _in_order([t for t in said if t not in old], texts, "a message", CHUNK)
        case _:
            if new:
                yield f"an interrupted {step.verb} left a new memory"
            yield from _half_changed(before, after, step)


def _half_changed(before: Image, after: Image, step: Step) -> Iterator[str]:
    """Of verbs that make no new memory."""
    match step.verb:
        case "update":
            wanted = step.arguments.get("content")
            if wanted is not None and wanted not in texts_of(after):
                yield "an interrupted update changed something but the text"
        case "restore":
            row = after.get(f"memory:{step.arguments['id']}")
            if row is None or row[STATUS] != "active":
                yield "an interrupted restore changed something but the status"
        case "forget" | "erase":
            yield from _half_forgotten(before, after, step)
        case _:
            if any(not key.startswith("outbox:") for key in changes(before, after)):
                yield f"an interrupted {step.verb} changed memories"


def _in_order(items: list[str], texts: set[Any], what: str, size: int) -> Iterator[str]:
    """Items are stored from the first on, ``size`` of them at once or more."""
    there = [item in texts for item in items]
    if there != sorted(there, reverse=True):
        yield f"{what} is missing before one that is stored"
    if any(there) and not all(there[:size]):
        yield f"{what} of a chunk is stored without the others"


def _half_forgotten(before: Image, after: Image, step: Step) -> Iterator[str]:
    old, rows = memories(before), memories(after)
    gone = {i for i in old if i in rows and rows[i][STATUS] == "deleted" != old[i][STATUS]}
    if step.arguments["id"] not in gone:
        yield f"an interrupted {step.verb} changed something but did not erase its memory"
    yield from (f"{i} is erased and its text is there" for i in gone if rows[i][CONTENT])


def explained(before: Image, after: Image, interrupted: Step | None) -> list[str]:
    """What is wrong with a store after an interruption, in the names of both rules."""
    rules = (every_acknowledged_write_is_present, nothing_is_half_applied)
    return [
        f"{rule.__name__}: {what}" for rule in rules for what in rule(before, after, interrupted)
    ]


def said(step: Mapping[str, Any] | None) -> Step | None:
    """A step that a process told as JSON."""
    return None if step is None else Step(step["verb"], step["arguments"])
