"""Judging newcomers, and the gate that keeps chatter out of recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from hypermnesia.engine import Embedded, Engine
from hypermnesia.judge.protocol import Judged
from hypermnesia.types import Analysis, Node, Status
from hypermnesia.write.draft import Draft
from hypermnesia.write.supersede import Newcomer


@dataclass(frozen=True, slots=True)
class Verdict:
    """Status a memory gets at the gate, and one sentence saying why."""

    status: Status
    reason: str


def judge_and_gate(
    engine: Engine, drafts: Sequence[Draft], embedded: Sequence[Embedded], ids: Sequence[str]
) -> list[Newcomer]:
    """Judge embedded drafts once, together, and decide each one's status."""
    passages = [e.without_tokens(i) for e, i in zip(embedded, ids, strict=True)]
    judged = engine.judge.analyze(passages)
    analyses: Sequence[Analysis | None] = judged.value or [None] * len(drafts)
    now = datetime.now(UTC)
    threshold = threshold_of(engine, judged.backend)
    newcomers: list[Newcomer] = []
    for draft, vectors, analysis, memory_id in zip(drafts, embedded, analyses, ids, strict=True):
        salience = None if analysis is None else analysis.salience
        verdict = gate(salience, threshold, pinned=draft.pin)
        node = _node(draft, analysis, verdict.status, judged, memory_id, now)
        newcomers.append(Newcomer(node, draft.hash, vectors, verdict.reason))
    return newcomers


def gate(salience: float | None, threshold: float, *, pinned: bool) -> Verdict:
    """Active or low-signal, and why."""
    if pinned:
        return Verdict("active", "pinned")
    if salience is None:
        return Verdict("active", "kept without a verdict: the judge is off")
    if salience >= threshold:
        return Verdict("active", f"salience {salience:.2f} reaches the gate {threshold:.2f}")
    return Verdict(
        "low_signal",
        f"salience {salience:.2f} is below the gate {threshold:.2f}: kept, but recalled only when"
        " low_signal memories are asked for; pin it to keep it active",
    )


def threshold_of(engine: Engine, backend: str) -> float:
    """The configured gate, or else the one calibrated for the judge that answered."""
    return engine.judge.gate(backend) if engine.gate is None else engine.gate


def _node(
    draft: Draft,
    analysis: Analysis | None,
    status: Status,
    judged: Judged[list[Analysis]],
    memory_id: str,
    now: datetime,
) -> Node:
    judged_type = "fact" if analysis is None else analysis.memory_type
    return Node(
        id=memory_id,
        scope=draft.scope,
        level=draft.level,
        content=draft.content,
        memory_type=draft.memory_type or judged_type,
        tags=draft.tags,
        metadata=draft.metadata,
        salience=None if analysis is None else analysis.salience,
        durable=None if analysis is None else analysis.durable,
        status=status,
        superseded_by=None,
        valid_from=draft.at or now,
        valid_until=None,
        created_at=now,
        updated_at=now,
        provenance=draft.provenance,
        judge=judged.backend,
        degraded=judged.degraded,
        pinned=draft.pin,
        access_count=0,
        accessed_at=None,
    )
