"""What replaces what, decided by a judge whose answers are written down here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hypermnesia.errors import Conflict
from hypermnesia.memory import Memory
from hypermnesia.types import Added, Status
from tests.conftest import OpenMemory
from tests.write.judges import ScriptedJudge

A, B, C = "billing uses kafka", "billing uses nats", "billing uses pulsar"
DAYS = [datetime(2026, 5, day, tzinfo=UTC) for day in range(1, 6)]
CYCLE = {(A, B): 0.95, (B, A): 0.95, (B, C): 0.95, (A, C): 0.95, (C, A): 0.95, (C, B): 0.95}


def judge(**tables: object) -> ScriptedJudge:
    """A judge to whom A, B and C exclude each other."""
    return ScriptedJudge(replaces=CYCLE, **tables)  # type: ignore[arg-type]


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    """A memory in which A, B and C exclude each other."""
    return open_memory(judges=[judge()])


def seen(memory: Memory, moment: datetime | None = None) -> list[str]:
    """What search shows, now or as of then."""
    return sorted(hit.content for hit in memory.search("billing uses", as_of=moment))


def test_a_newer_value_replaces_the_older(memory: Memory) -> None:
    """The old row leaves every read but stays readable by id."""
    old = memory.add(A, at=DAYS[0])
    new = memory.add(B, at=DAYS[1])
    assert (new.status, new.superseded) == ("active", (old.id,))
    assert seen(memory) == [B]
    assert [n.content for n in memory.list()] == [B]
    kept = memory.get(old.id)
    assert (kept.status, kept.superseded_by, kept.valid_until) == ("superseded", new.id, DAYS[1])
    assert [e.kind for e in memory.events(old.id)] == ["add", "supersede"]


def test_without_a_judge_no_neighbours_are_looked_for(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would be looked for in vain: in a large store that is most of an add."""
    memory = open_memory(judges=[])

    def asked(*_: object) -> None:
        raise AssertionError("neighbours were asked for")

    store = memory._engine.store  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(store, "nearest", asked)
    assert all(isinstance(added, Added) for added in memory.add_many([A, B, C]))
    assert len(memory.list()) == 3


@pytest.mark.parametrize(("probability", "replaced"), [(0.79, False), (0.80, True), (0.81, True)])
def test_the_threshold_is_where_it_says(
    open_memory: OpenMemory, probability: float, replaced: bool
) -> None:
    """From 0.80 on, inclusive."""
    memory = open_memory(judges=[ScriptedJudge(replaces={(A, B): probability})])
    memory.add(A)
    assert bool(memory.add(B).superseded) == replaced


def test_the_threshold_can_be_raised(open_memory: OpenMemory) -> None:
    """The configured one decides."""
    memory = open_memory(judges=[judge()], supersede_threshold=0.99)
    memory.add(A)
    assert memory.add(B).superseded == ()


def test_the_other_direction_does_not_replace(open_memory: OpenMemory) -> None:
    """The question is asked of the older memory and the newer one, in that order."""
    scripted = ScriptedJudge(replaces={(B, A): 1.0})
    memory = open_memory(judges=[scripted])
    memory.add(A, at=DAYS[0])
    assert memory.add(B, at=DAYS[1]).superseded == ()
    assert scripted.asked == [(A, B)]


def test_at_most_four_neighbours_are_asked_about(open_memory: OpenMemory) -> None:
    """The nearest ones."""
    scripted = ScriptedJudge()
    memory = open_memory(judges=[scripted])
    for i in range(7):
        memory.add(f"billing uses system {i}")
    scripted.asked.clear()
    memory.add("billing uses")
    assert len(scripted.asked) == 4


def test_other_scopes_are_no_rivals(memory: Memory) -> None:
    """Supersession stays within the scope."""
    memory.add(A, scope="one")
    assert memory.add(B, scope="two").superseded == ()


