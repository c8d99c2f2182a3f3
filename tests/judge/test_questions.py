"""Question blocks and the strict reading of their answers."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.errors import JudgeError
from hypermnesia.judge import questions
from hypermnesia.types import MEMORY_TYPES

EVEN = dict.fromkeys(MEMORY_TYPES, 1 / 7)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def answers(**changed: Any) -> dict[str, Any]:
    """A complete, sound answer to the analyze block, with some answers changed."""
    choice = {"choice": "fact", "probabilities": EVEN | {"fact": 3 / 7}, "confidence": 0.3}
    sound = {"memory_type": choice, "durable": {"noul": 0.7}, "salience": {"score": 2.5}}
    return sound | changed


def test_the_analyze_block_asks_the_three_questions() -> None:
    """Keys, primitives, the seven types and the five levels are those of the specification."""
    block = questions.analyze_block("We chose NATS")
    wires = {key: questions.wire(question) for key, question in block.questions.items()}
    assert block.use_case == "analyze"
    assert block.state == {"memory": "We chose NATS"}
    assert {key: wire["type"] for key, wire in wires.items()} == {
        "memory_type": "choice",
        "durable": "noul",
        "salience": "score",
    }
    assert tuple(wires["memory_type"]["criteria"]) == MEMORY_TYPES
    assert list(wires["durable"]["criteria"]) == ["true", "false"]
    levels = [level.split(":")[0] for level in wires["salience"]["criteria"]]
    assert levels == ["Trivial", "Minor", "Useful", "Important", "Critical"]


def test_the_rerank_block_asks_one_noul_a_candidate() -> None:
    """Candidates are numbered in the state, and each question names its own."""
    block = questions.rerank_block("who?", ["Ann", "Bob"])
    assert block.state == {
        "query": "who?",
        "candidates": [{"index": 0, "memory": "Ann"}, {"index": 1, "memory": "Bob"}],
    }
    assert list(block.questions) == ["c0", "c1"]
    assert "candidates[1]" in block.questions["c1"].instructions


def test_the_supersede_block_names_both_memories() -> None:
    """Old and new are told apart by their keys."""
    block = questions.supersede_block("name is A", "name is B")
    assert block.state == {"existing_memory": "name is A", "incoming_memory": "name is B"}
    assert list(block.questions) == ["supersede"]


def test_a_long_text_is_clipped_in_every_block() -> None:
    """One memory of the largest size does not fill a remote model's context."""
    long = "x" * 64_000
    states = [
        questions.analyze_block(long).state["memory"],
        questions.rerank_block("q", [long]).state["candidates"][0]["memory"],
        questions.supersede_block(long, "y").state["existing_memory"],
    ]
    assert [len(text) for text in states] == [questions.TEXT_LIMIT] * 3
    assert all(text.endswith("…") for text in states)


def test_reads_a_sound_analysis() -> None:
    """Type, probabilities, durability and salience arrive as they were given."""
    analysis = questions.read_analysis(answers())
    assert analysis.memory_type == "fact"
    assert analysis.type_probabilities["fact"] == pytest.approx(1 / 3)
    assert (analysis.durable, analysis.salience) == (0.7, 2.5)


def test_the_most_probable_type_wins_and_the_named_choice_breaks_ties() -> None:
    """The type and its probabilities never contradict each other."""
    named = {"choice": "fact", "probabilities": {"fact": 0.2, "project": 0.8}}
    tied = {"choice": "project", "probabilities": {"fact": 0.5, "project": 0.5}}
    assert questions.read_analysis(answers(memory_type=named)).memory_type == "project"
    assert questions.read_analysis(answers(memory_type=tied)).memory_type == "project"


