"""Turns of talk are ranked by what stands around them, and notes as ever."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.read.dialogue import (
    ASSISTED,
    TALK,
    WINDOW,
    Question,
    Turns,
    TurnSignals,
    Weights,
    fused,
    neighbours,
    signals,
    weights_for,
)
from hypermnesia.read.dialogue_signals import BRIEF, Period
from hypermnesia.types import Vector

DAY = date(2024, 5, 7).toordinal()


def talk(*turns: tuple[str, str], topics: dict[int, list[int]] | None = None) -> Turns:
    """Turns of one session; ``topics``: which axes each turn's token vectors are, else the last."""
    axes = [(topics or {}).get(i, [3]) for i in range(len(turns))]
    vectors = np.eye(4, dtype=np.float32)
    return Turns(
        texts=[text for _, text in turns],
        speakers=[speaker for speaker, _ in turns],
        sessions=np.zeros(len(turns), np.int64),
        positions=np.arange(len(turns), dtype=np.int64),
        days=np.full(len(turns), DAY, np.int64),
        dense=np.tile(vectors[3], (len(turns), 1)),
        tokens=np.concatenate([vectors[a] for a in axes]),
        offsets=np.cumsum([0, *map(len, axes)]),
    )


def about(*axes: int, speaker: str | None = None, periods: tuple[Period, ...] = ()) -> Question:
    """A question whose tokens lie on these axes, each as important."""
    vectors = np.eye(4, dtype=np.float32)
    weights = np.ones(len(axes), np.float32)
    return Question(vectors[list(axes)], weights, vectors[0], speaker, periods)


def weigh(question: Question, turns: Turns, lexical: list[float] | None = None) -> TurnSignals:
    """The signals of all turns as candidates."""
    everyone = np.arange(len(turns.texts))
    bm25 = np.array(lexical or [0.0] * len(everyone), np.float32)
    found = signals(question, turns, everyone, bm25, ["Ana", "Ben"])
    assert found is not None
    return found


def best(question: Question, turns: Turns) -> int:
    """The turn ranked first."""
    return int(weigh(question, turns).total(TALK).argmax())


def test_what_a_neighbour_says_completes_a_turn() -> None:
    """A turn that holds half of the question beside one that holds the rest beats a lone half."""
    turns = talk(
        ("Ana", "the boat"), ("Ben", "fine"), ("Ben", "fine"), ("Ben", "fine"),
        ("Ben", "which lake"), ("Ana", "the boat"),
        topics={0: [0], 4: [1], 5: [0]},
    )  # fmt: skip
    late = weigh(about(0, 1), turns).late
    assert late.argmax() == 5
    assert late[5] > late[0]


@pytest.mark.parametrize("offset", sorted(WINDOW))
def test_a_neighbour_counts_at_its_share(offset: int) -> None:
    """Between not found at all and found in the turn itself, by the share of its offset."""
    late = weigh(about(0), talk(*[("Ana", "well")] * 9, topics={4: [0]})).late
    nowhere, itself = late[0], late[4]
    assert (late[4 - offset] - nowhere) / (itself - nowhere) == pytest.approx(WINDOW[offset])


def test_a_neighbour_of_another_session_is_none() -> None:
    """The window ends where the session ends."""
    turns = talk(("Ana", "a"), ("Ben", "b"), ("Ana", "c"))
    apart = replace(turns, sessions=np.array([0, 1, 1]))
    assert neighbours(apart)[-1].tolist() == [-1, -1, 1]
    assert neighbours(apart)[1].tolist() == [-1, 2, -1]


def test_turns_without_a_session_have_no_neighbours() -> None:
    """Equal positions outside sessions do not make notes a conversation."""
    loose = replace(talk(("Ana", "a"), ("Ben", "b")), sessions=np.array([-1, -1]))
    assert all((rows == -1).all() for rows in neighbours(loose).values())


