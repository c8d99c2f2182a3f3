"""One chunk of talk made into turns, facts, episodes and topics, stored in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from hypermnesia.engine import Embedded, Engine, Located, embed
from hypermnesia.errors import Conflict, HypermnesiaError
from hypermnesia.graph.constructor import Constructor, each
from hypermnesia.graph.model import EpisodeText, EpisodeView, FactText, Turn
from hypermnesia.graph.nodes import unjudged
from hypermnesia.graph.segments import CONTEXT, Segment
from hypermnesia.graph.stored import direction, episode_metadata, headline, topic_metadata
from hypermnesia.graph.topics import TopicPlan, TopicPlanner
from hypermnesia.language.dates import Mention
from hypermnesia.privacy import StoredSecrets
from hypermnesia.store.incidence import Days, Member, Place
from hypermnesia.store.protocol import Record, Writer
from hypermnesia.store.text import head_hash
from hypermnesia.types import INGESTED, Added, Failure, Node, Provenance
from hypermnesia.write.draft import Draft, draft
from hypermnesia.write.pipeline import Outcome, write

ORIGIN = INGESTED
"""Provenance of everything that talk was made into."""
SETTLED = 3
"""Turns from which an open episode says enough to be placed among topics (the paper's guidance
for episodes is 3 to 20 exchanges)."""


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn with its vectors, and the hash that identifies it."""

    turn: Turn
    vectors: Located
    hash: bytes


@dataclass(frozen=True, slots=True)
class Episode:
    """An episode that is new or has grown, with what was made of its new turns."""

    segment: Segment
    text: EpisodeText
    embedded: Embedded
    view: EpisodeView

    def record(self, scope: str, known: Node | None) -> Record:
        """Its row."""
        content = headline(self.text.title, self.text.summary)
        data = episode_metadata(self.text, self.segment.turns, is_open=not self.segment.closed)
        node = unjudged("episode", self.segment.id, scope, content, self.view.start, data)
        if known is not None:
            node = replace(node, created_at=known.created_at, access_count=known.access_count)
        return Record(node, head_hash(scope, node.id), self.embedded.dense, self.embedded.tokens)


@dataclass(slots=True)
class FactPlan:
    """A statement about to be written.

    Attributes:
        embedded: its vectors, when they are part of its turn's.
        episode: id of the episode that it belongs to.
        turns: ids of the turns that say it.
    """

    draft: Draft
    embedded: Embedded | None
    fact: FactText
    episode: str
    turns: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Woven:
    """What one chunk came to.

    Attributes:
        facts: outcomes of the write path, in the order of the statements.
        episodes: how many are new.
        topics: how many are new.
        failed: facts that could not be stored, by what went wrong.
    """

    facts: list[Added]
    episodes: int
    topics: int
    failed: list[Failure]


def weave(
    engine: Engine,
    constructor: Constructor,
    scope: str,
    segments: Sequence[Segment],
    fresh: Mapping[str, NewTurn],
    *,
    settle: bool,
) -> Woven:
    """Distil the new turns of these episodes and store everything at once.

    Args:
        engine: where to.
        constructor: how.
        scope: of everything.
        segments: the episodes that grew.
        fresh: the new turns by id.
        settle: no more turns are at hand, so that even short episodes are placed among topics.

    Raises:
        StoreError: nothing of the chunk was stored.
        ModelError: the encoder failed; likewise.
    """
    episodes = _episodes(engine, constructor, segments)
    plans, failed = _facts(constructor, scope, segments, fresh, engine.secrets)
    topics = _topics(engine, constructor, scope, episodes, settle=settle)
    topic_vectors = embed(engine.embedder, [_topic_line(topic) for topic in topics])
    facts: list[Added] = []

    def within(writer: Writer, outcomes: Sequence[Outcome]) -> None:
        facts.clear()
        _store_turns(writer, scope, segments, fresh)
        _store_episodes(writer, scope, episodes)
        for plan, outcome in zip(plans, outcomes, strict=True):
            if isinstance(outcome, HypermnesiaError):
                failed.append(Failure(len(failed), type(outcome).__name__, str(outcome)))
            else:
                facts.append(outcome)
                _store_fact(writer, plan, outcome)
        for topic, vectors in zip(topics, topic_vectors, strict=True):
            _store_topic(writer, scope, topic, vectors)

    vectors = {plan.draft.hash: plan.embedded for plan in plans if plan.embedded is not None}
    write(engine, [plan.draft for plan in plans], vectors, within=within)
    return Woven(
        facts=facts,
        episodes=sum(segment.is_new for segment in segments),
        topics=sum(topic.node is None for topic in topics),
        failed=failed,
    )


def _episodes(
    engine: Engine, constructor: Constructor, segments: Sequence[Segment]
) -> list[Episode]:
    texts = each(constructor, constructor.episode, [segment.turns for segment in segments])
    vectors = embed(engine.embedder, [headline(t.title, t.summary) for t in texts])
    return [
        Episode(segment, text, embedded, _view(segment, text, embedded))
        for segment, text, embedded in zip(segments, texts, vectors, strict=True)
    ]


def _view(segment: Segment, text: EpisodeText, embedded: Embedded) -> EpisodeView:
    times = [turn.at for turn in segment.turns]
    speakers = sorted({turn.message.speaker for turn in segment.turns})
    vector = direction(embedded.dense)
    return EpisodeView(segment.id, text, tuple(speakers), min(times), max(times), vector)


