"""One chunk of talk made into turns, facts, episodes and topics, stored in one transaction.

:func:`weave` is a little long, so that what the transaction holds is read in one place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from hypermnesia.engine import Embedded, Engine
from hypermnesia.errors import Conflict, HypermnesiaError, Outdated
from hypermnesia.graph.constructor import Constructor, each
from hypermnesia.graph.distil import FactPlan, NewTurn, days_of, fact_plans
from hypermnesia.graph.heads import embed_episodes, embed_topics
from hypermnesia.graph.model import EpisodeText, EpisodeView, Turn
from hypermnesia.graph.nodes import retold, unjudged
from hypermnesia.graph.past import Past
from hypermnesia.graph.segments import Segment
from hypermnesia.graph.stored import direction, episode_metadata, headline, topic_metadata
from hypermnesia.graph.topics import TopicPlan, TopicPlanner
from hypermnesia.store.incidence import Member, Place
from hypermnesia.store.protocol import Record, Writer
from hypermnesia.store.text import head_hash
from hypermnesia.types import INGESTED, Added, Failure, Node, Provenance
from hypermnesia.write.pipeline import Outcome, write

SETTLED = 3
"""Turns from which an open episode says enough to be placed among topics (the paper's guidance
for episodes is 3 to 20 exchanges)."""


@dataclass(frozen=True, slots=True)
class Episode:
    """An episode that is new or has grown, with what was made of its new turns."""

    segment: Segment
    text: EpisodeText
    embedded: Embedded
    view: EpisodeView

    def record(self, scope: str, known: Node | None) -> Record:
        """Its row, made of the known one if there is one."""
        content = headline(self.text.title, self.text.summary)
        data = episode_metadata(self.text, self.segment.turns, is_open=not self.segment.closed)
        start = self.view.start
        if known is None:
            node = unjudged("episode", self.segment.id, scope, content, start, data)
        else:
            node = retold(known, content, start, data)
        return Record(node, head_hash(scope, node.id), self.embedded.dense, self.embedded.tokens)


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
    past: Past,
    constructor: Constructor,
    segments: Sequence[Segment],
    fresh: Mapping[str, NewTurn],
    *,
    settle: bool,
) -> Woven:
    """Distil the new turns of these episodes and store everything at once.

    Args:
        past: what is stored where this goes to, caught up before the episodes were read.
        constructor: how.
        segments: the episodes that grew.
        fresh: the new turns by id.
        settle: no more turns are at hand, so that even short episodes are placed among topics.

    Raises:
        Outdated: an episode or topic that this rests on was changed or forgotten meanwhile;
            nothing of the chunk was stored.
        Conflict: one of the turns was stored meanwhile; likewise.
        StoreError: likewise.
        ModelError: the encoder failed; likewise.
    """
    engine, scope = past.engine, past.scope
    _refuse_known(engine.store.live(scope, [new.hash for new in fresh.values()]), fresh)
    plans, failed = fact_plans(constructor, scope, segments, fresh, engine.secrets)
    episodes = _episodes(engine, constructor, segments, fresh)
    topics = _topics(TopicPlanner(past, constructor), episodes, settle=settle)
    texts, held = [t.text for t in topics], [t.episodes for t in topics]
    topic_vectors = embed_topics(engine.embedder, texts, held)
    facts: list[Added] = []
    changes: list[int] = []  # the change number behind it all

    def before(writer: Writer) -> None:
        _stands(writer, past, segments, topics, fresh)

    def within(writer: Writer, outcomes: Sequence[Outcome]) -> None:
        _store_turns(writer, scope, segments, fresh)
        _store_episodes(writer, scope, episodes)
        facts.extend(_store_facts(writer, plans, outcomes, failed))
        for topic, vectors in zip(topics, topic_vectors, strict=True):
            _store_topic(writer, past, topic, vectors)
        changes.append(writer.changed(scope))

    vectors = {plan.draft.hash: plan.embedded for plan in plans if plan.embedded is not None}
    write(engine, [plan.draft for plan in plans], vectors, before=before, within=within)
    members = (member for topic in topics for member in topic.members())
    past.stored(changes[-1], [segment.id for segment in segments], members)
    return Woven(
        facts=facts,
        episodes=sum(segment.is_new for segment in segments),
        topics=sum(topic.node is None for topic in topics),
        failed=failed,
    )


def _episodes(
    engine: Engine,
    constructor: Constructor,
    segments: Sequence[Segment],
    fresh: Mapping[str, NewTurn],
) -> list[Episode]:
    texts = each(constructor, constructor.episode, [segment.turns for segment in segments])
    for segment in segments:
        segment.told |= {t.content: fresh[t.id].vectors.embedded for t in segment.fresh}
    vectors = embed_episodes(engine.embedder, texts, [segment.told for segment in segments])
    return [
        Episode(segment, text, embedded, _view(segment, text, embedded))
        for segment, text, embedded in zip(segments, texts, vectors, strict=True)
    ]


def _view(segment: Segment, text: EpisodeText, embedded: Embedded) -> EpisodeView:
    times = [turn.at for turn in segment.turns]
    speakers = sorted({turn.message.speaker for turn in segment.turns})
    vector = direction(embedded.dense)
    return EpisodeView(
        segment.id, text, tuple(speakers), min(times), max(times), vector, embedded.tokens
    )


def _topics(planner: TopicPlanner, episodes: Sequence[Episode], *, settle: bool) -> list[TopicPlan]:
    """The topics that these episodes change; an episode is placed once."""
    ripe = [
        episode
        for episode in episodes
        if settle or episode.segment.closed or len(episode.segment.turns) >= SETTLED
    ]
    placed = planner.past.topics_of
    planner.place([e.view for e in ripe if e.segment.is_new or not placed([e.segment.id])])
    return planner.finish()


def _grounds(
    segments: Sequence[Segment], topics: Sequence[TopicPlan], read: Mapping[str, datetime]
) -> dict[str, datetime]:
    """Stored episodes and topics whose words were read, with when they had last been changed."""
    said = {i for topic in topics for i in (topic.id, *(e.id for e in topic.episodes))}
    grown = {s.id: s.changed_at for s in segments if s.changed_at is not None}
    return {i: at for i, at in read.items() if i in said} | grown


def _stands(
    writer: Writer,
    past: Past,
    segments: Sequence[Segment],
    topics: Sequence[TopicPlan],
    fresh: Mapping[str, NewTurn],
) -> None:
    """Prove, in the transaction, that a plan can be carried out.

    Raises:
        Outdated: somebody changed what it rests on.
        Conflict: one of the new turns is known by now.
    """
    if writer.changed(past.scope) == past.seen:
        return  # everything is as it was read
    _hold(writer, _grounds(segments, topics, past.read))
    _refuse_known({n.hash for n in fresh.values() if writer.live(past.scope, n.hash)}, fresh)
    past.forget()


def _hold(writer: Writer, grounds: Mapping[str, datetime]) -> None:
    """Prove, in the transaction, that nobody changed what the plan rests on.

    Else words that were forgotten meanwhile would stand there again.

    Raises:
        Outdated: somebody did.
    """
    for memory_id, changed_at in grounds.items():
        node = writer.get(memory_id)
        if node.status == "deleted" or node.updated_at != changed_at:
            raise Outdated(
                "other processes keep changing this conversation; start again when they are done:"
                " what is known already is passed over"
            )


def _refuse_known(known: Collection[bytes], fresh: Mapping[str, NewTurn]) -> None:
    """Refuse to store a turn twice.

    Raises:
        Conflict: one of the new turns is known.
    """
    taken = [new.turn.session for new in fresh.values() if new.hash in known]
    if taken:
        raise Conflict(
            f"another process is taking in session {taken[0]!r} at this moment;"
            " start again when it is done: what is known already is passed over"
        )


def _topic_line(topic: TopicPlan) -> str:
    return headline(topic.text.title, topic.text.summary)


def _store_turns(
    writer: Writer, scope: str, segments: Sequence[Segment], fresh: Mapping[str, NewTurn]
) -> None:
    ends: dict[str, int] = {}
    for segment in segments:
        for turn in segment.fresh:
            new = fresh[turn.id]
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
        Provenance(source=INGESTED, session_id=turn.session, turn_id=message.id),
    )


def _store_episodes(writer: Writer, scope: str, episodes: Sequence[Episode]) -> None:
    for episode in episodes:
        segment = episode.segment
        record = episode.record(scope, None if segment.is_new else writer.get(segment.id))
        if segment.is_new:
            writer.insert(record)
        else:
            writer.rewrite(record)
        segment.changed_at = record.node.updated_at
        writer.join([Member(segment.id, turn.id, "turn", 1.0) for turn in segment.fresh])


def _store_facts(
    writer: Writer,
    plans: Sequence[FactPlan],
    outcomes: Sequence[Outcome],
    failed: list[Failure],
) -> Iterator[Added]:
    """Those that were stored; the others are added to ``failed``."""
    for plan, outcome in zip(plans, outcomes, strict=True):
        if isinstance(outcome, HypermnesiaError):
            failed.append(Failure(len(failed), type(outcome).__name__, str(outcome)))
        else:
            _store_fact(writer, plan, outcome)
            yield outcome


def _store_fact(writer: Writer, plan: FactPlan, outcome: Added) -> None:
    # A user's own memory that the talk repeats is not drawn from it, nor forgotten with it.
    if not outcome.duplicate or writer.get(outcome.id).provenance.source == INGESTED:
        writer.cite(outcome.id, list(dict.fromkeys(plan.turns)))
    writer.date(outcome.id, days_of(plan.fact.mentions))
    writer.join([Member(plan.episode, outcome.id, plan.fact.role, plan.fact.weight)])


def _store_topic(writer: Writer, past: Past, topic: TopicPlan, vectors: Embedded) -> None:
    scope = past.scope
    data = topic_metadata(topic.text, topic.episodes)
    start = min(episode.start for episode in topic.episodes)
    digest = head_hash(scope, topic.id)
    if topic.node is None:
        node = unjudged("topic", topic.id, scope, _topic_line(topic), start, data)
        writer.insert(Record(node, digest, vectors.dense, vectors.tokens))
    else:
        node = retold(writer.get(topic.id), _topic_line(topic), start, data)
        writer.rewrite(Record(node, digest, vectors.dense, vectors.tokens))
    writer.join([member for member in topic.members() if not past.knows(member)])
