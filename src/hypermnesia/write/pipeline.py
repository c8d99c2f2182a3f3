"""The write path: guard -> embed -> judge -> gate -> supersede -> store -> enqueue.

Drafts come in guarded (:func:`hypermnesia.write.draft.draft`). Embedding precedes judging
because the local judge reads the vectors; nothing is stored before both are done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias

from hypermnesia import validate
from hypermnesia.corpus.record import Recording
from hypermnesia.engine import Embedded, Engine, embed
from hypermnesia.errors import HypermnesiaError, InvalidInput, ModelError, StoreError
from hypermnesia.identity import new_id
from hypermnesia.store.outbox import Queued
from hypermnesia.store.protocol import Record, Writer
from hypermnesia.types import Added, Node
from hypermnesia.write.draft import Draft
from hypermnesia.write.gate import judge_and_gate
from hypermnesia.write.supersede import Newcomer, Plan, Replacement, plan_supersession

OPTIMISTIC_ATTEMPTS = 3
"""Times supersession is planned outside the write lock before it is planned under it."""

Outcome = Added | HypermnesiaError

Vectors: TypeAlias = Mapping[bytes, Embedded | HypermnesiaError]
"""By content hash, a text's vectors, or why it has none."""


Before: TypeAlias = Callable[[Writer], None]
"""Looks at the store in the transaction before anything is written."""
Within: TypeAlias = Callable[[Writer, Sequence[Outcome]], None]
"""Stores what belongs to the outcomes, in the same transaction."""


def write(
    engine: Engine,
    drafts: Sequence[Draft],
    vectors: Vectors | None = None,
    *,
    before: Before | None = None,
    within: Within | None = None,
) -> list[Outcome]:
    """Store drafts of one scope in one transaction; a bad item fails alone.

    Args:
        engine: where to.
        drafts: of different texts.
        vectors: what is embedded already; what is missing there is embedded when needed.
        before: called in the transaction before anything is written; what it raises ends it.
        within: called with the outcomes before they are committed; what it raises undoes all.

    Raises:
        StoreError: the store cannot be written; then nothing of the batch was.
        EncoderMismatch: the store waits to be re-embedded.
    """
    return _write(engine, drafts, vectors or {}, before or _no_look, within or _nothing_more)


def _write(
    engine: Engine, drafts: Sequence[Draft], vectors: Vectors, before: Before, within: Within
) -> list[Outcome]:
    engine.store.claim_encoder()
    if not drafts:
        with engine.store.write() as writer:
            before(writer)
            within(writer, [])
        return []
    scope = drafts[0].scope
    recording = Recording(engine, scope)
    engine = recording.engine
    prepared: dict[bytes, Newcomer | HypermnesiaError] = {}
    for _ in range(OPTIMISTIC_ATTEMPTS):
        seen = engine.store.changed(scope)  # before anything is read that the plan rests on
        new = unknown(engine, drafts)
        plan = _planned(engine, new, vectors, prepared)
        rows = _judgements(recording, prepared)
        with engine.store.write() as writer:
            # Else another process wrote meanwhile: its memories are rivals too.
            if writer.changed(scope) == seen:
                before(writer)
                outcomes = _commit(writer, drafts, {d.hash: prepared[d.hash] for d in new}, plan)
                within(writer, outcomes)
                writer.enqueue(rows)
                return outcomes
    with engine.store.write() as writer:
        writer.changed(scope)  # from here on nobody else writes in it, so this plan holds
        before(writer)
        new = unknown(engine, drafts)
        plan = _planned(engine, new, vectors, prepared)
        outcomes = _commit(writer, drafts, {d.hash: prepared[d.hash] for d in new}, plan)
        within(writer, outcomes)
        writer.enqueue(_judgements(recording, prepared))
        return outcomes


def _judgements(
    recording: Recording, prepared: Mapping[bytes, Newcomer | HypermnesiaError]
) -> list[Queued]:
    """What was judged for these newcomers, ready to be queued; nothing without consent."""
    return recording.rows(n.node for n in prepared.values() if isinstance(n, Newcomer))


def _no_look(writer: Writer) -> None:
    """What a caller looks at that names nothing."""


def _nothing_more(writer: Writer, outcomes: Sequence[Outcome]) -> None:
    """What is stored beside the drafts of a caller that names nothing."""


def unknown(engine: Engine, drafts: Sequence[Draft]) -> list[Draft]:
    """Those of the drafts, all of one scope, that the store does not hold already."""
    scope = drafts[0].scope
    known = engine.store.live(scope, [d.hash for d in drafts])
    # The same text at the same time is the same history, told once more.
    known |= engine.store.told(scope, [(d.hash, d.at) for d in drafts if d.at is not None])
    return [d for d in drafts if d.hash not in known]


def vectors_of(engine: Engine, drafts: Sequence[Draft]) -> Vectors:
    """Embed drafts; when a batch fails, each text is tried alone."""
    if not drafts:
        return {}
    try:
        embedded = embed(engine.embedder, [d.content for d in drafts])
        return dict(zip([d.hash for d in drafts], embedded, strict=True))
    except ModelError as error:
        if len(drafts) == 1:
            return {drafts[0].hash: error}
    alone: dict[bytes, Embedded | HypermnesiaError] = {}
    for draft in drafts:
        alone |= vectors_of(engine, [draft])
    return alone


