"""A conversation, and a server that answers every question of construction about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from hypermnesia.graph.llm import LlmConstructor
from hypermnesia.graph.llm.steps import STEPS
from hypermnesia.graph.local import LocalConstructor
from hypermnesia.graph.messages import Message
from hypermnesia.graph.model import EpisodeText, EpisodeView, TopicText, TopicView, Turn
from hypermnesia.language.dates import mentions
from hypermnesia.models.answer_cache import AnswerCache
from hypermnesia.models.chat import ChatClient
from tests.servers.http import Handler, Received, Reply
from tests.servers.protocols import completion

NOON = datetime(2023, 5, 8, 12, tzinfo=UTC)
"""A Monday."""
SAID = (
    ("Ann", "Hi Bo! I adopted a puppy called Rex yesterday."),
    ("Bo", "Congratulations! Where did you find him?"),
    ("Ann", "At the shelter in Leeds, because my old dog died last year."),
)


def turns_of(said: Sequence[tuple[str, str]] = SAID, at: datetime | None = NOON) -> list[Turn]:
    """Turns a minute apart; without ``at`` their messages have no time."""
    return [_turn(i, speaker, text, at) for i, (speaker, text) in enumerate(said)]


def _turn(position: int, speaker: str, text: str, at: datetime | None) -> Turn:
    moment = (at or NOON) + timedelta(minutes=position)
    content = f"{speaker}: {text}"
    message = Message(speaker, text, at=moment if at else None)
    vector = np.eye(4, dtype=np.float32)[0]
    found = tuple(mentions(content, moment))
    return Turn(f"turn-{position}", message, moment, content, "s", position, found, vector)


def episode(name: str, day: int = 0) -> EpisodeView:
    """An episode as topic aggregation sees it; its id is no short id."""
    text = EpisodeText(f"About {name}", f"They spoke of {name}.", "", (name,))
    at = NOON + timedelta(days=day)
    vector = np.eye(4, dtype=np.float32)[0]
    return EpisodeView(f"id-of-{name}", text, ("Ann",), at, at, vector)


def topic(name: str) -> TopicView:
    """A topic of one episode."""
    member = episode(name)
    text = TopicText(f"Topic {name}", f"All of {name}.", (name,))
    vector = member.vector
    return TopicView(f"id-of-topic-{name}", lambda: text, (member,), vector[None, :], vector)


def constructor(
    url: str, cache: AnswerCache | None = None, *, timeout: float = 10.0, concurrency: int = 2
) -> LlmConstructor:
    """Asks a local server."""
    model = ChatClient(url, "small", timeout=timeout, concurrency=concurrency)
    return LlmConstructor(model, LocalConstructor(), cache, parallel=concurrency)


def step_of(request: Received) -> str:
    """Name of the step that is asked for."""
    task = request.body["messages"][0]["content"]
    return next(step.name for step in STEPS if step.task == task)


def data_of(request: Received) -> Any:
    """What a request shows as data."""
    shown = request.body["messages"][1]["content"]
    return json.loads(shown.removeprefix("<data>\n").removesuffix("\n</data>"))


def written(answer: Any) -> Reply:
    """A completion whose text is JSON."""
    return completion(json.dumps(answer))


def good(request: Received) -> Reply:
    """A model that answers every step well: one fact a turn, everything of weight 0.7."""
    return written(_GOOD[step_of(request)](data_of(request)))


def of(answers: dict[str, Callable[[Received], Reply]]) -> Handler:
    """A good model but for some steps."""
    return lambda request: answers.get(step_of(request), good)(request)


def _facts(data: Any) -> Any:
    return {"facts": [fact(turn["id"], f"Fact of {turn['text']}") for turn in data["turns"]]}


def fact(turn: str, content: str, **other: Any) -> dict[str, Any]:
    """A fact as a model writes it."""
    written = {"where": None, "keywords": ["dog"], "queries": ["Which dog?"], "confidence": 0.9}
    return {"content": content, "turns": [turn], **written, **other}


def _weights(items: Any, role: str) -> Any:
    return {"weights": [{"id": item["id"], "role": role, "weight": 0.7} for item in items]}


_GOOD: dict[str, Callable[[Any], Any]] = {
    "boundary": lambda _: {"should_end": True, "should_wait": False, "confidence": 0.8},
    "episode": lambda _: {
        "title": "Ann adopts Rex",
        "summary": "Ann adopted a puppy.",
        "narrative": "Ann told Bo that she adopted a puppy.",
        "keywords": ["Rex", "puppy"],
    },
    "facts": _facts,
    "fact_weights": lambda data: _weights(data["facts"], "core"),
    "match": lambda data: {"topics": [data["topics"][-1]["id"]]},
    "topic": lambda _: {"title": "Rex", "summary": "The dog of Ann.", "keywords": ["Rex"]},
    "topic_weights": lambda data: _weights(data["episodes"], "developing"),
}
