"""Topics: what belongs to them, and how much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hypermnesia.graph.constructor import Constructor
from hypermnesia.graph.local import LocalConstructor
from hypermnesia.graph.local.episode import centroid
from hypermnesia.graph.local.topics import SCALE, SUMMARY, TANGENTIAL
from hypermnesia.graph.local.words import KEYWORDS
from hypermnesia.graph.model import EpisodeView, TopicView
from tests.graph.local.talks import view

CONSTRUCTOR: Constructor = LocalConstructor()


def topic(name: str, *episodes: EpisodeView) -> TopicView:
    """A stored topic with these episodes."""
    vectors = np.stack([e.vector for e in episodes])
    middle = centroid([e.vector for e in episodes])
    return TopicView(name, lambda: CONSTRUCTOR.topic(episodes), episodes, vectors, middle)


POTS = topic("pots", view("p1", "pottery kiln clay bowls"), view("p2", "pottery glaze kiln clay"))
RUNS = topic("runs", view("r1", "marathon training knee miles", days=1))


def test_an_episode_continues_the_topic_that_it_is_about() -> None:
    """And no other."""
    new = view("new", "pottery kiln clay vase", days=9)
    assert CONSTRUCTOR.match(new, [RUNS, POTS]) == ("pots",)


def test_an_episode_about_something_else_continues_none() -> None:
    """It will head a new topic."""
    assert CONSTRUCTOR.match(view("new", "dentist crown molar invoice"), [POTS, RUNS]) == ()
    assert CONSTRUCTOR.match(view("new", "pottery kiln clay"), []) == ()


def test_an_episode_may_belong_to_several_topics() -> None:
    """Hyperedges overlap; the nearest comes first."""
    fair = topic("fair", view("f", "pottery kiln clay bowls"), view("g", "pottery kiln glaze clay"))
    new = view("new", "pottery kiln clay bowls glaze", days=9)
    assert set(CONSTRUCTOR.match(new, [POTS, fair])) == {"fair", "pots"}


def test_a_topic_much_less_near_than_another_is_left_alone() -> None:
    """Else all topics of a talk would end up with the same episodes."""
    fair = topic("fair", view("f", "pottery kiln clay fair ticket lisbon"))
    new = view("new", "pottery kiln clay fair ticket lisbon", days=9)
    assert CONSTRUCTOR.match(new, [POTS, fair]) == ("fair",)


def test_strangers_need_more_than_shared_keywords() -> None:
    """The talk of other people on a near theme is a topic of its own."""
    ours = view("ours", "pottery kiln clay vase lisbon", days=9)
    theirs = view("theirs", "pottery kiln clay vase lisbon", days=9, people=("Cy", "Di"))
    near = topic("near", view("p", "pottery kiln clay bowls porcelain"))
    assert CONSTRUCTOR.match(ours, [near]) == ("near",)
    assert CONSTRUCTOR.match(theirs, [near]) == ()


def test_a_topics_text_comes_from_its_central_episodes() -> None:
    """Keywords of most, the title from them, the summary in order of time."""
    text = CONSTRUCTOR.topic(
        [
            view("a", "pottery kiln clay bowls"),
            view("b", "pottery kiln clay", days=1),
            view("c", "dentist crown molar", days=2),
        ]
    )
    assert {"pottery", "kiln", "clay"} <= set(text.title.split(", "))
    assert {"pottery", "kiln", "clay"} <= set(text.keywords)
    assert len(text.keywords) <= KEYWORDS
    assert text.summary.index("bowls") < text.summary.index("dentist") < SUMMARY


def test_the_title_of_an_only_episode_is_the_topics() -> None:
    """It says more than keywords do."""
    assert RUNS.text.title == "marathon training knee miles"


def test_episodes_have_roles_and_weights_of_the_scale() -> None:
    """The first opens, the last that says so closes, the central one is the key moment."""
    episodes = [
        view("a", "pottery kiln clay bowls"),
        view("b", "pottery kiln clay glaze", days=1),
        view("c", "pottery kiln clay", days=2),
        view("d", "dentist crown molar", days=3),
        view("e", "pottery bowls kiln clay", days=30),
        view("f", "finally finished pottery kiln clay", days=31),
    ]
    weighted = CONSTRUCTOR.weigh(CONSTRUCTOR.topic(episodes), episodes)
    assert [w.episode for w in weighted] == list("abcdef")
    assert [w.role for w in weighted] == [
        "initiating", "developing", "key_moment", "background", "recurring", "concluding",
    ]  # fmt: skip
    assert {w.weight for w in weighted} <= {TANGENTIAL, *(weight for _, weight in SCALE)}
    assert weighted[3].weight < weighted[2].weight


def test_an_only_episode_is_its_topic() -> None:
    """Full weight, and it opens."""
    (alone,) = CONSTRUCTOR.weigh(RUNS.text, RUNS.episodes)
    assert (alone.role, alone.weight) == ("initiating", SCALE[0][1])


def test_vectors_without_direction_do_no_harm() -> None:
    """An encoder may answer nothing."""
    empty = replace(RUNS.episodes[0], vector=np.zeros(128, np.float32))
    assert CONSTRUCTOR.match(empty, [POTS]) == ()
    (alone,) = CONSTRUCTOR.weigh(RUNS.text, [empty])
    assert alone.weight == pytest.approx(TANGENTIAL)
