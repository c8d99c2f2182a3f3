"""Vectors of episodes and topics come from what they quote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from hypermnesia.engine import Embedded, embed
from hypermnesia.errors import ModelError
from hypermnesia.graph.heads import composed, embed_episodes, embed_topics
from hypermnesia.graph.local import LocalConstructor
from hypermnesia.graph.model import EpisodeText, TopicText
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Encoding, OnnxEncoder
from tests.graph.local.talks import POTTERY, talk, view

OpenMemory = Callable[..., Memory]
STATED = ("Ann sold her car in May.", "Ann rides a green bicycle to work every day now.")


class _Counting(OnnxEncoder):
    """Remembers what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        self.asked += texts
        return super().encode(texts)


def cosine(one: Embedded, other: Embedded) -> float:
    """Of the mean directions."""
    a, b = one.dense.mean(axis=0), other.dense.mean(axis=0)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_a_text_of_known_parts_is_near_to_the_same_text_embedded(encoder: OnnxEncoder) -> None:
    """So near that neither search nor topics can tell."""
    line = " ".join(STATED)
    (whole,) = embed(encoder, [line])
    made = composed(line, embed(encoder, STATED))
    assert cosine(whole, made) > 0.9
    assert np.linalg.norm(made.dense) == pytest.approx(1)


def test_a_longer_part_counts_for_more(encoder: OnnxEncoder) -> None:
    """As its more words would."""
    short, long = embed(encoder, STATED)
    made = composed("both", [short, long])
    assert cosine(made, long) > cosine(made, short)


def test_an_episode_in_words_of_its_own_is_embedded(encoder: OnnxEncoder) -> None:
    """A language model quotes nobody, and what was masked or edited is not known by its words."""
    told = {part.text: part for part in embed(encoder, STATED)}
    free = EpisodeText("A car", "Ann gave it up.", "", ())
    quoting = replace(free, quotes=STATED)
    unknown = replace(free, quotes=(*STATED, "Something else."))
    first, second, third = embed_episodes(encoder, [free, quoting, unknown], [told] * 3)
    (anew,) = embed(encoder, ["A car. Ann gave it up."])
    assert cosine(first, anew) == cosine(third, anew) == pytest.approx(1)
    assert cosine(second, anew) < 0.99
    assert second.text == "A car. Ann gave it up."


def test_what_has_no_vectors_is_no_part(encoder: OnnxEncoder) -> None:
    """A damaged row has none, and a head must not end up without any."""
    lost = Embedded(STATED[0], np.zeros((0, encoder.dimension), np.float32), b"")
    text = EpisodeText("A car", STATED[0], "", (), (STATED[0],))
    gone = replace(view("a", "Ann's car"), vector=np.zeros(encoder.dimension, np.float32))
    topic = TopicText("car", "Ann's car", ("car",), frozenset({"a"}))
    made = [
        *embed_episodes(encoder, [text], [{STATED[0]: lost}]),
        *embed_topics(encoder, [topic], [[gone]]),
    ]
    assert [float(np.linalg.norm(one.dense)) for one in made] == pytest.approx([1, 1])


def test_a_topic_is_made_of_the_episodes_that_it_names(encoder: OnnxEncoder) -> None:
    """One in words of its own is embedded."""
    a, b = view("a", "Ann's car"), view("b", "Bo's garden")
    text = TopicText("car", "Ann's car", ("car",), frozenset({"a"}))
    made, free = embed_topics(encoder, [text, replace(text, quotes=frozenset())], [[a, b]] * 2)
    assert made.dense[0] == pytest.approx(a.vector, abs=1e-6)
    assert cosine(free, embed(encoder, ["car. Ann's car"])[0]) == pytest.approx(1)


def test_taking_in_talk_embeds_each_turn_once_and_nothing_else(open_memory: OpenMemory) -> None:
    """Facts, episodes and topics are made of the turns' vectors."""
    encoder = _Counting()
    with open_memory(embedder=encoder) as memory:
        messages = [{"speaker": who, "content": said} for who, said in POTTERY]
        memory.ingest(messages)
        first = len(encoder.asked)
        memory.observe({"speaker": "Ann", "content": "I sold the blue bowl to Bo for 20 euros."})
        told = memory.profile().levels
    assert first == len(messages)
    assert len(encoder.asked) == first + 1
    assert told["episode"]
    assert told["topic"]


def test_quotes_are_the_words_that_the_text_is_made_of() -> None:
    """Title and summary of an episode are statements of it."""
    constructor = LocalConstructor()
    turns = talk(*POTTERY)
    text = constructor.episode(turns)
    facts = {fact.content for fact in constructor.facts(turns)}
    assert text.quotes
    assert set(text.quotes) <= facts
    assert all(words[:60] in f"{text.title} {text.summary}" for words in text.quotes)


def test_an_encoder_that_fails_is_told(encoder: OnnxEncoder) -> None:
    """Where words have to be embedded after all."""

    class _Broken(OnnxEncoder):
        def encode(self, texts: Sequence[str]) -> list[Encoding]:
            raise ModelError(f"no power for {len(texts)}")

    free = EpisodeText("A car", "Ann gave it up.", "", ())
    with pytest.raises(ModelError, match="no power"):
        embed_episodes(_Broken(), [free], [{}])
    assert encoder.dimension == 384
