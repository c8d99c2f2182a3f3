"""Changing, restoring and erasing what is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from hypermnesia.corpus.record import Recording
from hypermnesia.engine import Engine, embed
from hypermnesia.errors import Conflict, NotFound, Outdated
from hypermnesia.privacy import screen
from hypermnesia.store.protocol import Writer
from hypermnesia.store.text import identity_hash
from hypermnesia.types import Added, MemoryType, Node
from hypermnesia.write.draft import Draft
from hypermnesia.write.gate import gate, judge_and_gate, threshold_of
from hypermnesia.write.pipeline import added, insert, retire
from hypermnesia.write.supersede import Newcomer, plan_supersession


@dataclass(frozen=True, slots=True)
class Changes:
    """New values for a memory's fields; ``None`` leaves a field as it is."""

    content: str | None = None
    tags: tuple[str, ...] | None = None
    metadata: Mapping[str, Any] | None = None
    memory_type: MemoryType | None = None
    salience: float | None = None
    durable: float | None = None
    pinned: bool | None = None
    valid_from: datetime | None = None

    def given(self) -> dict[str, Any]:
        """The fields that are to change."""
        return {
            name: value for name in self.__slots__ if (value := getattr(self, name)) is not None
        }


def update(
    engine: Engine,
    memory_id: str,
    changes: Changes,
    scope: str | None = None,
    unchanged_since: datetime | None = None,
) -> Added:
    """Change a memory in place; a new text is judged, embedded and compared like any other.

    Raises:
        Outdated: it was changed after ``unchanged_since``.
        NotFound: no memory has this id in this scope, or it was forgotten.
        Refused: the new text or labels hold prohibited material.
        Conflict: another memory has this text already, the text of a superseded memory or of
            anything but a fact is to change, or it would begin to hold after it ended.
    """
    engine.store.claim_encoder()
    node = existing(engine, memory_id, scope)
    changes, redacted = _screened(engine, changes)
    given = {name: v for name, v in changes.given().items() if getattr(node, name) != v}
    if not given:
        return replace(added(node, "nothing changed"), redacted=redacted)
    if "content" in given:
        _refuse_talk(node)
    recording = Recording(engine, node.scope)
    engine = recording.engine
    newcomer = _rewritten(engine, node, changes) if "content" in given else None
    with engine.store.write() as writer:
        current = _current(writer, memory_id)
        if unchanged_since is not None and current.updated_at != unchanged_since:
            raise Outdated(f"memory {memory_id} was changed meanwhile; read it again")
        _refuse_late(current, given.get("valid_from", current.valid_from))
        before = {name: _plain(getattr(current, name)) for name in given}
        if newcomer is not None and current.updated_at != node.updated_at:
            newcomer = _rewritten(engine, current, changes)  # of what is there by now
        if newcomer is None:
            changed = replace(current, **given, updated_at=datetime.now(UTC))
            regate = not given.keys().isdisjoint(("salience", "pinned"))
            result = _regated(engine, changed) if regate else (changed, "its status stays")
            writer.amend(result[0])
            outcome = added(*result)
        else:
            _refuse_taken(writer.live(node.scope, newcomer.hash), memory_id)
            plan = plan_supersession(engine, [newcomer])
            outcome = insert(writer, newcomer, plan)
            retire(writer, plan)
            writer.enqueue(recording.rows([newcomer.node]))
        writer.log("update", node.scope, memory_id, {"before": before})
    return replace(outcome, redacted=redacted)


def _screened(engine: Engine, changes: Changes) -> tuple[Changes, tuple[str, ...]]:
    """The changes as they may be stored, and the rules whose findings were masked."""
    found = screen(
        changes.content or "", changes.tags or (), changes.metadata, secrets=engine.secrets
    )
    new = {"content": found.content, "tags": found.tags, "metadata": found.metadata}
    given = {name: value for name, value in new.items() if getattr(changes, name) is not None}
    return replace(changes, **given), found.redacted


def _refuse_talk(node: Node) -> None:
    """Let nothing be rewritten but facts."""
    if node.level != "fact":
        raise Conflict(
            f"memory {node.id} is a{'n' * (node.level == 'episode')} {node.level}: what was said"
            " stays word for word, and what is told of it follows; add a memory that corrects it"
        )