def _facts(
    constructor: Constructor,
    scope: str,
    segments: Sequence[Segment],
    fresh: Mapping[str, NewTurn],
    secrets: StoredSecrets,
) -> tuple[list[FactPlan], list[Failure]]:
    """The statements of the new turns, each text once, and those that may not be stored."""
    plans: dict[bytes, FactPlan] = {}
    failed: list[Failure] = []
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
            # The turn's vectors are those of its words, not of a mask put over some of them.
            part = None if checked.redacted else _part_of(fact, main, fresh[main.id].vectors)
            plan = plans.setdefault(checked.hash, FactPlan(checked, part, fact, segment.id))
            plan.turns.extend(turns[i].id for i in fact.turns)
    return list(plans.values()), failed


def _draft(scope: str, fact: FactText, main: Turn, secrets: StoredSecrets) -> Draft:
    metadata = _fact_metadata(fact)
    origin = Provenance(source=ORIGIN, session_id=main.session, turn_id=main.message.id)
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


def _part_of(fact: FactText, main: Turn, vectors: Located) -> Embedded | None:
    """The vectors of the speaker's name and the statement, seen in the context of the turn.

    They come out of the turn's own forward pass, so facts cost no second one.
    """
    if fact.span is None:
        return None
    return vectors.part(fact.content, ((0, len(main.message.speaker)), fact.span))


def _fact_metadata(fact: FactText) -> dict[str, Any]:
    """What a fact's row says beside its content, and what of it is indexed."""
    found: dict[str, Any] = {
        "when": [[m.first.isoformat(), m.last.isoformat(), m.phrase] for m in fact.mentions],
        "where": fact.where,
        "keywords": list(fact.keywords),
        "queries": list(fact.queries),
    }
    return {name: v for name, v in found.items() if v} | {"confidence": round(fact.confidence, 3)}


def _topics(
    engine: Engine,
    constructor: Constructor,
    scope: str,
    episodes: Sequence[Episode],
    *,
    settle: bool,
) -> list[TopicPlan]:
    """The topics that these episodes change; an episode is placed once."""
    planner = TopicPlanner(engine, constructor, scope)
    known = [e.segment.id for e in episodes if not e.segment.is_new]
    placed = {member.node for member in engine.store.heads(scope, known)}
    for episode in episodes:
        ripe = settle or episode.segment.closed or len(episode.segment.turns) >= SETTLED
        if ripe and episode.segment.id not in placed:
            planner.place(episode.view)
    return planner.finish()


def _topic_line(topic: TopicPlan) -> str:
    return headline(topic.text.title, topic.text.summary)


def _store_turns(
    writer: Writer, scope: str, segments: Sequence[Segment], fresh: Mapping[str, NewTurn]
) -> None:
    ends: dict[str, int] = {}
    for segment in segments:
        for turn in segment.fresh:
            new = fresh[turn.id]
            if writer.live(scope, new.hash) is not None:
                raise Conflict(
                    f"another process is taking in session {turn.session!r} at this moment;"
                    " start again when it is done: what is known already is passed over"
                )
            vectors = new.vectors.embedded
            node = turn_node(scope, turn)
            writer.insert(Record(node, new.hash, vectors.dense, vectors.tokens))
            # Asked here, under the lock: another process may have continued the session.
            position = ends.get(turn.session) or writer.end(scope, turn.session)
            ends[turn.session] = position + 1
            place = Place(turn.session, position, turn.message.speaker)
            writer.place(turn.id, place, days_of(turn.mentions))


def turn_node(scope: str, turn: Turn) -> Node:
    """A turn's row."""
    message = turn.message
    data = {"role": message.role, "caption": message.caption}
    return unjudged(
        "turn",
        turn.id,
        scope,
        turn.content,
        turn.at,
        {name: value for name, value in data.items() if value},
        Provenance(source=ORIGIN, session_id=turn.session, turn_id=message.id),
    )


def _store_episodes(writer: Writer, scope: str, episodes: Sequence[Episode]) -> None:
    for episode in episodes:
        segment = episode.segment
        if segment.is_new:
            writer.insert(episode.record(scope, None))
        else:
            writer.rewrite(episode.record(scope, writer.get(segment.id)))
        writer.join([Member(segment.id, turn.id, "turn", 1.0) for turn in segment.fresh])


def _store_fact(writer: Writer, plan: FactPlan, outcome: Added) -> None:
    # A user's own memory that the talk repeats is not drawn from it, nor forgotten with it.
    if writer.get(outcome.id).provenance.source == ORIGIN:
        writer.cite(outcome.id, list(dict.fromkeys(plan.turns)))
    writer.date(outcome.id, days_of(plan.fact.mentions))
    writer.join([Member(plan.episode, outcome.id, plan.fact.role, plan.fact.weight)])


def _store_topic(writer: Writer, scope: str, topic: TopicPlan, vectors: Embedded) -> None:
    data = topic_metadata(topic.text, topic.episodes)
    start = min(episode.start for episode in topic.episodes)
    node = unjudged("topic", topic.id, scope, _topic_line(topic), start, data)
    digest = head_hash(scope, topic.id)
    if topic.node is None:
        writer.insert(Record(node, digest, vectors.dense, vectors.tokens))
    else:
        node = replace(node, created_at=topic.node.created_at, access_count=topic.node.access_count)
        writer.rewrite(Record(node, digest, vectors.dense, vectors.tokens))
    writer.join([Member(topic.id, w.episode, w.role, w.weight) for w in topic.weights])


def days_of(mentions: Iterable[Mention]) -> list[Days]:
    """The days that date phrases speak of, each once."""
    return list(dict.fromkeys(Days(m.first, m.last) for m in mentions))
