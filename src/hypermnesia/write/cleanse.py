"""Secrets that are in the store already: finding them, and masking them for good.

Rows that were stored before a rule existed, under another policy, or by an import hold what a
new one would not. Their texts are read, never shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from hypermnesia.engine import Engine, embed
from hypermnesia.privacy import Examined, examine
from hypermnesia.store.protocol import Filter, Record, Writer
from hypermnesia.store.text import identity_hash
from hypermnesia.types import STATUSES, Node

BATCH = 64
"""Memories embedded and stored per transaction."""


@dataclass(frozen=True, slots=True)
class Leak:
    """Secrets of one kind in one memory; never the value.

    Attributes:
        id: the memory, whose text, labels or log holds them.
        rule: what found them.
        count: how many.
    """

    id: str
    scope: str
    rule: str
    count: int


@dataclass(frozen=True, slots=True)
class Scanned:
    """The outcome of a scan.

    Attributes:
        leaks: what was found, by memory and rule.
        memories: how many were looked through.
        fixed: how many of them were masked.
    """

    leaks: tuple[Leak, ...]
    memories: int
    fixed: int

    @property
    def clean(self) -> bool:
        """Whether nothing is left: nothing was found, or all of it was masked."""
        return len({leak.id for leak in self.leaks}) == self.fixed


def scan(
    engine: Engine,
    scope: str | None,
    *,
    personal: bool,
    fix: bool,
    progress: Callable[[int], None],
) -> Scanned:
    """Look through every memory and its log for secrets; with ``fix``, mask what is found.

    A masked memory is embedded and indexed again under the hash of its new text. One that then
    says the same as another is erased, for a text is stored once. Judgements of it that wait to
    leave are dropped. Afterwards neither the file nor its write-ahead log holds the former text.

    Args:
        engine: whose store.
        scope: of the memories; ``None`` = all of them.
        personal: also look for personal data.
        fix: mask for good.
        progress: called with the number of memories done since the last call.

    Raises:
        StoreError: the store cannot be written; batches before stay masked.
        EncoderMismatch: the store waits to be re-embedded.
    """
    if fix:
        engine.store.claim_encoder()
    leaks: list[Leak] = []
    seen, fixed = 0, 0
    nodes = engine.store.iterate(Filter(scope, statuses=STATUSES[:-1]))
    while batch := list(islice(nodes, BATCH)):
        found = {node.id: _leaks(engine, node, personal=personal) for node in batch}
        leaks += [leak for several in found.values() for leak in several]
        dirty = [node for node in batch if found[node.id]]
        if fix and dirty:
            fixed += _mask(engine, dirty, personal=personal)
        seen += len(batch)
        progress(len(batch))
    if fixed and engine.answers is not None:
        engine.answers.clear()  # they do not tell which memories they speak of
    return Scanned(tuple(leaks), seen, fixed)


def _leaks(engine: Engine, node: Node, *, personal: bool) -> list[Leak]:
    """What one memory and its log give away, by rule."""
    counts = Counter(_examined(node, personal=personal).rules)
    for event in engine.store.events(node.id):
        counts.update(examine(event.detail, personal).rules)
    return [Leak(node.id, node.scope, rule, count) for rule, count in sorted(counts.items())]


def _examined(node: Node, *, personal: bool) -> Examined:
    """A memory's text, tags and metadata in one walk: one may give away another's secret."""
    return examine([node.content, list(node.tags), dict(node.metadata)], personal)


def _mask(engine: Engine, nodes: Sequence[Node], *, personal: bool) -> int:
    """Mask memories and their logs in one transaction; how many were."""
    masked = [_masked(node, personal=personal) for node in nodes]
    vectors = embed(engine.embedder, [node.content for node in masked])
    fixed = 0
    with engine.store.write() as writer:
        for before, after, embedded in zip(nodes, masked, vectors, strict=True):
            current = writer.get(before.id)
            if _told(current) != _told(before):
                continue  # it changed meanwhile; the next scan sees to it
            fixed += 1
            rules = _examined(before, personal=personal).rules
            if rules:
                node = _as_it_stands(current, after)
                record = Record(node, identity_hash(node), embedded.dense, embedded.tokens)
                writer.unqueue(node.id)  # queued when its secrets were not yet known for such
                _store(writer, record, rules)
            writer.retell(before.id, lambda detail: examine(detail, personal).value)
        writer.scrub()
    return fixed


def _masked(node: Node, *, personal: bool) -> Node:
    content, tags, metadata = _examined(node, personal=personal).value
    return replace(node, content=content, tags=tuple(dict.fromkeys(tags)), metadata=metadata)


def _told(node: Node) -> tuple[str, tuple[str, ...], Mapping[str, Any]]:
    return node.content, node.tags, node.metadata


def _as_it_stands(current: Node, masked: Node) -> Node:
    """The row of this moment, with what was masked in it."""
    return replace(
        current,
        content=masked.content,
        tags=masked.tags,
        metadata=masked.metadata,
        updated_at=datetime.now(UTC),
    )


def _store(writer: Writer, record: Record, rules: Mapping[str, int]) -> None:
    node = record.node
    twin = None if node.status == "superseded" else writer.live(node.scope, record.hash)
    if twin is not None and twin.id != node.id:
        doomed = [node.id, *writer.dependants([node.id])]
        writer.log("forget", node.scope, node.id, {"same_as": twin.id})
        writer.erase(doomed)
        return
    writer.rewrite(record)
    writer.log("update", node.scope, node.id, {"masked": sorted(rules)})