@pytest.mark.parametrize("sessions", [[-1, -1], [0, 1]])
def test_notes_are_left_to_the_flat_ranking(sessions: list[int]) -> None:
    """With nothing beside any candidate there is nothing to weigh."""
    notes = replace(talk(("", "a note"), ("", "another")), sessions=np.array(sessions))
    assert signals(about(0), notes, np.arange(2), np.zeros(2, np.float32)) is None


def test_style_is_judged_between_people_only() -> None:
    """With an assistant, or alone, no turn is idle."""
    assert weights_for(["Ana", "Ben", "assistant"]) == TALK
    assert weights_for(["user", "assistant"]) == ASSISTED
    assert weights_for([]) == ASSISTED
    turns = talk(("user", "we saw the Alhambra last week"), ("user", "we saw it?"))
    total = weigh(about(), turns).total(ASSISTED)
    assert total[0] == total[1]


def test_nothing_said_of_speaker_or_date_moves_nothing() -> None:
    """A question that names no one and no day has neutral signals."""
    found = weigh(about(0), talk(("Ana", "hello there"), ("Ben", "hello you")))
    assert not found.speaker.any()
    assert not found.date.any()


def test_the_turns_of_the_person_asked_about_come_first() -> None:
    """Of two equal turns the one by the named speaker wins, in any case of letters."""
    turns = talk(("Ana", "I like tea"), ("Ben", "I like tea"))
    assert best(about(speaker="ben"), turns) == 1
    assert weigh(about(speaker="Ana"), turns).speaker.tolist() == [1.0, -1.0]


def test_a_turn_by_no_one_is_neither_praised_nor_blamed() -> None:
    """An unknown speaker is neutral."""
    assert weigh(about(speaker="Ana"), talk(("", "tea"), ("Ben", "tea"))).speaker.tolist() == [
        0,
        -1,
    ]


def test_the_day_asked_for_comes_first() -> None:
    """Of two equal turns the one said that day wins."""
    turns = replace(talk(("Ana", "tea"), ("Ana", "tea")), days=np.array([DAY - 90, DAY]))
    day = date.fromordinal(DAY)
    assert best(about(periods=(Period(day, day),)), turns) == 1


def test_the_answer_to_a_matching_question_beats_the_answer_to_another() -> None:
    """A reply inherits what it replies to."""
    turns = talk(
        ("Ben", "what is your boat called?"), ("Ana", "Thea"),
        ("Ben", "all fine with you?"), ("Ana", "Thea"),
        topics={0: [0]},
    )  # fmt: skip
    found = weigh(about(0), turns)
    assert found.follows.tolist() == [0, 1, 0, 1]
    assert found.reply[1] > found.reply[3]


def test_asking_is_not_telling() -> None:
    """Of two turns alike the question loses."""
    turns = talk(("Ana", "hm"), ("Ana", "you like tea?"), ("Ben", "hm"), ("Ana", "you like tea"))
    total = weigh(about(), turns).total(TALK)
    assert total[1] < total[3]


def test_a_turn_that_names_things_and_times_comes_first() -> None:
    """Concrete turns hold the evidence."""
    turns = talk(("Ana", "we saw it"), ("Ana", "we saw the Alhambra last week"))
    assert best(about(), turns) == 1


def test_a_participant_is_no_news() -> None:
    """The name of one who takes part does not make a turn concrete."""
    turns = talk(("Ana", "thanks for that, Ben"), ("Ben", "fine"))
    assert not weigh(about(), turns).names.any()


def test_long_texts_are_hardly_judged_by_their_style() -> None:
    """In ten times the length names, times and question marks count a tenth."""
    long = "we saw the Alhambra last week" + " and on" * BRIEF
    found = weigh(about(), talk(("Ana", long + "?"), ("Ben", "fine")))
    share = BRIEF / len(long + "?")
    assert found.names[0] == pytest.approx(share)
    assert found.times[0] == pytest.approx(share)
    assert found.asks[0] == pytest.approx(share)


