"""Turns found and ranked as talk, through the facade."""

from __future__ import annotations

from typing import Any

import pytest

from hypermnesia.engine import GraphPolicy
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.types import Hit
from tests.conftest import OpenMemory
from tests.write.judges import ScriptedJudge

TALK = (
    ("Ann", "Morning! I finally signed the lease for the flat by the river.", "2024-03-04"),
    ("Bo", "Congratulations! Which pet are you bringing along?", "2024-03-04"),
    ("Ann", "Only Kuzco, he is old and quiet.", "2024-03-04"),
    ("Bo", "My own parrot would never let the neighbours sleep.", "2024-03-04"),
    ("Ann", "I ran the half marathon with my sister.", "2024-05-20"),
    ("Bo", "Well done! I only ran for the bus.", "2024-05-20"),
    ("Bo", "I started a pottery class.", "2024-06-11"),
    ("Ann", "I ran another half marathon, this time alone.", "2024-09-15"),
)


def messages() -> list[dict[str, Any]]:
    """Three sittings, a turn a minute."""
    return [
        {"speaker": who, "content": text, "session": day, "timestamp": f"{day}T09:{i:02}:00Z"}
        for i, (who, text, day) in enumerate(TALK)
    ]


@pytest.fixture
def talk(open_memory: OpenMemory, encoder: OnnxEncoder) -> Memory:
    """The conversation, by the real encoder."""
    memory = open_memory(embedder=encoder)
    memory.ingest(messages())
    return memory


def best(memory: Memory, question: str, **filters: Any) -> Hit:
    """The first turn."""
    return memory.search(question, levels=("turn",), **filters)[0]


def test_an_answer_is_found_by_the_question_before_it(talk: Memory) -> None:
    """It shares no word with what is asked."""
    assert best(talk, "Which pet does Ann have?").content == "Ann: Only Kuzco, he is old and quiet."


def test_the_turns_of_whom_a_question_names_are_preferred(talk: Memory) -> None:
    """Both ran; each is asked about."""
    assert "marathon" in best(talk, "What did Ann run?").content
    assert best(talk, "What did Bo run for?").content.startswith("Bo: Well done!")


def test_a_date_in_the_question_chooses_among_like_turns(talk: Memory) -> None:
    """By the day they were said."""
    first = best(talk, "Which race did Ann run in May 2024?")
    second = best(talk, "Which race did Ann run in September 2024?")
    assert "with my sister" in first.content
    assert "this time alone" in second.content
    assert first.explain.talk["date"] > 0


def test_the_signals_of_talk_are_explained(talk: Memory) -> None:
    """Each by its name, beside the channels; only turns have them."""
    hit = best(talk, "Which pet does Ann have?")
    assert set(hit.explain.talk) >= {"late", "dense", "lexical", "speaker", "date", "reply"}
    assert hit.score == hit.explain.final == hit.explain.fused
    facts = talk.search("Which pet does Ann have?", levels=("fact",))
    assert all(not fact.explain.talk for fact in facts)


@pytest.mark.parametrize(
    "policy",
    [
        {"graph": GraphPolicy(talk=False)},
        {"fusion": "rrf"},
        {"fusion": "z_score"},
        {"channels": ("lexical",)},
        {"preset": "dgui"},
    ],
    ids=str,
)
def test_every_turn_stands_for_itself_where_the_policy_says_how_to_score(
    open_memory: OpenMemory, encoder: OnnxEncoder, policy: dict[str, Any]
) -> None:
    """Switched off, or by another fusion, other channels or another preset."""
    memory = open_memory(embedder=encoder, **policy)
    memory.ingest(messages())
    assert not best(memory, "Which pet does Ann have?").explain.talk


def test_filters_hold_for_turns_and_for_what_stands_beside_them(talk: Memory) -> None:
    """A neighbour that a filter excludes lends its words, but is no hit."""
    hits = talk.search("Which pet does Ann have?", levels=("turn",), since="2024-05-01", k=50)
    assert hits
    assert min(hit.node.valid_from for hit in hits).date().isoformat() >= "2024-05-01"


def test_all_levels_are_ranked_together(talk: Memory) -> None:
    """Turns, facts and heads in one list, best first, none twice."""
    hits = talk.search("half marathon", k=50)
    assert {hit.level for hit in hits} >= {"turn", "fact", "episode"}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({hit.id for hit in hits}) == len(hits)


def test_a_remote_judge_has_its_say_about_turns(
    open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """Its relevance is blended in."""
    memory = open_memory(embedder=encoder, judges=[ScriptedJudge()])
    memory.ingest(messages())
    explain = best(memory, "Which pet does Ann have?").explain
    assert explain.judge_backend == "scripted"
    assert explain.final != explain.fused


def test_the_local_judge_is_asked_about_notes_alone(
    open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """It has no say in the order of turns, and says so nowhere."""
    memory = open_memory(embedder=encoder, judges=[ScriptedJudge(name="local")])
    memory.ingest(messages())
    hits = memory.search("Which pet does Ann have?", levels=("turn", "fact"))
    assert {(h.level, h.explain.judge_backend) for h in hits} == {
        ("turn", "off"),
        ("fact", "local"),
    }
    turns = [hit.explain for hit in hits if hit.level == "turn"]
    assert all(t.judge is None and not t.degraded and t.final == t.fused for t in turns)


def test_a_local_judge_that_stands_in_does_not_order_turns(
    open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """What it says is shown, and that it was not the one to be asked."""
    judges = [ScriptedJudge(broken=True), ScriptedJudge(name="local")]
    memory = open_memory(embedder=encoder, judges=judges)
    memory.ingest(messages())
    explain = best(memory, "Which pet does Ann have?").explain
    assert (explain.judge_backend, explain.degraded) == ("local", True)
    assert explain.final == explain.fused


def test_a_store_of_notes_knows_no_talk(open_memory: OpenMemory, encoder: OnnxEncoder) -> None:
    """Nothing changes for them."""
    memory = open_memory(embedder=encoder)
    memory.add("Ann has a parrot called Kuzco.")
    assert not memory.search("Which pet does Ann have?")[0].explain.talk


def test_turns_of_another_scope_are_never_heard(open_memory: OpenMemory) -> None:
    """Neither as hits nor beside them."""
    memory = open_memory()
    memory.ingest(messages(), scope="a")
    assert memory.search("Which pet does Ann have?", scope="b", levels=("turn",)) == []
