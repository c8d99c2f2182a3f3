"""Export to and import from JSON lines: one memory a line, nothing lost, nothing judged again.

Memories come first, each with its place and days when it has them; what links them, hyperedges
and the sources of facts, follows, so that both ends are there when a link is read.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TextIO

from hypermnesia.engine import Engine, embed
from hypermnesia.errors import Conflict, HypermnesiaError, InvalidInput, NotFound
from hypermnesia.privacy import guard, guard_labels
from hypermnesia.serial import node_from, plain
from hypermnesia.store.incidence import Days, Place
from hypermnesia.store.links import (
    Links,
    Sources,
    days_from,
    edges_plain,
    links_from,
    place_from,
    place_plain,
    sources_plain,
)
from hypermnesia.store.protocol import Filter, Record, Store, Writer
from hypermnesia.store.text import identity_hash
from hypermnesia.types import STATUSES, Failure, Level, Node

BATCH = 64
"""Memories embedded and stored per transaction."""
MAX_LINE = 1_000_000
"""Characters of a line; a longer one is no memory of ours."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The outcome of an import.

    Attributes:
        added: memories stored; links between them are not counted.
        skipped: memories whose id or text the store has already.
        failed: lines that could not be stored; ``index`` is the 0-based line.
    """

    added: int
    skipped: int
    failed: tuple[Failure, ...]


@dataclass(frozen=True, slots=True)
class _Memory:
    """A line that holds a memory."""

    node: Node
    place: Place | None
    days: tuple[Days, ...]


def memory_lines(store: Store, scope: str) -> Iterator[str]:
    """Every memory of a scope that was not forgotten, oldest row first, as JSON text."""
    for nodes in _batches(store, scope):
        ids = [node.id for node in nodes]
        places, days = store.places(scope, ids), store.days(scope, ids)
        for node in nodes:
            talk = place_plain(places.get(node.id), days.get(node.id, ()))
            yield json.dumps(plain(node) | talk, ensure_ascii=False)


def link_lines(store: Store, scope: str) -> Iterator[str]:
    """Every hyperedge of a scope, and the sources of every fact, as JSON text."""
    for nodes in _batches(store, scope, "episode", "topic"):
        members = store.members(scope, [node.id for node in nodes])
        yield from map(json.dumps, edges_plain(members))
    for nodes in _batches(store, scope, "fact"):
        sources = store.sources(scope, [node.id for node in nodes])
        yield from map(json.dumps, sources_plain(sources))


def _batches(store: Store, scope: str, *levels: Level) -> Iterator[list[Node]]:
    nodes = store.iterate(Filter(scope, levels, statuses=STATUSES[:-1]))
    while batch := list(islice(nodes, BATCH)):
        yield batch


def export_file(engine: Engine, path: Path, scope: str | None) -> int:
    """Write an export; the file appears whole or not at all.

    Returns:
        How many memories were written.

    Raises:
        InvalidInput: the file cannot be written, or is not one that an export may replace.
    """
    written = 0
    try:
        path = path.resolve()
        _refuse_target(path)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                for name in engine.store.scopes() if scope is None else [scope]:
                    for line in memory_lines(engine.store, name):
                        file.write(line + "\n")
                        written += 1
                    file.writelines(line + "\n" for line in link_lines(engine.store, name))
            Path(temporary).replace(path)
        except BaseException:
            with suppress(FileNotFoundError):
                Path(temporary).unlink()
            raise
    except InvalidInput:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise InvalidInput(f"{str(path)!r} cannot be written ({reason})") from error
    return written


def _refuse_target(path: Path) -> None:
    if not path.exists():
        return
    if not path.is_file():
        raise InvalidInput(f"{path} cannot be written: it is no regular file; name another")
    with path.open("rb") as file:
        if file.read(15) == b"SQLite format 3":
            raise InvalidInput(
                f"{path} is a database, which an export must not replace; name another"
            )


def import_file(
    engine: Engine, path: Path, progress: Callable[[int], None] | None = None
) -> Imported:
    """Store what an export holds; see :func:`import_lines`.

    Raises:
        InvalidInput: the file cannot be read.
        StoreError: the store cannot be written.
    """
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as file:
            return import_lines(engine, _bounded(file), progress)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read ({error.strerror})") from error


def import_lines(
    engine: Engine, lines: Iterable[str], progress: Callable[[int], None] | None = None
) -> Imported:
    """Store exported memories with their ids, times and verdicts; a bad line fails alone."""
    engine.store.claim_encoder()
    added, skipped, failed = 0, 0, list[Failure]()
    numbered = enumerate(lines)
    while chunk := list(islice(numbered, BATCH)):
        memories: list[_Memory] = []
        links: dict[int, Links] = {}
        for index, line in chunk:
            if line.strip():
                try:
                    match _parse(line):
                        case _Memory() as memory:
                            memories.append(memory)
                        case link:
                            links[index] = link
                except HypermnesiaError as error:
                    failed.append(_failure(index, error))
        stored = _store(engine, memories)
        added += stored
        skipped += len(memories) - stored
        failed += _link(engine, links)
        if progress is not None:
            progress(len(chunk))
    return Imported(added, skipped, tuple(failed))


def _bounded(file: TextIO) -> Iterator[str]:
    while line := file.readline(MAX_LINE):
        yield line


def _parse(line: str) -> _Memory | Links:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the line is not JSON: {error}") from None
    if not isinstance(record, dict):
        raise InvalidInput("the line is not a JSON object")
    if "kind" in record:
        return links_from(record)
    place, days = record.pop("place", None), record.pop("days", None)
    node = node_from(record)
    memory = _Memory(node, place_from(place, node.level), days_from(days, node.level))
    if node.level == "turn" and memory.days and memory.place is None:
        raise InvalidInput("a turn with days needs its place")
    guard(node.content)
    said = () if memory.place is None else (memory.place.session, memory.place.speaker)
    guard_labels((node.scope, *node.tags, *said), {**node.metadata, **plain(node.provenance)})
    return memory


def _store(engine: Engine, memories: list[_Memory]) -> int:
    known = {node.id for node in engine.store.get([memory.node.id for memory in memories])}
    fresh = [memory for memory in memories if memory.node.id not in known]
    vectors = embed(engine.embedder, [memory.node.content for memory in fresh])
    stored = 0
    with engine.store.write() as writer:
        for memory, embedded in zip(fresh, vectors, strict=True):
            node = memory.node
            digest = identity_hash(node)
            if _clashes(writer, node, digest):
                continue
            writer.insert(Record(node, digest, embedded.dense, embedded.tokens))
            _place(writer, memory)
            writer.log("import", node.scope, node.id, {})
            stored += 1
    return stored


def _clashes(writer: Writer, node: Node, digest: bytes) -> bool:
    """Whether the store has the memory by now, or its text under another id."""
    if writer.knows(node.id):
        return True
    return node.status != "superseded" and writer.live(node.scope, digest) is not None


def _place(writer: Writer, memory: _Memory) -> None:
    """Say where a turn stands; where another stands already, it goes on after that session."""
    node, place = memory.node, memory.place
    if place is None:
        if memory.days:
            writer.date(node.id, memory.days)
        return
    try:
        writer.place(node.id, place, memory.days)
    except Conflict:
        end = writer.end(node.scope, place.session)
        writer.place(node.id, replace(place, position=end), memory.days)


def _link(engine: Engine, links: Mapping[int, Links]) -> list[Failure]:
    """Store links, by line; one to a memory that was skipped, forgotten or failed is dropped."""
    failed: list[Failure] = []
    if not links:
        return failed
    with engine.store.write() as writer:
        for index, link in links.items():
            try:
                _connect(writer, link)
            except InvalidInput as error:
                failed.append(_failure(index, error))
    return failed


def _connect(writer: Writer, link: Links) -> None:
    if isinstance(link, Sources):
        for turn in link.turns:
            with suppress(NotFound):
                writer.cite(link.fact, [turn])
    else:
        for member in link:
            with suppress(NotFound):
                writer.join([member])


def _failure(index: int, error: HypermnesiaError) -> Failure:
    return Failure(index, type(error).__name__, str(error))
