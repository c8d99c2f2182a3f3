"""What a hit tells of the turns behind it and of what replaced it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypermnesia.memory import Memory
from hypermnesia.types import Hit, Node
from tests.conftest import OpenMemory
from tests.store.bench import NOON, Bench, node
from tests.store.incidence_contract import Talk, told
from tests.test_memory_hypergraph import bench_of
from tests.write.judges import ScriptedJudge

KAFKA, NATS = "Billing uses Kafka", "Billing uses NATS"


def replaced(bench: Bench, old: Node, text: str, days: int) -> Node:
    """Store what replaces a memory so many days later."""
    new = node(text, scope=old.scope, valid_from=NOON + timedelta(days=days))
    bench.put(new)
    bench.amend(replace(old, status="superseded", superseded_by=new.id, valid_until=new.valid_from))
    return new


def hits(memory: Memory, query: str, **filters: object) -> dict[str, Hit]:
    """Hits in the scope of the talk, by id."""
    return {hit.id: hit for hit in memory.search(query, scope="a", k=50, **filters)}  # type: ignore[arg-type]


def talk_in(memory: Memory) -> Talk:
    """Five turns, two facts, an episode and a topic."""
    return told(bench_of(memory))


def test_hits_name_the_turns_behind_them(memory: Memory) -> None:
    """A turn itself, a fact its sources, an episode its turns."""
    talk = talk_in(memory)
    found = hits(memory, "alpha beta gamma stories letters")
    assert found[talk.ids[3]].sources == ("D3",)
    assert set(found[talk.facts[0].id].sources) == {"D0", "D1"}
    assert set(found[talk.episode.id].sources) == {"D0", "D1", "D2", "D3", "D4"}
    assert found[talk.topic.id].sources == ()


def test_turns_that_were_found_come_first_among_sources(memory: Memory) -> None:
    """In the order in which they were found; the others follow as they were said."""
    talk = talk_in(memory)
    found = memory.search("omega gamma stories", scope="a", k=50, levels=("turn", "episode"))
    turns = [hit.sources[0] for hit in found if hit.level == "turn"]
    (episode,) = (hit for hit in found if hit.id == talk.episode.id)
    assert turns[0] != "D0"
    assert episode.sources == tuple(turns)
    (alone,) = memory.search("stories", scope="a", levels="episode")
    assert alone.sources == ("D0", "D1", "D2", "D3", "D4")


def test_a_fact_names_first_the_turn_that_it_was_taken_from(memory: Memory) -> None:
    """Its own provenance says which."""
    talk = talk_in(memory)
    fact = talk.facts[0]
    said = replace(fact, provenance=replace(fact.provenance, turn_id="D1"))
    bench_of(memory).amend(said)
    (hit,) = memory.search("alpha", scope="a", levels="fact", k=1)
    assert hit.sources == ("D1", "D0")


def test_a_turn_tells_what_replaced_what_it_said(memory: Memory) -> None:
    """And no other turn does."""
    talk = talk_in(memory)
    new = replaced(bench_of(memory), talk.facts[1], "gamma no more", 1)
    found = hits(memory, "alpha beta gamma omega stories")
    assert found[talk.ids[2]].superseded_by == new.id
    outdated = [hit.id for hit in found.values() if hit.superseded_by]
    assert outdated == [talk.ids[2]]


def test_the_past_knows_nothing_of_what_replaced_it_later(memory: Memory) -> None:
    """Neither a turn nor a fact that held then."""
    talk = talk_in(memory)
    replaced(bench_of(memory), talk.facts[1], "gamma no more", 2)
    before = hits(memory, "gamma", as_of=NOON + timedelta(days=1))
    assert {talk.ids[2], talk.facts[1].id} <= set(before)
    assert not any(hit.superseded_by for hit in before.values())
    after = hits(memory, "gamma", as_of=NOON + timedelta(days=3))
    assert after[talk.ids[2]].superseded_by
    assert talk.facts[1].id not in after


def test_a_superseded_memory_names_its_successor(open_memory: OpenMemory) -> None:
    """When the filter asks for such memories."""
    memory = open_memory(judges=[ScriptedJudge(replaces={(KAFKA, NATS): 0.95})])
    old = memory.add(KAFKA, at="2026-01-12").id
    new = memory.add(NATS, at="2026-05-03").id
    found = memory.search("billing", status=["active", "superseded"])
    assert {hit.id: hit.superseded_by for hit in found} == {old: new, new: None}
    (past,) = memory.search("billing", as_of="2026-02-01")
    assert (past.id, past.superseded_by) == (old, None)