def test_unknown_types_are_left_out_and_the_rest_sums_to_one() -> None:
    """An option that was not offered takes no probability away."""
    given_ = {"choice": "gossip", "probabilities": {"gossip": 0.5, "fact": 0.2, "project": 0.2}}
    probabilities = questions.read_analysis(answers(memory_type=given_)).type_probabilities
    assert list(probabilities) == list(MEMORY_TYPES)
    assert probabilities["fact"] == pytest.approx(0.5)
    assert sum(probabilities.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("raw", "durable", "salience"),
    [(-3, 0.0, 0.0), (7.5, 1.0, 4.0), (10**400, 1.0, 4.0), (-(10**400), 0.0, 0.0), (1, 1.0, 1.0)],
)
def test_a_number_out_of_range_is_clamped(raw: float, durable: float, salience: float) -> None:
    """Probabilities end at 1, salience at 4, whatever a server sends."""
    analysis = questions.read_analysis(answers(durable={"noul": raw}, salience={"score": raw}))
    assert (analysis.durable, analysis.salience) == (durable, salience)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, "0.9", "", None, True, [0.9], {"p": 0.9}]
)
def test_anything_but_a_finite_number_is_refused(value: Any) -> None:
    """NaN, infinity, numbers in quotes, booleans and containers are no judgement."""
    with pytest.raises(JudgeError):
        questions.read_analysis(answers(durable={"noul": value}))
    with pytest.raises(JudgeError):
        questions.read_analysis(answers(salience={"score": value}))
    with pytest.raises(JudgeError):
        questions.read_analysis(answers(memory_type={"probabilities": {"fact": value}}))
    with pytest.raises(JudgeError):
        questions.read_relevance({"c0": {"noul": 0.5}, "c1": {"noul": value}}, 2)
    with pytest.raises(JudgeError):
        questions.read_supersede({"supersede": {"noul": value}})


@pytest.mark.parametrize("key", ["memory_type", "durable", "salience"])
def test_a_missing_analyze_answer_is_refused_by_name(key: str) -> None:
    """A memory is not stored with a value nobody gave."""
    partial = {k: v for k, v in answers().items() if k != key}
    with pytest.raises(JudgeError, match=key):
        questions.read_analysis(partial)


@pytest.mark.parametrize("probabilities", [{}, {"fact": 0.0}, {"fact": -1}, {"gossip": 1.0}])
def test_a_type_without_any_probability_is_refused(probabilities: dict[str, float]) -> None:
    """There is nothing to scale to 1."""
    with pytest.raises(JudgeError, match="seven memory types"):
        questions.read_analysis(answers(memory_type={"probabilities": probabilities}))


def test_a_missing_supersede_answer_is_refused() -> None:
    """Silence neither keeps nor replaces a memory."""
    with pytest.raises(JudgeError, match="supersede"):
        questions.read_supersede({})


def test_a_missing_candidate_scores_zero() -> None:
    """A reply that is too short, or too long, judges the candidates it names."""
    given_ = {"c0": {"noul": 0.25}, "c2": {"noul": 1.5}, "c9": {"noul": 0.5}}
    assert questions.read_relevance(given_, 4) == [0.25, 0.0, 1.0, 0.0]


def test_a_reply_that_names_no_candidate_at_all_is_refused() -> None:
    """Nothing was judged, so the next judge is asked."""
    with pytest.raises(JudgeError, match="none of the 2 candidates"):
        questions.read_relevance({"c7": {"noul": 0.5}}, 2)


@given(JSON, JSON, JSON)
def test_any_json_gives_a_bounded_value_or_a_judge_error(a: Any, b: Any, c: Any) -> None:
    """No reply, however odd, leads to another exception or an unbounded number."""
    reply = {"memory_type": {"probabilities": a, "choice": b}, "durable": {"noul": c}}
    replies = [a, reply | {"salience": {"score": c}}, {"c0": b, "c1": {"noul": c}}]
    for candidate in [*replies, {"supersede": {"noul": a}}]:
        values: list[float] = []
        with suppress(JudgeError):
            analysis = questions.read_analysis(candidate)
            assert sum(analysis.type_probabilities.values()) == pytest.approx(1.0)
            values += [analysis.durable, analysis.salience / 4]
        with suppress(JudgeError):
            values += questions.read_relevance(candidate, 2)
        with suppress(JudgeError):
            values.append(questions.read_supersede(candidate))
        assert all(0.0 <= value <= 1.0 for value in values)


@given(st.text(), st.lists(st.text(), max_size=3))
def test_every_text_makes_a_state_that_is_json(query: str, texts: list[str]) -> None:
    """Whatever was remembered can be sent."""
    state = questions.rerank_block(query, texts).state
    assert json.loads(json.dumps(state)) == state
