"""Rows of the hypergraph read back as what construction works with."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from hypermnesia.engine import Embedded, Engine
from hypermnesia.graph.messages import Message
from hypermnesia.graph.model import EpisodeText, EpisodeView, TopicText, Turn
from hypermnesia.language.dates import mentions
from hypermnesia.store.incidence import Place
from hypermnesia.store.protocol import Stored
from hypermnesia.types import Matrix, Node, Vector


def direction(dense: Matrix) -> Vector:
    """Mean direction of a memory's vectors, shape ``(d,)``; zeros when it has none."""
    if not len(dense):
        return np.zeros(dense.shape[1], np.float32)
    mean = dense[0] if len(dense) == 1 else dense.mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-12)


def headline(title: str, summary: str) -> str:
    """What a head's row reads: its title, then its summary, unless that begins with the title."""
    if title and summary.startswith(title.rstrip(".")):
        return summary
    return ". ".join(part for part in (title.rstrip("."), summary) if part) or "untitled"


def talk_of(
    engine: Engine, scope: str, episode: str, lost: Collection[str] = ()
) -> tuple[list[Turn], dict[str, Embedded]]:
    """The turns of a stored episode, and the vectors of what it holds.

    Args:
        engine: whose store holds it.
        scope: of the episode.
        episode: its id.
        lost: ids of members that are not to be seen.

    Returns:
        Turns as construction sees them, in the order of their sessions; and vectors of turns and
        facts by their words.
    """
    members = [m for m in engine.store.members(scope, [episode]) if m.node not in lost]
    places = engine.store.places(scope, [m.node for m in members if m.role == "turn"])
    held = engine.store.recall(scope, [m.node for m in members])
    turns = [_turn(s, places[s.node.id]) for s in held if s.node.id in places]
    told = {s.node.content: Embedded(s.node.content, s.dense, s.tokens) for s in held}
    return sorted(turns, key=lambda turn: (turn.session, turn.position)), told


def _turn(stored: Stored, place: Place) -> Turn:
    node = stored.node
    caption = node.metadata.get("caption")
    text = node.content.removeprefix(f"{place.speaker}: ")
    if caption:
        text = text.removesuffix(f"[shares {caption}]").rstrip()
    message = Message(
        speaker=place.speaker,
        content=text,
        role=node.metadata.get("role"),
        at=node.valid_from,
        id=node.provenance.turn_id,
        session=place.session,
        caption=caption,
    )
    return Turn(
        id=node.id,
        message=message,
        at=node.valid_from,
        content=node.content,
        session=place.session,
        position=place.position,
        mentions=tuple(mentions(node.content, node.valid_from)),
        vector=direction(stored.dense),
    )


def episode_metadata(text: EpisodeText, turns: Sequence[Turn], *, is_open: bool) -> dict[str, Any]:
    """What an episode's row says beside its content."""
    times = [turn.at for turn in turns]
    return {
        "title": text.title,
        "summary": text.summary,
        "narrative": text.narrative,
        "keywords": list(text.keywords),
        "participants": sorted({turn.message.speaker for turn in turns}),
        "start": min(times).isoformat(),
        "end": max(times).isoformat(),
        "open": is_open,
    }


def topic_metadata(text: TopicText, episodes: Sequence[EpisodeView]) -> dict[str, Any]:
    """What a topic's row says beside its content."""
    return {
        "title": text.title,
        "summary": text.summary,
        "keywords": list(text.keywords),
        "participants": sorted({name for episode in episodes for name in episode.participants}),
        "start": min(episode.start for episode in episodes).isoformat(),
        "end": max(episode.end for episode in episodes).isoformat(),
    }


def episode_view(stored: Stored, similarity: float) -> EpisodeView:
    """A stored episode as topic aggregation sees it."""
    data = stored.node.metadata
    return EpisodeView(
        id=stored.node.id,
        text=EpisodeText(
            title=_text(data, "title"),
            summary=_text(data, "summary"),
            narrative=_text(data, "narrative"),
            keywords=_texts(data, "keywords"),
        ),
        participants=_texts(data, "participants"),
        start=_moment(data, "start", stored.node),
        end=_moment(data, "end", stored.node),
        vector=direction(stored.dense),
        tokens=stored.tokens,
        similarity=similarity,
    )


def topic_text(node: Node) -> TopicText:
    """What a stored topic says of itself."""
    data = node.metadata
    return TopicText(_text(data, "title"), _text(data, "summary"), _texts(data, "keywords"))


def _text(data: Mapping[str, Any], name: str) -> str:
    """A text of a row's metadata; users may have edited it, so nothing is taken for granted."""
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = data.get(name)
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def _moment(data: Mapping[str, Any], name: str, node: Node) -> datetime:
    try:
        return datetime.fromisoformat(_text(data, name))
    except ValueError:
        return node.valid_from
