"""Heads told anew when some of what they held is forgotten.

An episode's title, summary and narrative are made of its turns' words, a topic's of its
episodes'. Forgetting a turn must not leave its words there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypermnesia.engine import Engine
from hypermnesia.graph.constructor import Constructor
from hypermnesia.graph.heads import embed_episodes, embed_topics
from hypermnesia.graph.model import EpisodeText, EpisodeView, TopicText
from hypermnesia.graph.nodes import retold
from hypermnesia.graph.stored import (
    episode_metadata,
    episode_view,
    headline,
    talk_of,
    topic_metadata,
)
from hypermnesia.store.protocol import Record, Stored, Writer
from hypermnesia.store.text import head_hash
from hypermnesia.write.pipeline import OPTIMISTIC_ATTEMPTS
from hypermnesia.write.revise import erase


def forget(engine: Engine, constructor: Constructor, scope: str, gone: Sequence[str]) -> None:
    """Erase memories, and tell their heads as if they had never been there, in one transaction.

    Heads that are to be forgotten themselves are left alone.

    Args:
        engine: whose store holds them.
        constructor: tells an episode and a topic.
        scope: of the memories.
        gone: ids of what is to be forgotten, dependants included.

    Raises:
        StoreError: nothing was changed.
        ModelError: the encoder failed; likewise.
    """
    for _ in range(OPTIMISTIC_ATTEMPTS):
        seen = engine.store.changed(scope)  # before anything is read that is told anew
        records = _retold(engine, constructor, scope, gone)
        with engine.store.write() as writer:
            if writer.changed(scope) == seen:  # else somebody may have woven them into new heads
                _forget(writer, gone, records)
                return
    with engine.store.write() as writer:
        writer.changed(scope)  # from here on nobody else writes in it
        _forget(writer, gone, _retold(engine, constructor, scope, gone))


def _forget(writer: Writer, gone: Sequence[str], records: Iterable[Record]) -> None:
    for record in records:
        writer.rewrite(record)
    erase(writer, gone)


def _retold(
    engine: Engine, constructor: Constructor, scope: str, gone: Sequence[str]
) -> list[Record]:
    """The heads of these memories as they are without them."""
    lost = set(gone)
    heads = _heads(engine, scope, gone, lost)
    episodes = [head for head in heads if head.node.level == "episode"]  # one may be gone whole
    told = {e.node.id: _episode(engine, constructor, e, lost) for e in episodes}
    topics = _heads(engine, scope, [*gone, *told], lost | told.keys())
    records = [record for record, _ in told.values()]
    views = {memory_id: view for memory_id, (_, view) in told.items()}
    return records + [_topic(engine, constructor, topic, lost, views) for topic in topics]


def _heads(engine: Engine, scope: str, nodes: Iterable[str], but: set[str]) -> list[Stored]:
    """The heads of these nodes, those in ``but`` left out."""
    heads = {member.head for member in engine.store.heads(scope, list(nodes))}
    return engine.store.recall(scope, sorted(heads - but))


def _episode(
    engine: Engine, constructor: Constructor, stored: Stored, lost: set[str]
) -> tuple[Record, EpisodeView]:
    node = stored.node
    turns, told = talk_of(engine, node.scope, node.id, lost)
    text = constructor.episode(turns) if turns else EpisodeText("", "", "", ())
    content = headline(text.title, text.summary)
    (vectors,) = embed_episodes(engine.embedder, [text], [told])
    is_open = bool(node.metadata.get("open"))
    data = episode_metadata(text, turns, is_open=is_open) if turns else {}
    fresh = retold(node, content, node.valid_from, data)
    record = Record(fresh, head_hash(node.scope, node.id), vectors.dense, vectors.tokens)
    return record, episode_view(Stored(stored.key, fresh, vectors.dense, vectors.tokens), 1.0)


def _topic(
    engine: Engine,
    constructor: Constructor,
    stored: Stored,
    lost: set[str],
    renewed: dict[str, EpisodeView],
) -> Record:
    node = stored.node
    members = [m.node for m in engine.store.members(node.scope, [node.id])]
    others = [i for i in members if i not in lost and i not in renewed]
    views = [episode_view(e, 1.0) for e in engine.store.recall(node.scope, others)]
    views += [renewed[i] for i in members if i in renewed]
    views.sort(key=lambda view: (view.start, view.id))
    text = constructor.topic(views) if views else TopicText("", "", ())
    content = headline(text.title, text.summary)
    (vectors,) = embed_topics(engine.embedder, [text], [views])
    data = topic_metadata(text, views) if views else {}
    fresh = retold(node, content, node.valid_from, data)
    return Record(fresh, head_hash(node.scope, node.id), vectors.dense, vectors.tokens)
