"""Forgetting with proof: earlier versions go too, the store is rewritten, and then searched.

What a memory superseded is its earlier text: who wants a thing gone wants that gone with it.
What superseded it is somebody's later statement and stays, unless it is named.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from hypermnesia.engine import Engine
from hypermnesia.errors import StoreBusy, StoreError
from hypermnesia.store.samples import present, samples_of
from hypermnesia.types import Absence, Node, Receipt


def earlier(engine: Engine, ids: Sequence[str]) -> list[str]:
    """Ids of what these memories superseded, and what that had superseded, and so on."""
    known = dict.fromkeys(ids)
    for memory_id in ids:
        chain = engine.store.chain(memory_id)
        latest = {memory_id}
        while latest:
            found = {node.id for node in chain if node.superseded_by in latest} - known.keys()
            known |= dict.fromkeys(sorted(found))
            latest = found
    return [memory_id for memory_id in known if memory_id not in set(ids)]


def samples(engine: Engine, ids: Sequence[str]) -> tuple[bytes, ...]:
    """Pieces of everything that is told of these memories, to be searched for when it is gone."""
    return samples_of(
        text for node in engine.store.get(ids) for text in (*_told(node), *_logged(engine, node.id))
    )


def prove(engine: Engine, ids: Sequence[str], pieces: Sequence[bytes]) -> Receipt:
    """Rewrite the store, and look through it and the kept answers for erased memories.

    Args:
        engine: whose store.
        ids: memories that were erased.
        pieces: of their texts, from :func:`samples`.

    Raises:
        StoreError: the store could not be rewritten; the message says what was done, and how to
            finish.
    """
    try:
        places = [*engine.store.purge(ids, pieces), *_answers(engine, pieces)]
    except StoreError as error:
        kind = StoreBusy if isinstance(error, StoreBusy) else StoreError
        raise kind(
            f"{len(ids)} memories are erased from every table and index, and no search finds them;"
            " but the store could not be rewritten, so that its files may still hold former bytes:"
            f" {error}. When it is free, `hypermnesia forget --erase --id {ids[0]}` finishes the"
            " work and gives the receipt"
        ) from error
    digests = tuple(hashlib.sha256(memory_id.encode()).hexdigest() for memory_id in ids)
    complete = not any(place.found for place in places)
    return Receipt(digests, datetime.now(UTC), len(pieces), complete, tuple(places))


def _answers(engine: Engine, pieces: Sequence[bytes]) -> Iterator[Absence]:
    """What the file of a language model's answers holds of the erased texts."""
    if engine.answers is not None:
        left = present(pieces, engine.answers.path)
        yield Absence("kept answers", "pieces of their texts", "every byte searched", len(left))


def _told(node: Node) -> Iterator[str]:
    origin = node.provenance
    yield node.content
    yield from _texts([list(node.tags), node.metadata])
    yield from _texts([getattr(origin, name) for name in origin.__slots__])


def _logged(engine: Engine, memory_id: str) -> Iterator[str]:
    """Earlier texts: what the log of a memory says beside the words of the program itself."""
    for event in engine.store.events(memory_id):
        yield from _texts(event.detail.get("before"))


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON-like value."""
    match value:
        case str():
            yield value
        case Mapping():
            for name, inner in cast("Mapping[str, Any]", value).items():
                yield name
                yield from _texts(inner)
        case list() | tuple():
            for inner in cast("Sequence[Any]", value):
                yield from _texts(inner)
        case _:
            return
