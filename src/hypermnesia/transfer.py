"""Export to and import from JSON lines: one memory a line, nothing lost, nothing judged again."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

from hypermnesia.engine import Engine, embed
from hypermnesia.errors import HypermnesiaError, InvalidInput
from hypermnesia.privacy import guard
from hypermnesia.serial import node_from, plain
from hypermnesia.store.protocol import Filter, Record, Writer
from hypermnesia.store.text import content_hash
from hypermnesia.types import STATUSES, Failure, Node
from hypermnesia.write.draft import guard_labels

BATCH = 64
"""Memories embedded and stored per transaction."""
MAX_LINE = 1_000_000
"""Characters of a line; a longer one is no memory of ours."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The outcome of an import.

    Attributes:
        added: memories stored.
        skipped: memories whose id or text the store has already.
        failed: lines that could not be stored; ``index`` is the 0-based line.
    """

    added: int
    skipped: int
    failed: tuple[Failure, ...]


def export_lines(engine: Engine, scope: str | None) -> Iterator[str]:
    """Every memory that was not forgotten, oldest row first, as JSON text."""
    where = Filter(scope, statuses=STATUSES[:-1])
    for node in engine.store.iterate(where):
        yield json.dumps(plain(node), ensure_ascii=False)


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
                for line in export_lines(engine, scope):
                    file.write(line + "\n")
                    written += 1
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
        nodes: list[Node] = []
        for index, line in chunk:
            if line.strip():
                try:
                    nodes.append(_parse(line))
                except HypermnesiaError as error:
                    failed.append(Failure(index, type(error).__name__, str(error)))
        stored = _store(engine, nodes)
        added += stored
        skipped += len(nodes) - stored
        if progress is not None:
            progress(len(chunk))
    return Imported(added, skipped, tuple(failed))


def _bounded(file: TextIO) -> Iterator[str]:
    while line := file.readline(MAX_LINE):
        yield line


def _parse(line: str) -> Node:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the line is not JSON: {error}") from None
    if not isinstance(record, dict):
        raise InvalidInput("the line is not a JSON object")
    node = node_from(record)
    guard(node.content)
    guard_labels((node.scope, *node.tags), {**node.metadata, **plain(node.provenance)})
    return node


def _store(engine: Engine, nodes: list[Node]) -> int:
    known = {node.id for node in engine.store.get([node.id for node in nodes])}
    fresh = [node for node in nodes if node.id not in known]
    vectors = embed(engine.embedder, [node.content for node in fresh])
    stored = 0
    with engine.store.write() as writer:
        for node, embedded in zip(fresh, vectors, strict=True):
            digest = content_hash(node.scope, node.content)
            if _clashes(writer, node, digest):
                continue
            writer.insert(Record(node, digest, embedded.dense, embedded.tokens))
            writer.log("import", node.scope, node.id, {})
            stored += 1
    return stored


def _clashes(writer: Writer, node: Node, digest: bytes) -> bool:
    """Whether the store has the memory by now, or its text under another id."""
    if writer.knows(node.id):
        return True
    return node.status != "superseded" and writer.live(node.scope, digest) is not None