def test_words_count_as_a_share_of_the_best() -> None:
    """BM25 has no scale of its own."""
    turns = talk(("Ana", "a"), ("Ben", "b"))
    assert weigh(about(0), turns, [3.0, 6.0]).lexical.tolist() == [0.5, 1.0]
    assert weigh(about(0), turns, [0.0, 0.0]).lexical.tolist() == [0.0, 0.0]


def test_neighbours_that_do_not_compete_still_speak() -> None:
    """A turn that was fetched only for its neighbours' sake lends its words."""
    turns = talk(("Ben", "which lake"), ("Ana", "Como"), ("Ana", "no"), topics={0: [0]})
    found = signals(about(0), turns, np.array([1, 2]), np.zeros(2, np.float32))
    assert found is not None
    assert len(found.late) == 2
    assert found.late[0] > found.late[1]


def test_every_part_of_a_score_is_told() -> None:
    """The parts add up to the total, and there is a weight for each."""
    found = weigh(about(0, speaker="Ana"), talk(("Ana", "a Kodak?"), ("Ben", "b")), [1.0, 2.0])
    assert [f.name for f in fields(TurnSignals)] == [f.name for f in fields(Weights)]
    assert np.allclose(sum(found.weighted(TALK).values()), found.total(TALK))
    assert found.weighted(TALK)["speaker"].tolist() == [TALK.speaker, -TALK.speaker]


def test_a_query_without_token_vectors_is_answered_by_the_rest() -> None:
    """Another encoder has no token vectors."""
    turns = replace(
        talk(("Ana", "a"), ("Ben", "b")),
        tokens=np.zeros((0, 4), np.float32),
        offsets=np.zeros(3, np.int64),
    )
    bare = replace(about(0), tokens=np.zeros((0, 4), np.float32), weights=np.zeros(0, np.float32))
    assert np.isfinite(weigh(bare, turns).total(TALK)).all()
    assert np.isfinite(weigh(about(0), turns).total(TALK)).all()


scores = st.lists(
    st.tuples(st.floats(-20, 20, width=32), st.floats(0, 1, width=32)), min_size=1, max_size=12
)


@given(scores)
def test_fusion_keeps_the_order_and_the_level(rows: list[tuple[float, float]]) -> None:
    """The order is the total's; the best is as good as the best flat score."""
    total, flat = (np.array(column, np.float32) for column in zip(*rows, strict=True))
    found = fused(total, flat)
    order: Vector = found[np.argsort(total, kind="stable")]
    assert (np.diff(order) >= 0).all()
    assert found.max() == pytest.approx(float(flat.max()), abs=1e-4)
    assert ((found >= 0) & (found <= 1)).all()


def test_fusing_nothing_is_nothing() -> None:
    """An empty store has no best."""
    assert len(fused(np.zeros(0, np.float32), np.zeros(0, np.float32))) == 0


@given(
    st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 4), st.text(max_size=30)), min_size=1),
    st.data(),
)
def test_any_talk_can_be_weighed(rows: list[tuple[int, int, str]], data: st.DataObject) -> None:
    """Whatever the texts, sessions and positions, every score is finite and there is one each."""
    base = talk(*((name[:1], name) for _, _, name in rows))
    turns = replace(
        base,
        sessions=np.array([session for session, _, _ in rows]),
        positions=np.array([position for _, position, _ in rows]),
    )
    picked = np.array(data.draw(st.lists(st.sampled_from(range(len(rows))), min_size=1)))
    found = signals(about(0, 1, speaker="A"), turns, picked, np.ones(len(picked), np.float32))
    beside = any((rows[picked] >= 0).any() for rows in neighbours(turns).values())
    assert (found is not None) == beside
    if found is not None:
        assert found.total(TALK).shape == (len(picked),)
        assert np.isfinite(found.total(TALK)).all()