def _planned(
    engine: Engine,
    drafts: Sequence[Draft],
    vectors: Vectors,
    prepared: dict[bytes, Newcomer | HypermnesiaError],
) -> Plan:
    """Embed and judge what is new to the store, and compare it with what the store holds."""
    _prepare(engine, [d for d in drafts if d.hash not in prepared], vectors, prepared)
    newcomers = [prepared[d.hash] for d in drafts]
    return plan_supersession(engine, [n for n in newcomers if isinstance(n, Newcomer)])


def _prepare(
    engine: Engine,
    drafts: Sequence[Draft],
    vectors: Vectors,
    prepared: dict[bytes, Newcomer | HypermnesiaError],
) -> None:
    """Embed and judge drafts."""
    missing = [d for d in drafts if d.hash not in vectors]
    vectors = {**vectors, **(vectors_of(engine, missing) if missing else {})}
    embedded: list[tuple[Draft, Embedded]] = []
    for draft in drafts:
        found = vectors[draft.hash]
        if isinstance(found, HypermnesiaError):
            prepared[draft.hash] = found
        else:
            embedded.append((draft, found))
    if embedded:
        chosen, texts = zip(*embedded, strict=True)
        ids = [new_id() for _ in chosen]
        prepared |= {n.hash: n for n in judge_and_gate(engine, chosen, texts, ids)}


def _commit(
    writer: Writer,
    drafts: Sequence[Draft],
    new: Mapping[bytes, Newcomer | HypermnesiaError],
    plan: Plan,
) -> list[Outcome]:
    """Write everything that the plan was made for; what is not new is in the store already."""
    outcomes: list[Outcome] = []
    for draft in drafts:
        match new.get(draft.hash):
            case None:
                outcome = _refresh(writer, _known(writer, draft), draft)
            case Newcomer() as newcomer:
                outcome = insert(writer, newcomer, plan)
            case error:
                outcome = error
        if isinstance(outcome, Added) and draft.redacted:
            outcome = replace(outcome, redacted=draft.redacted)
        outcomes.append(outcome)
    retire(writer, plan)
    return outcomes


def _known(writer: Writer, draft: Draft) -> Node:
    """The memory that a draft tells once more."""
    told = None if draft.at is None else writer.told(draft.scope, draft.hash, draft.at)
    known = told or writer.live(draft.scope, draft.hash)
    if known is None:
        raise StoreError(f"a text of scope {draft.scope!r} vanished inside a transaction")
    return known


def insert(writer: Writer, newcomer: Newcomer, plan: Plan) -> Added:
    """Store one newcomer, already retired if the plan says that something newer stands."""
    node = newcomer.node
    reason = _reason(newcomer, plan)
    if retired := plan.replacements.get(node.id):
        node = superseded(node, retired)
    record = Record(node, newcomer.hash, newcomer.embedded.dense, newcomer.embedded.tokens)
    if newcomer.rewrites:
        writer.rewrite(record)
    else:
        writer.insert(record)
        writer.log("add", node.scope, node.id, {"status": node.status, "reason": reason})
    replaced = tuple(r.old.id for r in plan.replacements.values() if r.new.id == node.id)
    return added(node, reason, superseded=replaced, degraded=node.degraded or plan.degraded)


def retire(writer: Writer, plan: Plan) -> None:
    """Mark what the plan replaces, newcomers excepted (they are stored that way)."""
    for replacement in plan.replacements.values():
        current = writer.get(replacement.old.id)
        if current.superseded_by != replacement.new.id:
            writer.amend(superseded(current, replacement))
        writer.log(
            "supersede",
            current.scope,
            current.id,
            {
                "by": replacement.new.id,
                "probability": round(replacement.probability, 4),
                "reason": replacement.reason,
            },
        )


def superseded(node: Node, replacement: Replacement) -> Node:
    """The node as it stands once replaced: valid until the newer one's event time."""
    return replace(
        node,
        status="superseded",
        superseded_by=replacement.new.id,
        valid_until=replacement.new.valid_from,
        updated_at=datetime.now(UTC),
    )


def added(
    node: Node,
    reason: str,
    *,
    superseded: tuple[str, ...] = (),
    duplicate: bool = False,
    degraded: bool = False,
) -> Added:
    """What ``add`` reports of a stored node."""
    return Added(
        id=node.id,
        status=node.status,
        reason=reason,
        memory_type=node.memory_type,
        salience=node.salience,
        durable=node.durable,
        superseded=superseded,
        duplicate=duplicate,
        judge=node.judge,
        degraded=degraded,
    )


def _refresh(writer: Writer, known: Node, draft: Draft) -> Outcome:
    """A known text: merge what the draft adds to its row."""
    try:
        tags = validate.tags((*known.tags, *draft.tags))
        metadata = validate.metadata({**known.metadata, **draft.metadata})
    except InvalidInput as error:
        return error
    pinned = known.pinned or draft.pin
    lifted = pinned and known.status == "low_signal"
    node = replace(
        known,
        tags=tags,
        metadata=metadata,
        memory_type=draft.memory_type or known.memory_type,
        pinned=pinned,
        status="active" if lifted else known.status,
        updated_at=datetime.now(UTC),
    )
    writer.amend(node)
    writer.log("add", node.scope, node.id, {"duplicate": True})
    since = f"{known.created_at:%Y-%m-%d}"
    return added(node, f"known since {since}: its row was refreshed", duplicate=True)


def _reason(newcomer: Newcomer, plan: Plan) -> str:
    retired = plan.replacements.get(newcomer.node.id)
    if retired is None:
        return newcomer.reason
    return (
        f"memory {retired.new.id} of {retired.new.valid_from:%Y-%m-%d} is newer and replaces it"
        f" (probability {retired.probability:.2f})"
    )
