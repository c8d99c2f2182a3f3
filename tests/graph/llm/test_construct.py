"""What a language model's answers become, step by step."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hypermnesia.graph.constructor import Constructor
from hypermnesia.graph.llm.show import FRAME, PIECE
from hypermnesia.graph.local import LocalConstructor
from hypermnesia.graph.model import Boundary, TopicText, Weighted
from tests.graph.llm.scripted import (
    SAID,
    constructor,
    data_of,
    episode,
    fact,
    good,
    of,
    step_of,
    topic,
    turns_of,
    written,
)
from tests.servers.http import Received, Reply, in_turn, serve


def test_a_boundary_is_what_the_model_says() -> None:
    """Asked with the last turns and the incoming one."""
    *before, incoming = turns_of()
    with serve(good) as server:
        found = constructor(server.url).boundary(before, incoming)
    assert found == Boundary(ends=True, waits=False, confidence=0.8)
    data = data_of(server.received[0])
    assert data["incoming"] == {
        "speaker": "Ann",
        "time": "Monday 2023-05-08 12:02",
        "text": SAID[2][1],
    }
    assert [turn["speaker"] for turn in data["episode"]] == ["Ann", "Bo"]


def test_a_model_that_wants_to_wait_ends_nothing() -> None:
    """Whatever else it says."""
    answer = {"should_end": True, "should_wait": True, "confidence": 0.5}
    *before, incoming = turns_of()
    with serve(in_turn(written(answer))) as server:
        found = constructor(server.url).boundary(before, incoming)
    assert found == Boundary(ends=False, waits=True, confidence=0.5)


def test_the_first_turn_of_an_episode_is_not_asked_about() -> None:
    """There is nothing that could end."""
    with serve(good) as server:
        assert not constructor(server.url).boundary([], turns_of()[0]).ends
    assert server.received == []


def test_a_boundary_is_asked_with_a_bounded_part_of_a_long_episode() -> None:
    """However long it and its turns are."""
    turns = turns_of([("Ann", "word " * 2_000)] * 40)
    with serve(good) as server:
        constructor(server.url).boundary(turns[:-1], turns[-1])
    data = data_of(server.received[0])
    assert (len(data["episode"]), data["earlier_turns"]) == (12, 27)
    assert len(json.dumps(data)) < 12_000


def test_an_episode_has_the_models_words() -> None:
    """Title, summary, narrative and keywords."""
    with serve(good) as server:
        text = constructor(server.url).episode(turns_of())
    assert (text.title, text.summary) == ("Ann adopts Rex", "Ann adopted a puppy.")
    assert text.narrative.startswith("Ann told Bo")
    assert text.keywords == ("Rex", "puppy")


def test_a_long_episode_is_described_in_pieces_and_then_as_a_whole() -> None:
    """No prompt grows with the episode, and every word of it is shown once."""
    said = [("Ann", f"{i} " + "x" * 3_500) for i in range(5)]
    with serve(good) as server:
        constructor(server.url).episode(turns_of(said))
    *parts, whole = map(data_of, server.received)
    assert [[turn["text"][:1] for turn in part["turns"]] for part in parts] == [
        ["0", "1"],
        ["2", "3"],
        ["4"],
    ]
    narrative = "Ann told Bo that she adopted a puppy."
    assert whole == {"parts": [{"title": "Ann adopts Rex", "text": narrative}] * 3}


def test_facts_cite_their_turns_and_have_role_and_weight() -> None:
    """Two questions: what are the facts, and how much does each weigh."""
    with serve(good) as server:
        found = constructor(server.url).facts(turns_of())
    assert [step_of(request) for request in server.received] == ["facts", "fact_weights"]
    assert [f.turns for f in found] == [(0,), (1,), (2,)]
    assert {(f.role, f.weight, f.span, f.confidence) for f in found} == {("core", 0.7, None, 0.9)}


def test_a_relative_date_is_counted_from_the_turn_that_says_it() -> None:
    """The second turn is said three days after the first; the model left the dates open."""
    first, second = turns_of([("Ann", "I ran yesterday."), ("Bo", "I swam yesterday.")])
    second = replace(second, at=second.at.replace(day=11))
    facts = [fact("t1", "Ann ran yesterday."), fact("t2", "Bo swam yesterday.")]
    with serve(of({"facts": lambda _: written({"facts": facts})})) as server:
        found = constructor(server.url).facts([first, second])
    assert [f.content for f in found] == [
        "Ann ran yesterday (7 May 2023).",
        "Bo swam yesterday (10 May 2023).",
    ]
    assert [m.first.day for f in found for m in f.mentions] == [7, 10]


def test_a_fact_told_twice_is_one_with_both_turns() -> None:
    """Whatever its case."""
    facts = [fact("t3", "Ann likes Rex."), fact("t1", "ann likes Rex"), fact("t2", "Bo asks.")]
    with serve(of({"facts": lambda _: written({"facts": facts})})) as server:
        found = constructor(server.url).facts(turns_of())
    assert [(f.content, f.turns) for f in found] == [("Ann likes Rex.", (2, 0)), ("Bo asks.", (1,))]


def test_facts_of_a_very_long_turn_cite_that_turn_from_each_piece() -> None:
    """A pasted page is read to its end."""
    turns = turns_of([("Bo", "Read this."), ("Ann", "y" * 2 * (PIECE - FRAME))])
    with serve(of({"facts": _one_fact_a_piece})) as server:
        found = constructor(server.url).facts(turns)
    shown = [data_of(r)["turns"] for r in server.received if step_of(r) == "facts"]
    assert [[(t["id"], len(t["text"])) for t in piece] for piece in shown] == [
        [("t1", 10)],
        [("t1", PIECE - FRAME)],
        [("t1", PIECE - FRAME)],
    ]
    assert [f.turns for f in found] == [(0,), (1,)]


def _one_fact_a_piece(request: Received) -> Reply:
    text = data_of(request)["turns"][0]["text"]
    return written({"facts": [fact("t1", f"Fact of {text[:5]}")]})


def test_an_episode_without_facts_is_not_weighed() -> None:
    """Small talk costs one question."""
    with serve(of({"facts": lambda _: written({"facts": []})})) as server:
        assert constructor(server.url).facts(turns_of()) == []
    assert len(server.received) == 1


def test_topics_are_matched_by_short_ids() -> None:
    """Long ids cost tokens and are miswritten."""
    with serve(good) as server:
        found = constructor(server.url).match(episode("rex"), [topic("work"), topic("dogs")])
    assert found == ("id-of-topic-dogs",)
    assert "id-of" not in json.dumps(server.received[0].body)


def test_nothing_is_asked_where_there_is_no_topic_to_match() -> None:
    """A new topic begins."""
    with serve(good) as server:
        assert constructor(server.url).match(episode("rex"), []) == ()
    assert server.received == []


def test_a_topic_has_the_models_words_and_weights() -> None:
    """Each of its episodes once, under its own id."""
    episodes = [episode("rex"), episode("leeds", 1)]
    with serve(good) as server:
        asking = constructor(server.url)
        text = asking.topic(episodes)
        weights = asking.weigh(text, episodes)
    assert text == TopicText("Rex", "The dog of Ann.", ("Rex",))
    assert weights == [
        Weighted("id-of-rex", "developing", 0.7),
        Weighted("id-of-leeds", "developing", 0.7),
    ]


@pytest.mark.parametrize("place", ["local", "model"])
def test_both_forms_are_constructors(place: str) -> None:
    """The caller need not know which it has."""
    with serve(good) as server:
        form: Constructor = LocalConstructor() if place == "local" else constructor(server.url)
        assert form.parallel >= 1
        assert form.usage == {}
        assert form.facts(turns_of())
        assert form.episode(turns_of()).title
        assert form.match(episode("rex"), [topic("rex")])
        assert len(form.weigh(form.topic([episode("a")]), [episode("a")])) == 1
