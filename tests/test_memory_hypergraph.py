"""Export, import and forgetting of talk and what was made of it."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.errors import Conflict
from hypermnesia.memory import Memory
from hypermnesia.store import links
from hypermnesia.store.incidence import Member, Place
from hypermnesia.store.text import turn_hash
from hypermnesia.types import LEVELS
from tests.conftest import OpenMemory
from tests.faults.test_forget import on_disk
from tests.store.bench import Bench, node
from tests.store.incidence_contract import MAY, TODAY, Talk, told, turn


def bench_of(memory: Memory) -> Bench:
    """The store of a memory, for what the facade has no verb for."""
    store = memory._engine.store
    return Bench(store, lambda _embedder: store)


def graph_of(memory: Memory, scope: str) -> list[Any]:
    """Everything that the store knows of a scope's hypergraph."""
    store = memory._engine.store
    page = memory.list(
        scope=scope, limit=1000, levels=LEVELS, status=["active", "low_signal", "superseded"]
    )
    ids = sorted(item.id for item in page)
    return [
        verb(scope, ids)
        for verb in (store.members, store.sources, store.drawn, store.places, store.days)
    ]


def exported(memory: Memory, path: Path) -> list[dict[str, Any]]:
    """The records of an export."""
    memory.export(path)
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def imported(memory: Memory, path: Path, records: list[dict[str, Any]]) -> dict[int, str]:
    """Import records, and tell what failed, by line."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return {failure.index: failure.message for failure in memory.import_(path).failed}


def test_a_round_trip_keeps_the_hypergraph(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    """Places, days, citations, memberships and identities; twice is as good as once."""
    talks = [told(bench_of(memory)), told(bench_of(memory), "b"), told(bench_of(memory), "b", "t")]
    bench_of(memory).erase(talks[0].ids[1])
    records = exported(memory, tmp_path / "out.jsonl")
    other = open_memory("other.db")
    assert imported(other, tmp_path / "in.jsonl", records) == {}
    assert other.import_(tmp_path / "in.jsonl").added == 0
    for scope in "ab":
        assert graph_of(other, scope) == graph_of(memory, scope)
    assert exported(other, tmp_path / "again.jsonl") == records
    assert other.check().problems == ()
    said = talks[0].turns[0]
    digest = turn_hash("a", "s", "D0", said.content)
    assert other._engine.store.live("a", [digest]) == {digest}


def test_an_export_counts_memories_not_links(memory: Memory, tmp_path: Path) -> None:
    """Nine memories, and four records of what links them."""
    told(bench_of(memory))
    assert memory.export(tmp_path / "out.jsonl") == 9
    assert len((tmp_path / "out.jsonl").read_text("utf-8").splitlines()) == 13


def test_an_export_of_one_scope_holds_no_other(memory: Memory, tmp_path: Path) -> None:
    """Neither memories nor links."""
    told(bench_of(memory))
    theirs = told(bench_of(memory), "b")
    memory.export(tmp_path / "out.jsonl", scope="a")
    text = (tmp_path / "out.jsonl").read_text("utf-8")
    every = [*theirs.turns, *theirs.facts, theirs.episode, theirs.topic]
    assert not any(item.id in text for item in every)


def test_a_large_hyperedge_takes_several_records(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And comes back whole."""
    monkeypatch.setattr(links, "MOST", 3)
    told(bench_of(memory))
    records = exported(memory, tmp_path / "out.jsonl")
    assert sum(record.get("kind") == "hyperedge" for record in records) == 4
    other = open_memory("other.db")
    assert imported(other, tmp_path / "in.jsonl", records) == {}
    assert graph_of(other, "a") == graph_of(memory, "a")


