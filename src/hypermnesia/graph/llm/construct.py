"""The language model's form of every step of construction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypermnesia.errors import InvalidInput
from hypermnesia.graph.constructor import Constructor, Usage
from hypermnesia.graph.llm.ask import Asker
from hypermnesia.graph.llm.facts import KEYWORD, facts
from hypermnesia.graph.llm.fields import Fields
from hypermnesia.graph.llm.show import (
    Excerpt,
    numbered,
    pieces,
    said,
    shown_episode,
    shown_topic,
    shown_turn,
)
from hypermnesia.graph.llm.steps import (
    BOUNDARY,
    EPISODE,
    EPISODE_ROLES,
    MATCH,
    TOPIC,
    TOPIC_WEIGHTS,
)
from hypermnesia.graph.local.words import KEYWORDS, shortened
from hypermnesia.graph.model import (
    Boundary,
    EpisodeText,
    EpisodeView,
    FactText,
    TopicText,
    TopicView,
    Turn,
    Weighted,
)
from hypermnesia.models.answer_cache import AnswerCache
from hypermnesia.models.chat import LanguageModel
from hypermnesia.store.incidence import EpisodeRole

WINDOW, GLIMPSE = 12, 600
"""Latest turns that a boundary is judged by, and characters of each."""
TITLE, SUMMARY, NARRATIVE = 120, 1_000, 4_000
"""Characters of what an episode or topic says of itself; more is cut."""
TOPICS = 20
"""Topics among which an episode's are looked for, the first ones given."""


class LlmConstructor:
    """A :class:`~hypermnesia.graph.constructor.Constructor` that asks a language model.

    Make one for each run: it counts what it asked, and asks no more after several requests in
    a row got no answer. Safe to share between threads. A step without a usable answer takes
    the local form; that is counted, too.

    Args:
        model: that answers; it bounds how many requests are under way.
        local: stands in.
        cache: of answers; ``None`` = keep none.
        parallel: calls worth making at once.
    """

    def __init__(
        self,
        model: LanguageModel,
        local: Constructor,
        cache: AnswerCache | None = None,
        *,
        parallel: int = 1,
    ) -> None:
        self._asker = Asker(model, cache)
        self._local = local
        self._parallel = parallel

    @property
    def parallel(self) -> int:
        """As configured."""
        return self._parallel

    @property
    def usage(self) -> Mapping[str, Usage]:
        """What was asked so far, by step."""
        return self._asker.usage

    def boundary(self, episode: Sequence[Turn], incoming: Turn) -> Boundary:
        """See :class:`~hypermnesia.graph.constructor.Constructor`; the first turn ends nothing."""
        if not episode:
            return self._local.boundary(episode, incoming)
        recent = episode[-WINDOW:]
        data = {
            "earlier_turns": len(episode) - len(recent),
            "episode": [_glimpse(turn) for turn in recent],
            "incoming": _glimpse(incoming),
        }
        return self._asker.ask(
            BOUNDARY, data, _boundary, lambda: self._local.boundary(episode, incoming)
        )

    def episode(self, turns: Sequence[Turn]) -> EpisodeText:
        """See :class:`~hypermnesia.graph.constructor.Constructor`.

        A long one is described piece by piece, then as a whole by the descriptions of its pieces.
        """
        first, *rest = pieces(turns)
        if not rest:
            return self._described(turns, _talk(turns, first))
        parts = [self._described(_turns_of(turns, p), _talk(turns, p)) for p in (first, *rest)]
        shown = [{"title": part.title, "text": part.narrative} for part in parts]
        return self._described(turns, {"parts": shown})

    def facts(self, turns: Sequence[Turn]) -> list[FactText]:
        """See :func:`hypermnesia.graph.llm.facts.facts`."""
        return facts(self._asker, self._local, turns)

    def match(self, episode: EpisodeView, topics: Sequence[TopicView]) -> tuple[str, ...]:
        """See :class:`~hypermnesia.graph.constructor.Constructor`."""
        shown = topics[:TOPICS]
        if not shown:
            return ()
        ids = {f"p{i}": topic.id for i, topic in enumerate(shown, 1)}
        data = {
            "episode": shown_episode(episode),
            "topics": numbered("p", map(shown_topic, shown)),
        }
        return self._asker.ask(
            MATCH,
            data,
            lambda answer: answer.all_known("topics", ids),
            lambda: self._local.match(episode, topics),
        )

    def topic(self, episodes: Sequence[EpisodeView]) -> TopicText:
        """See :class:`~hypermnesia.graph.constructor.Constructor`."""
        data = {"episodes": [shown_episode(episode) for episode in episodes]}
        return self._asker.ask(TOPIC, data, _topic, lambda: self._local.topic(episodes))

    def weigh(self, topic: TopicText, episodes: Sequence[EpisodeView]) -> list[Weighted]:
        """See :class:`~hypermnesia.graph.constructor.Constructor`."""
        if not episodes:
            return []
        data = {
            "topic": {"title": topic.title, "summary": topic.summary},
            "episodes": numbered("e", map(shown_episode, episodes)),
        }
        return self._asker.ask(
            TOPIC_WEIGHTS,
            data,
            lambda answer: _weighted(answer, episodes),
            lambda: self._local.weigh(topic, episodes),
        )

    def _described(self, turns: Sequence[Turn], data: Mapping[str, Any]) -> EpisodeText:
        return self._asker.ask(EPISODE, data, _episode, lambda: self._local.episode(turns))


def _glimpse(turn: Turn) -> dict[str, str]:
    return shown_turn(turn, shortened(said(turn), GLIMPSE))


def _talk(turns: Sequence[Turn], piece: Sequence[Excerpt]) -> dict[str, Any]:
    return {"turns": [shown_turn(turns[excerpt.position], excerpt.text) for excerpt in piece]}


def _turns_of(turns: Sequence[Turn], piece: Sequence[Excerpt]) -> Sequence[Turn]:
    return turns[piece[0].position : piece[-1].position + 1]


def _boundary(answer: Fields) -> Boundary:
    ends, waits = answer.flag("should_end"), answer.flag("should_wait")
    return Boundary(ends and not waits, waits, answer.share("confidence"))


def _episode(answer: Fields) -> EpisodeText:
    return EpisodeText(
        title=answer.cut("title", TITLE),
        summary=answer.cut("summary", SUMMARY),
        narrative=answer.cut("narrative", NARRATIVE),
        keywords=answer.texts("keywords", KEYWORDS, KEYWORD),
    )


def _topic(answer: Fields) -> TopicText:
    return TopicText(
        title=answer.cut("title", TITLE),
        summary=answer.cut("summary", SUMMARY),
        keywords=answer.texts("keywords", KEYWORDS, KEYWORD),
    )


def _weighted(answer: Fields, episodes: Sequence[EpisodeView]) -> list[Weighted]:
    ids = {f"e{i}": episode.id for i, episode in enumerate(episodes, 1)}
    given: dict[str, tuple[EpisodeRole, float]] = {
        item.known("id", ids): (item.one_of("role", EPISODE_ROLES), item.share("weight"))
        for item in answer.items("weights", len(episodes))
    }
    missing = [name for name, episode in ids.items() if episode not in given]
    if missing:
        raise InvalidInput(f"weights lacks {', '.join(missing[:10])}; give every episode once")
    return [Weighted(episode, *given[episode]) for episode in ids.values()]