def test_a_low_signal_newcomer_replaces_nothing(open_memory: OpenMemory) -> None:
    """And is not replaced by what is newer either."""
    memory = open_memory(judges=[judge(saliences={B: 1.0})])
    memory.add(A, at=DAYS[0])
    low = memory.add(B, at=DAYS[1])
    assert (low.status, low.superseded) == ("low_signal", ())
    assert seen(memory) == [A]


def test_a_backdated_newcomer_gives_way_to_the_newer_one(memory: Memory) -> None:
    """Event time decides, not the order of arrival."""
    newer = memory.add(B, at=DAYS[1])
    late = memory.add(A, at=DAYS[0])
    assert (late.status, late.superseded) == ("superseded", ())
    assert newer.id in late.reason
    assert seen(memory) == [B]
    assert memory.get(late.id).superseded_by == newer.id
    assert [n.content for n in memory.history(late.id)] == [A, B]


def test_a_chain_reads_in_order_and_through_time(memory: Memory) -> None:
    """A, then B, then A again: each held in its own time, and the last stands."""
    ids = [memory.add(text, at=day).id for text, day in zip((A, B, A), DAYS, strict=False)]
    assert len(set(ids)) == 3
    for link in ids:
        assert [n.id for n in memory.history(link)] == ids
    assert [n.content for n in memory.history(ids[0])] == [A, B, A]
    moment = timedelta(microseconds=1)
    assert seen(memory, DAYS[0] - moment) == []
    assert seen(memory, DAYS[0]) == seen(memory, DAYS[1] - moment) == [A]
    assert seen(memory, DAYS[1]) == seen(memory, DAYS[2] - moment) == [B]
    assert seen(memory, DAYS[2]) == seen(memory, DAYS[4]) == seen(memory) == [A]
    assert memory.check().ok


def test_an_old_value_stated_again_becomes_the_head(open_memory: OpenMemory) -> None:
    """Even when the judge sees no contradiction, even with judging off."""
    memory = open_memory(judges=[ScriptedJudge(replaces={(A, B): 0.9})])
    memory.add(A, at=DAYS[0])
    second = memory.add(B, at=DAYS[1])
    again = memory.add(A, at=DAYS[2])
    assert (again.status, again.superseded, again.duplicate) == ("active", (second.id,), False)
    assert seen(memory) == [A]


def test_a_batch_replaces_within_itself_in_order(memory: Memory) -> None:
    """Earlier items are rivals of later ones."""
    first, second, third = memory.add_many(
        [{"content": text, "at": day} for text, day in zip((A, B, C), DAYS, strict=False)]
    )
    assert isinstance(first, Added)
    assert isinstance(second, Added)
    assert isinstance(third, Added)
    assert (second.superseded, third.superseded) == ((first.id,), (second.id,))
    assert seen(memory) == [C]
    assert [n.content for n in memory.history(first.id)] == [A, B, C]


def test_a_value_that_comes_back_within_a_batch_is_the_head(memory: Memory) -> None:
    """A, B, A in one call is the same chain as in three calls."""
    outcomes = memory.add_many(
        [{"content": text, "at": day} for text, day in zip((A, B, A), DAYS, strict=False)]
    )
    assert len({outcome.id for outcome in outcomes if isinstance(outcome, Added)}) == 3
    assert seen(memory) == [A]
    assert seen(memory, DAYS[1]) == [B]
    assert memory.check().ok


def test_restore_undoes_a_replacement(memory: Memory) -> None:
    """Both are active then, until one is stated again."""
    old = memory.add(A, at=DAYS[0])
    new = memory.add(B, at=DAYS[1])
    restored = memory.restore(old.id)
    assert (restored.status, restored.superseded_by, restored.valid_until) == ("active", None, None)
    assert seen(memory) == sorted([A, B])
    assert memory.get(new.id).status == "active"
    assert memory.events(old.id)[-1].kind == "restore"
    assert memory.restore(old.id) == memory.get(old.id)


def test_restore_refuses_a_text_that_is_live_again(memory: Memory) -> None:
    """It names the memory that holds the text."""
    first = memory.add(A, at=DAYS[0])
    memory.add(B, at=DAYS[1])
    again = memory.add(A, at=DAYS[2])
    with pytest.raises(Conflict, match=again.id):
        memory.restore(first.id)


