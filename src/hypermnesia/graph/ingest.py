"""The ingest pipeline: arrive -> embed -> detect episodes -> extract facts -> write -> topics.

A chunk of messages is stored in one transaction, so a turn that is there has been distilled:
an interrupted ingest continues by starting again, and what is known already is passed over.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hypermnesia.engine import Engine, Located
from hypermnesia.errors import Outdated
from hypermnesia.graph.ahead import Chunk, Source, embedded_ahead
from hypermnesia.graph.arrival import SESSION, Arrival, Reception, Refusal
from hypermnesia.graph.constructor import Constructor, Usage
from hypermnesia.graph.distil import NewTurn
from hypermnesia.graph.messages import Message, Rejected
from hypermnesia.graph.model import Turn
from hypermnesia.graph.past import Past
from hypermnesia.graph.segments import Segmenter
from hypermnesia.graph.stored import direction
from hypermnesia.graph.weave import Woven, weave
from hypermnesia.identity import new_id
from hypermnesia.language.dates import mentions

ATTEMPTS = 40
"""Times a chunk is woven while other processes change the conversation that it continues."""
PAUSE = 0.4
"""Longest pause between two of them, in seconds; by chance, so that all of them get their turn."""
DATED = 8_000
"""Characters of a turn that are searched for dates; only pasted documents are longer."""


@dataclass(slots=True)
class Ingested:
    """What came of an ingest.

    Attributes:
        turns: stored now.
        known: messages that the store had already.
        episodes: begun.
        facts: statements stored as memories of their own, repetitions not counted.
        topics: begun.
        gated: facts kept as low-signal.
        superseded: memories that a newer fact replaced.
        refused: messages and facts with prohibited material.
        failed: what could not be read or stored, with the place and the reason.
        fallbacks: steps that a language model could not answer, by step.
        tokens: tokens that a language model took and gave, by step.
    """

    turns: int = 0
    known: int = 0
    episodes: int = 0
    facts: int = 0
    topics: int = 0
    gated: int = 0
    superseded: int = 0
    refused: int = 0
    failed: list[Rejected] = field(default_factory=list[Rejected])
    fallbacks: Mapping[str, int] = field(default_factory=dict[str, int])
    tokens: Mapping[str, int] = field(default_factory=dict[str, int])

    def count(self, woven: Woven) -> None:
        """Add the outcome of one chunk."""
        stored = [fact for fact in woven.facts if not fact.duplicate]
        self.facts += len(stored)
        self.gated += sum(fact.status == "low_signal" for fact in stored)
        self.superseded += sum(len(fact.superseded) for fact in stored)
        self.episodes += woven.episodes
        self.topics += woven.topics
        for failure in woven.failed:
            if failure.error == "Refused":
                self.refused += 1
            else:
                self.failed.append(Rejected(failure.index, "fact", failure.message))

    def asked(self, usage: Mapping[str, Usage]) -> None:
        """Tell what a language model was asked for all this."""
        self.fallbacks = {step: used.fallbacks for step, used in usage.items() if used.fallbacks}
        self.tokens = {step: used.input_tokens + used.output_tokens for step, used in usage.items()}


def ingest(
    engine: Engine,
    constructor: Constructor,
    messages: Iterable[Message | Rejected],
    scope: str,
    *,
    session: str = SESSION,
    live: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Ingested:
    """Store a conversation and everything that is made of it.

    Args:
        engine: where to.
        constructor: decides on episodes, facts and topics.
        messages: in the order in which they were said.
        scope: of everything.
        session: session of messages that name none.
        live: more will follow, so that a short last episode is not placed among topics yet.
        progress: called with the number of messages done since the last call.

    Raises:
        StoreError: the store cannot be written; earlier chunks stay, start again to go on.
        EncoderMismatch: the store waits to be re-embedded.
        ModelError: the encoder failed.
        Exception: whatever the source of the messages raised, once all before it is stored.
    """
    engine.store.claim_encoder()
    report = Ingested()
    past, segmenter = Past(engine, scope), Segmenter(engine, constructor, scope)
    reception = Reception(scope, session, datetime.now(UTC), engine.secrets)
    source = Source(reception.arrivals(messages))
    with closing(embedded_ahead(engine, scope, source.read())) as chunks:
        for chunk, last in chunks:
            settle = last and not live and source.broken is None
            _store(past, constructor, segmenter, chunk, report, settle=settle)
            if progress is not None:
                progress(chunk.size)
    if source.broken is not None:
        raise source.broken
    report.asked(constructor.usage)
    return report


def _store(
    past: Past,
    constructor: Constructor,
    segmenter: Segmenter,
    chunk: Chunk,
    report: Ingested,
    *,
    settle: bool,
) -> None:
    report.known += chunk.known
    report.refused += sum(isinstance(item, Refusal) for item in chunk.rejected)
    report.failed += chunk.rejected
    located = [one for piece in chunk.located for one in piece.result()]
    if not located:
        return

    def woven() -> Woven:
        if not past.catch_up():  # what is known of the sessions is of before, too
            segmenter.start_over()
        fresh = _turns(segmenter, chunk.new.values(), located)
        segments = segmenter.extend(entry.turn for entry in fresh.values())
        made = weave(past, constructor, segments, fresh, settle=settle)
        segmenter.keep(segments)
        return made

    report.count(_persistently(woven, segmenter.start_over))
    report.turns += len(located)
    segmenter.forget_sessions(but={item.session for item in chunk.new.values()})


def _persistently(weave: Callable[[], Woven], start_over: Callable[[], None]) -> Woven:
    """Weave a chunk, and again on what is there by then when another process was first.

    Raises:
        Outdated: others were, time and again.
    """
    for attempt in range(1, ATTEMPTS):
        try:
            return weave()
        except Outdated:
            start_over()
            time.sleep(random.uniform(0, PAUSE * min(attempt / 8, 1)))  # noqa: S311 - no secret
    return weave()


def _turns(
    segmenter: Segmenter, arrivals: Iterable[Arrival], located: Sequence[Located]
) -> dict[str, NewTurn]:
    """The new turns by id, each at the next position of its session."""
    positions: dict[str, int] = {}
    fresh: dict[str, NewTurn] = {}
    for item, vectors in zip(arrivals, located, strict=True):
        if item.session not in positions:
            positions[item.session] = segmenter.next_position(item.session)
        place = positions[item.session]
        positions[item.session] += 1
        turn = Turn(
            id=new_id(),
            message=item.message,
            at=item.at,
            content=item.content,
            session=item.session,
            position=place,
            mentions=tuple(mentions(item.content[:DATED], item.at)),
            vector=direction(vectors.embedded.dense),
        )
        fresh[turn.id] = NewTurn(turn, vectors, item.hash)
    return fresh