def _refuse_late(current: Node, valid_from: datetime) -> None:
    """Let nothing begin to hold after it ended."""
    if current.valid_until and valid_from > current.valid_until:
        raise Conflict(
            f"memory {current.id} was superseded at {current.valid_until.isoformat()};"
            " it cannot begin to hold after that"
        )


def restore(engine: Engine, memory_id: str, scope: str | None = None) -> Node:
    """Make a superseded or low-signal memory active again; what replaced it stays as it is.

    Raises:
        NotFound: no memory has this id in this scope, or it was forgotten.
        Conflict: the same text is live under another id.
    """
    node = existing(engine, memory_id, scope)
    with engine.store.write() as writer:
        current = _current(writer, memory_id)
        if current.status == "active":
            return current
        if current.status == "superseded":
            _refuse_taken(writer.live(node.scope, identity_hash(node)), memory_id)
        restored = replace(
            current,
            status="active",
            pinned=current.pinned or current.status == "low_signal",
            superseded_by=None,
            valid_until=None,
            updated_at=datetime.now(UTC),
        )
        writer.amend(restored)
        writer.log(
            "restore",
            node.scope,
            memory_id,
            {"status": current.status, "superseded_by": current.superseded_by},
        )
    return restored


def erase(writer: Writer, ids: Sequence[str]) -> None:
    """Remove memories for good: text, indexes, vectors, links, counters and logged details.

    What stands on them alone goes with them: facts drawn from no other turn, episodes and topics
    of no other member. What was forgotten already is passed over.

    Raises:
        StoreError: something could not be erased.
    """
    living = [i for i in ids if writer.get(i).status != "deleted"]
    doomed = [*living, *writer.dependants(living)]
    for memory_id in doomed:
        writer.log("forget", writer.get(memory_id).scope, memory_id, {})
    writer.erase(doomed)


def existing(engine: Engine, memory_id: str, scope: str | None, *, forgotten: bool = False) -> Node:
    """The memory with this id; one that was ``forgotten`` only if asked for.

    Raises:
        NotFound: there is none in this scope, or it was forgotten.
    """
    found = engine.store.get([memory_id], scope)
    if not found:
        within = "" if scope is None else f" in scope {scope!r}"
        raise NotFound(f"no memory has the id {memory_id!r}{within}")
    if found[0].status == "deleted" and not forgotten:
        raise NotFound(f"memory {memory_id} was forgotten; its text is erased for good")
    return found[0]


def _current(writer: Writer, memory_id: str) -> Node:
    """The memory inside the transaction, unless it was forgotten since it was looked up."""
    node = writer.get(memory_id)
    if node.status == "deleted":
        raise NotFound(f"memory {memory_id} was forgotten meanwhile")
    return node


def _rewritten(engine: Engine, node: Node, changes: Changes) -> Newcomer:
    content = changes.content or ""
    if node.status == "superseded":
        raise Conflict(
            f"memory {node.id} is superseded and part of the history; restore it before"
            " changing its text"
        )
    pinned = node.pinned if changes.pinned is None else changes.pinned
    draft = Draft(
        content=content,
        scope=node.scope,
        level=node.level,
        at=changes.valid_from or node.valid_from,
        tags=node.tags if changes.tags is None else changes.tags,
        metadata=node.metadata if changes.metadata is None else changes.metadata,
        memory_type=changes.memory_type,
        pin=pinned,
        provenance=node.provenance,
    )
    (newcomer,) = judge_and_gate(engine, [draft], embed(engine.embedder, [content]), [node.id])
    fresh = newcomer.node
    overrides = {
        name: value
        for name in ("salience", "durable")
        if (value := getattr(changes, name)) is not None
    }
    judged, reason = _regated(engine, replace(fresh, created_at=node.created_at, **overrides))
    return replace(newcomer, node=judged, hash=identity_hash(judged), reason=reason, rewrites=True)


def _regated(engine: Engine, node: Node) -> tuple[Node, str]:
    """The node with the status its salience and pin now give it; superseded ones stay so."""
    if node.status == "superseded":
        return node, "superseded, as before"
    verdict = gate(node.salience, threshold_of(engine, node.judge), pinned=node.pinned)
    return replace(node, status=verdict.status), verdict.reason


def _refuse_taken(live: Node | None, memory_id: str) -> None:
    if live is not None and live.id != memory_id:
        raise Conflict(f"the same text is live as memory {live.id}; update or forget that one")


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