def test_restore_lifts_a_memory_over_the_gate(open_memory: OpenMemory) -> None:
    """And pins it there."""
    memory = open_memory(judges=[ScriptedJudge(saliences={A: 0.5})])
    low = memory.add(A)
    assert seen(memory) == []
    assert memory.restore(low.id).pinned
    assert seen(memory) == [A]
    memory.update(low.id, tags=["kept"])
    assert memory.get(low.id).status == "active"


def test_a_corrected_text_can_replace_another_memory(memory: Memory) -> None:
    """An update runs the same comparison as an add."""
    old = memory.add(A, at=DAYS[0])
    other = memory.add("billing uses something", at=DAYS[1])
    changed = memory.update(other.id, content=B)
    assert changed.superseded == (old.id,)
    assert seen(memory) == [B]


def test_correcting_a_memory_to_what_it_had_replaced_keeps_it_active(memory: Memory) -> None:
    """It must not become its own successor."""
    memory.add(A, at=DAYS[0])
    head = memory.add(B, at=DAYS[1])
    assert memory.update(head.id, content=A).status == "active"
    node = memory.get(head.id)
    assert (node.status, node.superseded_by, node.content) == ("active", None, A)
    assert memory.check().ok


def test_a_superseded_text_is_history_and_cannot_be_rewritten(memory: Memory) -> None:
    """Its labels can."""
    old = memory.add(A, at=DAYS[0])
    memory.add(B, at=DAYS[1])
    with pytest.raises(Conflict, match="restore it"):
        memory.update(old.id, content=C)
    assert memory.update(old.id, tags=["former"]).status == "superseded"


def test_forgetting_the_head_leaves_a_sound_store(memory: Memory) -> None:
    """The older versions stay history; nothing dangles."""
    old = memory.add(A, at=DAYS[0])
    head = memory.add(B, at=DAYS[1])
    memory.forget(ids=[head.id])
    assert [n.content for n in memory.history(old.id)] == [A]
    assert seen(memory) == []
    assert memory.check().ok
    assert memory.restore(old.id).status == "active"


def test_memories_that_agree_both_stay(memory: Memory) -> None:
    """No replacement without the judge's word."""
    memory.add(A)
    assert memory.add("the office is in lyon").superseded == ()
    statuses: set[Status] = {node.status for node in memory.list()}
    assert statuses == {"active"}


@pytest.mark.parametrize("together", [False, True])
def test_a_version_between_two_others_ends_the_older_one(memory: Memory, together: bool) -> None:
    """In whatever order a history arrives, each moment has one answer."""
    told = [(C, DAYS[2]), (A, DAYS[0]), (B, DAYS[1])]
    if together:
        memory.add_many([{"content": text, "at": day} for text, day in told])
    else:
        for text, day in told:
            memory.add(text, at=day)
    assert [seen(memory, day) for day in DAYS[:4]] == [[A], [B], [C], [C]]
    (current,) = memory.list()
    assert [n.content for n in memory.history(current.id)] == [A, B, C]
    assert memory.check().ok


def test_a_dated_history_told_twice_adds_nothing(memory: Memory) -> None:
    """The same texts at the same times are the same memories, superseded or not."""
    told = list(zip((A, B, A), DAYS, strict=False))
    first = [memory.add(text, at=day).id for text, day in told]
    again = [memory.add(text, at=day) for text, day in told]
    assert [added.id for added in again] == first
    assert all(added.duplicate for added in again)
    assert seen(memory) == [A]
    assert len(memory.list(status=("active", "superseded"))) == 3


def test_a_memory_cannot_begin_after_it_ended(memory: Memory) -> None:
    """A correction of the event time keeps the interval in order."""
    old = memory.add(A, at=DAYS[0])
    memory.add(B, at=DAYS[1])
    with pytest.raises(Conflict, match="superseded at"):
        memory.update(old.id, at=DAYS[3])
