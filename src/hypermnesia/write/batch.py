"""Many items at once: each checked alone, then written scope by scope."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeAlias

from hypermnesia.engine import Engine, slices
from hypermnesia.errors import HypermnesiaError, InvalidInput
from hypermnesia.privacy import StoredSecrets
from hypermnesia.types import Added, Failure
from hypermnesia.write.draft import Draft, draft
from hypermnesia.write.pipeline import Outcome, Vectors, unknown, vectors_of, write

BATCH = 128
"""Memories embedded and stored per transaction: enough of them to find some of equal length."""
BATCH_CHARACTERS = 500_000
"""Characters after which a batch is full: the half minute that its memories wait to be stored."""
SMALLEST = 16
"""The last ones are taken in ever smaller batches, down to about so many: writing what was
embedded last is the one part of the work that nothing else is done beside."""
AHEAD = 2
"""Batches that are being embedded, or wait for it, while one is written: with a single one the
encoder would have nothing to do from the moment it is done until the next one is at hand."""

Item: TypeAlias = str | Mapping[str, Any]


def draft_of(item: object, scope: str, secrets: StoredSecrets) -> Draft:
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
        within = scope if named is None else named
        return draft(fields.pop("content", None), scope=within, secrets=secrets, **fields)
    except TypeError as error:
        raise InvalidInput(f"the item cannot be used: {error}") from None


def write_many(
    engine: Engine, items: Iterable[Item], scope: str, progress: Callable[[int], None]
) -> Iterator[Added | Failure]:
    """Write items batch by batch; a bad one is reported in its place and the rest are stored.

    While one batch is judged and stored, threads embed the next ones: most of the time goes into
    embedding, which needs no interpreter lock. So items are taken from their source up to
    :data:`AHEAD` batches before the ones ahead of them are stored. The threads end with the
    iteration.
    """
    if isinstance(items, str | bytes | Mapping) or not hasattr(items, "__iter__"):
        raise InvalidInput("add_many takes a list or other iterable of items; add takes one")
    start = 0
    for batch, vectors in _embedded_ahead(engine, _batches(items, scope, engine.secrets)):
        for index, outcome in enumerate(_write_batch(engine, batch, vectors), start):
            if isinstance(outcome, HypermnesiaError):
                yield Failure(index, type(outcome).__name__, str(outcome))
            else:
                yield outcome
        start += batch.size
        progress(batch.size)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Checked items by their place in the batch.

    Attributes:
        drafts: by scope, those that can be written.
        failed: what is wrong with the others.
    """

    size: int
    drafts: Mapping[str, Mapping[int, Draft]]
    failed: Mapping[int, HypermnesiaError]


def _batches(items: Iterable[Item], scope: str, secrets: StoredSecrets) -> Iterator[_Batch]:
    for batch in _parts(iter(items)):
        failed: dict[int, HypermnesiaError] = {}
        drafts: dict[str, dict[int, Draft]] = {}
        for index, item in enumerate(batch):
            try:
                checked = draft_of(item, scope, secrets)
            except HypermnesiaError as error:
                failed[index] = error
            else:
                drafts.setdefault(checked.scope, {})[index] = checked
        yield _Batch(len(batch), drafts, failed)


def _parts(items: Iterator[Item]) -> Iterator[list[Item]]:
    """Items by the batch; the last batch by halves, quarters and so on."""
    part = _part(items)
    while following := list(islice(items, 1)):
        yield part
        part = _part(chain(following, items))
    while len(part) > 2 * SMALLEST:
        half = len(part) // 2
        yield part[:half]
        part = part[half:]
    if part:
        yield part


def _part(items: Iterator[Item]) -> list[Item]:
    """What is stored together: few enough items, and little enough text."""
    return next(slices(items, _length, most=BATCH, full=BATCH_CHARACTERS), [])


def _length(item: Item) -> int:
    """Characters of an item that may turn out to be none."""
    content = item.get("content") if isinstance(item, Mapping) else item
    return len(content) if isinstance(content, str) else 0


def _embedded_ahead(engine: Engine, batches: Iterator[_Batch]) -> Iterator[tuple[_Batch, Vectors]]:
    """Each batch with the vectors that were made while those before it were written."""
    ahead = deque[tuple[_Batch, Future[Vectors]]]()
    with ThreadPoolExecutor(AHEAD, "hypermnesia-embed") as pool:
        try:
            for batch in batches:
                worth = _worth_embedding(engine, batch)
                ahead.append((batch, pool.submit(vectors_of, engine, worth)))
                if len(ahead) > AHEAD:
                    written, vectors = ahead.popleft()
                    yield written, vectors.result()
            while ahead:
                written, vectors = ahead.popleft()
                yield written, vectors.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _worth_embedding(engine: Engine, batch: _Batch) -> list[Draft]:
    """Drafts that the store does not know; a text that an earlier batch holds may be among them."""
    found = [unknown(engine, list(drafts.values())) for drafts in batch.drafts.values()]
    return list({draft.hash: draft for drafts in found for draft in drafts}.values())


def _write_batch(engine: Engine, batch: _Batch, vectors: Vectors) -> list[Outcome]:
    outcomes: dict[int, Outcome] = dict(batch.failed)
    for drafts in batch.drafts.values():
        for run in _runs(drafts):
            written = write(engine, list(run.values()), vectors)
            outcomes.update(zip(run, written, strict=True))
    return [outcomes[index] for index in range(batch.size)]


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
