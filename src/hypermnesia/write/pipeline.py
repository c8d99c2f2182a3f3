"""The write path: guard -> embed -> judge -> gate -> supersede -> store.

Drafts come in guarded (:func:`hypermnesia.write.draft.draft`). Embedding precedes judging
because the local judge reads the vectors; nothing is stored before both are done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from hypermnesia import validate
from hypermnesia.engine import Embedded, Engine, embed
from hypermnesia.errors import HypermnesiaError, InvalidInput, ModelError
from hypermnesia.identity import new_id
from hypermnesia.store.protocol import Record, Writer
from hypermnesia.types import Added, Node
from hypermnesia.write.draft import Draft
from hypermnesia.write.gate import judge_and_gate
from hypermnesia.write.supersede import Newcomer, Plan, Replacement, plan_supersession

OPTIMISTIC_ATTEMPTS = 3
"""Times supersession is planned outside the write lock before it is planned under it."""

Outcome = Added | HypermnesiaError


def write(engine: Engine, drafts: Sequence[Draft]) -> list[Outcome]:
    """Store drafts of one scope in one transaction; a bad item fails alone.

    Args:
        engine: where to.
        drafts: of different texts.

    Raises:
        StoreError: the store cannot be written; then nothing of the batch was.
        EncoderMismatch: the store waits to be re-embedded.
    """
    scope = drafts[0].scope
    engine.store.claim_encoder()
    newcomers: dict[bytes, Newcomer] = {}
    failed: dict[bytes, HypermnesiaError] = {}
    for _ in range(OPTIMISTIC_ATTEMPTS):
        seen = engine.store.changed(scope)  # before anything is read that the plan rests on
        plan = _planned(engine, drafts, newcomers, failed)
        with engine.store.write() as writer:
            # Else another process wrote meanwhile: its memories are rivals too.
            if writer.changed(scope) == seen:
                return _commit(writer, drafts, newcomers, failed, plan)
    with engine.store.write() as writer:  # nobody else can write now, so this plan holds
        plan = _planned(engine, drafts, newcomers, failed)
        return _commit(writer, drafts, newcomers, failed, plan)


def _planned(
    engine: Engine,
    drafts: Sequence[Draft],
    newcomers: dict[bytes, Newcomer],
    failed: dict[bytes, HypermnesiaError],
) -> Plan:
    """Embed and judge what the store does not know, and compare it with what it does."""
    scope = drafts[0].scope
    known = engine.store.live(scope, [d.hash for d in drafts])
    known |= engine.store.told(scope, [(d.hash, d.at) for d in drafts if d.at is not None])
    _prepare(engine, [d for d in drafts if d.hash not in known], newcomers, failed)
    return plan_supersession(engine, [n for digest, n in newcomers.items() if digest not in known])


def _prepare(
    engine: Engine,
    drafts: Sequence[Draft],
    newcomers: dict[bytes, Newcomer],
    failed: dict[bytes, HypermnesiaError],
) -> None:
    """Embed and judge the drafts that are not prepared yet."""
    todo = {d.hash: d for d in drafts if d.hash not in newcomers and d.hash not in failed}
    embedded = _embedded(engine, todo, failed)
    if not embedded:
        return
    chosen = [todo[digest] for digest in embedded]
    ids = [new_id() for _ in chosen]
    for newcomer in judge_and_gate(engine, chosen, list(embedded.values()), ids):
        newcomers[newcomer.hash] = newcomer


def _embedded(
    engine: Engine, drafts: Mapping[bytes, Draft], failed: dict[bytes, HypermnesiaError]
) -> dict[bytes, Embedded]:
    """Vectors by hash; when a batch fails, each text is tried alone."""
    try:
        vectors = embed(engine.embedder, [d.content for d in drafts.values()])
        return dict(zip(drafts, vectors, strict=True))
    except ModelError as error:
        if len(drafts) == 1:
            failed[next(iter(drafts))] = error
            return {}
    alone: dict[bytes, Embedded] = {}
    for digest, draft in drafts.items():
        alone |= _embedded(engine, {digest: draft}, failed)
    return alone


def _commit(
    writer: Writer,
    drafts: Sequence[Draft],
    newcomers: Mapping[bytes, Newcomer],
    failed: Mapping[bytes, HypermnesiaError],
    plan: Plan,
) -> list[Outcome]:
    """Write everything that the plan was made for."""
    outcomes: list[Outcome] = []
    for draft in drafts:
        digest = draft.hash
        # The same text at the same time is the same history, told once more.
        known = None if draft.at is None else writer.told(draft.scope, digest, draft.at)
        known = known or writer.live(draft.scope, digest)
        if known is not None:
            outcomes.append(_refresh(writer, known, draft))
        elif digest in failed:
            outcomes.append(failed[digest])
        else:
            outcomes.append(insert(writer, newcomers[digest], plan))
    retire(writer, plan)
    return outcomes


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
