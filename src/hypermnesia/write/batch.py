"""Many items at once: each checked alone, then written scope by scope."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from hypermnesia.engine import Engine
from hypermnesia.errors import HypermnesiaError, InvalidInput
from hypermnesia.types import Added, Failure
from hypermnesia.write.draft import Draft, draft
from hypermnesia.write.pipeline import Outcome, write

BATCH = 64
"""Memories embedded and stored per transaction."""

Item: TypeAlias = str | Mapping[str, Any]


def draft_of(item: object, scope: str) -> Draft:
    """A draft from a text, or from a mapping of ``add``'s arguments.

    Raises:
        Refused: it holds prohibited material.
        InvalidInput: a value cannot be used, or a field is unknown.
    """
    if not isinstance(item, str | Mapping):
        raise InvalidInput(
            f"an item is a text or a mapping with its content, not {type(item).__name__}"
        )
    fields: dict[str, Any] = {"content": item} if isinstance(item, str) else dict(item)
    named = fields.pop("scope", None)
    try:
        return draft(fields.pop("content", None), scope=scope if named is None else named, **fields)
    except TypeError as error:
        raise InvalidInput(f"the item cannot be used: {error}") from None


def write_many(
    engine: Engine, items: Iterable[Item], scope: str, progress: Callable[[int], None]
) -> Iterator[Added | Failure]:
    """Write items batch by batch; a bad one is reported in its place and the rest are stored."""
    if isinstance(items, str | bytes | Mapping) or not hasattr(items, "__iter__"):
        raise InvalidInput("add_many takes a list or other iterable of items; add takes one")
    remaining = iter(items)
    start = 0
    while batch := list(islice(remaining, BATCH)):
        for index, outcome in enumerate(_write_batch(engine, batch, scope), start):
            if isinstance(outcome, HypermnesiaError):
                yield Failure(index, type(outcome).__name__, str(outcome))
            else:
                yield outcome
        start += len(batch)
        progress(len(batch))


def _write_batch(engine: Engine, items: Sequence[Item], scope: str) -> list[Outcome]:
    outcomes: dict[int, Outcome] = {}
    by_scope: dict[str, dict[int, Draft]] = {}
    for index, item in enumerate(items):
        try:
            checked = draft_of(item, scope)
        except HypermnesiaError as error:
            outcomes[index] = error
        else:
            by_scope.setdefault(checked.scope, {})[index] = checked
    for drafts in by_scope.values():
        for run in _runs(drafts):
            outcomes.update(zip(run, write(engine, list(run.values())), strict=True))
    return [outcomes[index] for index in range(len(items))]


def _runs(drafts: Mapping[int, Draft]) -> Iterator[dict[int, Draft]]:
    """Parts in which no text occurs twice.

    What a repetition means (a duplicate, or an old value stated again) depends on what became
    of the first, so that has to be stored before.
    """
    run: dict[int, Draft] = {}
    seen = set[bytes]()
    for index, checked in drafts.items():
        if checked.hash in seen:
            yield run
            run, seen = {}, set()
        run[index] = checked
        seen.add(checked.hash)
    if run:
        yield run