def test_a_link_to_a_missing_memory_is_dropped(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    """The memory was left out, or forgotten; the other links stay."""
    talk = told(bench_of(memory))
    records = exported(memory, tmp_path / "out.jsonl")
    kept = [record for record in records if record.get("id") != talk.facts[0].id]
    other = open_memory("other.db")
    assert imported(other, tmp_path / "in.jsonl", kept) == {}
    assert len(other._engine.store.members("a", [talk.episode.id])) == 6
    other.forget(ids=[talk.ids[0]])
    assert imported(other, tmp_path / "in.jsonl", records) == {}
    assert len(other._engine.store.members("a", [talk.episode.id])) == 6
    assert other._engine.store.sources("a", [f.id for f in talk.facts]) == {
        talk.facts[0].id: (talk.ids[1],),
        talk.facts[1].id: (talk.ids[2],),
    }


def test_a_turn_whose_place_is_taken_follows_its_session(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    """As if it had been ingested after what the store holds."""
    talk = told(bench_of(memory))
    other = open_memory("other.db")
    mine = turn("Cleo: psi", 90)
    bench_of(other).put(mine)
    with other._engine.store.write() as writer:
        writer.place(mine.id, Place("s", 1, "Cleo"), [])
    assert imported(other, tmp_path / "in.jsonl", exported(memory, tmp_path / "out.jsonl")) == {}
    places = other._engine.store.places("a", [mine.id, *talk.ids])
    assert [places[i].position for i in (mine.id, *talk.ids)] == [1, 0, 2, 3, 4, 5]
    assert other._engine.store.days("a", [talk.ids[1]]) == {talk.ids[1]: (TODAY,)}


GOOD = {"kind": "sources", "fact": "1" * 32, "turns": []}


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "other"},
        {"kind": "sources", "fact": "1" * 32},
        {**GOOD, "fact": 1},
        {**GOOD, "turns": [1]},
        {**GOOD, "turns": "11"},
        {**GOOD, "turns": ["1" * 32] * 1001},
        {**GOOD, "more": 1},
        {"kind": "hyperedge", "head": "1" * 32, "members": {}},
        {"kind": "hyperedge", "head": "x", "members": []},
        {"kind": "hyperedge", "head": "1" * 32, "members": [["1" * 32, "core"]]},
        {"kind": "hyperedge", "head": "1" * 32, "members": [["1" * 32, "core", 1.01]]},
        {"kind": "hyperedge", "head": "1" * 32, "members": [["1" * 32, "core", True]]},
        {"kind": "hyperedge", "head": "1" * 32, "members": [["1" * 32, "chief", 1]]},
        {"kind": "hyperedge", "head": "1" * 32, "members": [["x", "core", 1]]},
    ],
)
def test_a_bad_link_fails_alone(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path, record: dict[str, Any]
) -> None:
    """Its line is named, and the lines round it are stored."""
    told(bench_of(memory))
    records = exported(memory, tmp_path / "out.jsonl")
    records.insert(5, record)
    other = open_memory("other.db")
    assert list(imported(other, tmp_path / "in.jsonl", records)) == [5]
    assert graph_of(other, "a") == graph_of(memory, "a")


@pytest.mark.parametrize(
    "change",
    [
        {"place": {"session": "s", "position": -1, "speaker": "x"}},
        {"place": {"session": "s", "position": 1.5, "speaker": "x"}},
        {"place": {"session": "s", "position": 1, "speaker": "x" * 501}},
        {"place": {"session": "s", "position": 1}},
        {"place": {"session": "s", "position": 1, "speaker": "x", "more": 1}},
        {"place": "s"},
        {"level": "fact"},
        {"days": [["2026-05-03"]]},
        {"days": [["2026-05-03", "2026-05-02"]]},
        {"days": [["2026-05-03", "soon"]]},
        {"days": "2026-05-03"},
        {"days": [["2026-05-03", "2026-05-03"]] * 1001},
        {"place": {"session": "s", "position": 9, "speaker": "key AKIAIOSFODNN7EXAMPLQ"}},
    ],
)
def test_a_bad_place_or_day_fails_its_memory_alone(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path, change: dict[str, Any]
) -> None:
    """A turn with an impossible place is not stored without one."""
    talk = told(bench_of(memory))
    records = exported(memory, tmp_path / "out.jsonl")
    assert records[1]["id"] == talk.ids[1]
    records[1] |= change
    other = open_memory("other.db")
    assert list(imported(other, tmp_path / "in.jsonl", records)) == [1]
    assert len(other._engine.store.places("a", talk.ids)) == 4


