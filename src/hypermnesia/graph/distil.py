"""Statements of new turns made into drafts for the write path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from hypermnesia.engine import Embedded, Located, Part, embedded_parts
from hypermnesia.errors import HypermnesiaError
from hypermnesia.graph.constructor import Constructor, each
from hypermnesia.graph.model import FactText, Turn
from hypermnesia.graph.segments import CONTEXT, Segment
from hypermnesia.language.dates import Mention
from hypermnesia.privacy import StoredSecrets
from hypermnesia.store.incidence import Days
from hypermnesia.types import INGESTED, Failure, Provenance
from hypermnesia.write.draft import Draft, draft


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn with its vectors, and the hash that identifies it."""

    turn: Turn
    vectors: Located
    hash: bytes


@dataclass(slots=True)
class FactPlan:
    """A statement about to be written.

    Attributes:
        episode: id of the episode that it belongs to.
        turns: ids of the turns that say it.
        embedded: its vectors, when they are part of its turn's.
    """

    draft: Draft
    fact: FactText
    episode: str
    turns: list[str] = field(default_factory=list[str])
    embedded: Embedded | None = None


def fact_plans(
    constructor: Constructor,
    scope: str,
    segments: Sequence[Segment],
    fresh: Mapping[str, NewTurn],
    secrets: StoredSecrets,
) -> tuple[list[FactPlan], list[Failure]]:
    """The statements of the new turns, each text once, and those that may not be stored."""
    plans: dict[bytes, FactPlan] = {}
    failed: list[Failure] = []
    parts: list[tuple[Segment, Draft, Part]] = []
    read = [segment.turns[max(segment.stored - CONTEXT, 0) :] for segment in segments]
    told = each(constructor, constructor.facts, read)
    for segment, turns, said in zip(segments, read, told, strict=True):
        for fact in said:
            main = turns[fact.turns[0]]
            if main.id not in fresh:
                continue  # context only: it was distilled when it came
            try:
                checked = _draft(scope, fact, main, secrets)
            except HypermnesiaError as error:
                failed.append(Failure(len(failed), type(error).__name__, str(error)))
                continue
            plan = plans.setdefault(checked.hash, FactPlan(checked, fact, segment.id))
            plan.turns.extend(turns[i].id for i in fact.turns)
            # The turn's vectors are those of its words, not of a mask put over some of them.
            part = None if checked.redacted else _part_of(fact, main, fresh[main.id].vectors)
            if part is not None:
                parts.append((segment, checked, part))
    _embed(parts, plans)
    return list(plans.values()), failed


def _embed(parts: Sequence[tuple[Segment, Draft, Part]], plans: Mapping[bytes, FactPlan]) -> None:
    """Note what is stored of the vectors of each statement, all compressed together."""
    texts = [checked.content for _, checked, _ in parts]
    embedded = embedded_parts(texts, [part for _, _, part in parts])
    for (segment, checked, _), vectors in zip(parts, embedded, strict=True):
        segment.told[checked.content] = vectors
        plan = plans[checked.hash]
        plan.embedded = plan.embedded or vectors


def _draft(scope: str, fact: FactText, main: Turn, secrets: StoredSecrets) -> Draft:
    metadata = _fact_metadata(fact)
    origin = Provenance(source=INGESTED, session_id=main.session, turn_id=main.message.id)
    if fact.span is not None:  # the words of a turn that was guarded and screened as a whole
        return Draft(fact.content, scope, at=main.at, metadata=metadata, provenance=origin)
    return draft(
        fact.content,
        scope=scope,
        at=main.at,
        metadata=metadata,
        secrets=secrets,
        provenance=asdict(origin),
    )


def _part_of(fact: FactText, main: Turn, vectors: Located) -> Part | None:
    """The vectors of the speaker's name and the statement, seen in the context of the turn.

    They come out of the turn's own forward pass, so facts cost no second one.
    """
    if fact.span is None:
        return None
    return vectors.within(((0, len(main.message.speaker)), fact.span))


def _fact_metadata(fact: FactText) -> dict[str, Any]:
    """What a fact's row says beside its content, and what of it is indexed."""
    found: dict[str, Any] = {
        "when": [[m.first.isoformat(), m.last.isoformat(), m.phrase] for m in fact.mentions],
        "where": fact.where,
        "keywords": list(fact.keywords),
        "queries": list(fact.queries),
    }
    return {name: v for name, v in found.items() if v} | {"confidence": round(fact.confidence, 3)}


def days_of(mentions: Iterable[Mention]) -> list[Days]:
    """The days that date phrases speak of, each once."""
    return list(dict.fromkeys(Days(m.first, m.last) for m in mentions))