def test_links_that_levels_forbid_fail(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    """A turn heads nothing."""
    talk = told(bench_of(memory))
    records = exported(memory, tmp_path / "out.jsonl")
    records.append({"kind": "sources", "fact": talk.ids[0], "turns": [talk.ids[1]]})
    failed = imported(open_memory("other.db"), tmp_path / "in.jsonl", records)
    assert list(failed) == [len(records) - 1]
    assert "is a turn" in failed[len(records) - 1]


def test_an_older_export_still_imports(memory: Memory, tmp_path: Path) -> None:
    """Without places, days or links."""
    told(bench_of(memory))
    facts = [r for r in exported(memory, tmp_path / "out.jsonl") if r.get("level") == "fact"]
    for record in facts:
        record.pop("days", None)
    moved = [record | {"id": "0" * 31 + str(i), "scope": "new"} for i, record in enumerate(facts)]
    assert imported(memory, tmp_path / "in.jsonl", moved) == {}
    assert len(memory.list(scope="new")) == 2


def test_forgetting_a_turn_forgets_what_was_drawn_from_it_alone(memory: Memory) -> None:
    """What has another source stays; a dry run names the same memories."""
    talk = told(bench_of(memory))
    planned = memory.forget(ids=[talk.ids[2]], dry_run=True)
    assert set(planned.ids) == {talk.ids[2], talk.facts[1].id}
    assert memory.get(talk.facts[1].id)
    assert set(memory.forget(ids=[talk.ids[2]]).ids) == set(planned.ids)
    assert memory.forget(ids=[talk.ids[0]]).ids == (talk.ids[0],)
    assert memory.get(talk.facts[0].id)
    assert memory.check().problems == ()


def test_forgetting_the_last_members_forgets_episode_and_topic(memory: Memory) -> None:
    """And everything else of the talk, one after the other."""
    talk = told(bench_of(memory))
    for memory_id in talk.ids[:-1]:
        memory.forget(ids=[memory_id])
    assert memory.get(talk.episode.id)
    forgotten = memory.forget(ids=[talk.ids[-1]]).ids
    assert set(forgotten) == {talk.ids[-1], talk.episode.id, talk.topic.id}
    assert not memory.list(scope="a", limit=10, levels=LEVELS).items
    assert memory.check().problems == ()


def test_what_is_drawn_meanwhile_is_forgotten_too(memory: Memory) -> None:
    """The transaction looks again, and what is gone already is passed over."""
    talk = told(bench_of(memory))
    store = memory._engine.store
    late = node("late")
    original = store.dependants

    def overtaken(ids: list[str]) -> list[str]:
        found = original(ids)
        bench_of(memory).put(late)
        with store.write() as writer:
            writer.cite(late.id, [talk.ids[4]])
        return found

    store.dependants = overtaken  # type: ignore[method-assign]
    memory.forget(ids=[talk.ids[4]])
    assert store.get([late.id])[0].status == "deleted"


def test_no_name_of_a_forgotten_talk_stays_on_disk(memory: Memory, tmp_path: Path) -> None:
    """Speaker and session are texts too."""
    bench = bench_of(memory)
    told(bench)
    item = turn("hello", 0, session="wexlothic")
    bench.put(item)
    with memory._engine.store.write() as writer:
        writer.place(item.id, Place("wexlothic", 0, "brimblefex"), [MAY])
    assert on_disk(tmp_path, "wexlothic", "brimblefex") == {"wexlothic", "brimblefex"}
    memory.forget(ids=[item.id])
    assert on_disk(tmp_path, "wexlothic", "brimblefex") == set()


def test_a_backup_holds_the_hypergraph(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    """It is part of the file."""
    told(bench_of(memory))
    memory.backup(tmp_path / "copy.db")
    assert graph_of(open_memory("copy.db"), "a") == graph_of(memory, "a")


def test_a_turn_keeps_its_words_and_place(memory: Memory) -> None:
    """What was said is evidence; only its labels may change."""
    talk = told(bench_of(memory))
    with pytest.raises(Conflict, match="word for word"):
        memory.update(talk.ids[0], content="Ann: alpha, I mean")
    memory.update(talk.ids[0], tags=("seen",))
    assert memory.check().problems == ()
    assert memory._engine.store.places("a", talk.ids[:1]) == {talk.ids[0]: Place("s", 0, "Ann")}


def test_equal_words_are_two_turns(memory: Memory) -> None:
    """Restoring one of them is no conflict with the other."""
    one, two = turn("Ann: yes", 1), turn("Ann: yes", 2)
    bench = bench_of(memory)
    bench.put(one, replace(two, status="superseded", superseded_by=one.id))
    assert memory.restore(two.id).status == "active"


def test_members_survive_a_member_weighed_anew(memory: Memory, tmp_path: Path) -> None:
    """An import says what the export said, whatever the store had made of it since."""
    talk: Talk = told(bench_of(memory))
    records = exported(memory, tmp_path / "out.jsonl")
    with memory._engine.store.write() as writer:
        writer.join([Member(talk.episode.id, talk.ids[0], "turn", 1.0)])
    assert imported(memory, tmp_path / "in.jsonl", records) == {}
    (member,) = memory._engine.store.heads("a", [talk.ids[0]])
    assert member == talk.members()[2]
