"""What every store must do for the reasoning corpus; ``test_contract.py`` runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from hypermnesia.identity import new_id
from hypermnesia.judge.questions import UseCase
from hypermnesia.store.outbox import Queued, Tally
from hypermnesia.store.protocol import Filter
from hypermnesia.types import Node
from tests.store.bench import NOON, Bench, node

LATER = NOON + timedelta(seconds=60)


def row(*about: Node, use_case: UseCase = "analyze", body: str | None = "{}") -> Queued:
    """A row about memories of one scope."""
    ids = tuple(item.id for item in about)
    return Queued(new_id(), about[0].scope, use_case, ids, NOON, body)


def agreed(bench: Bench, *scopes: str) -> None:
    """Give consent."""
    with bench.store.write() as writer:
        for scope in scopes:
            writer.consent(scope, given=True)


def queue(bench: Bench, *rows: Queued) -> int:
    """Queue rows; how many were."""
    with bench.store.write() as writer:
        return writer.enqueue(rows)


def queued(bench: Bench, scope: str | None = None) -> list[Queued]:
    """Everything that an export would see."""
    return list(bench.store.queued(scope))


def claimed(bench: Bench, name: str, limit: int = 10, scope: str | None = None) -> Sequence[Queued]:
    """Rows that go into a new batch."""
    with bench.store.write() as writer:
        return writer.claim_batch(name, limit, scope)


def in_batch(bench: Bench, name: str) -> Sequence[Queued]:
    """Rows that a batch still holds."""
    with bench.store.write() as writer:
        return writer.batch_rows(name)


def nothing_is_queued_without_consent(bench: Bench) -> None:
    """It is off by default, and belongs to one scope."""
    one, other = node("alpha"), node("alpha", scope="b")
    bench.put(one, other)
    assert not bench.store.consents("a")
    assert queue(bench, row(one)) == 0
    agreed(bench, "b")
    assert queue(bench, row(one), row(other)) == 1
    assert (bench.store.consents("a"), bench.store.consents("b")) == (False, True)
    assert list(bench.store.consenting()) == ["b"]
    assert [found.scope for found in queued(bench)] == ["b"]


def consent_can_precede_the_first_memory(bench: Bench) -> None:
    """A scope that agreed and holds nothing is no scope with memories yet."""
    agreed(bench, "empty")
    assert bench.store.consents("empty")
    assert list(bench.store.scopes()) == []


def giving_consent_again_keeps_its_date(bench: Bench) -> None:
    """And drops nothing."""
    one = node("alpha")
    bench.put(one)
    agreed(bench, "a")
    since = bench.store.consenting()["a"]
    queue(bench, row(one))
    agreed(bench, "a")
    assert bench.store.consenting()["a"] == since
    assert len(queued(bench)) == 1


def a_row_comes_back_as_it_was_queued(bench: Bench) -> None:
    """Oldest first; a row that is there already is passed over."""
    one, two = node("alpha"), node("beta")
    bench.put(one, two)
    agreed(bench, "a")
    rows = [row(one, body='{"ü": 1}'), row(one, two, use_case="supersede"), row(two)]
    assert queue(bench, *rows) == 3
    assert queue(bench, *rows) == 0
    back = queued(bench)
    assert [found.id for found in back] == [given.id for given in rows]
    assert [replace(found, memories=()) for found in back] == [
        replace(given, memories=()) for given in rows
    ]
    assert [set(found.memories) for found in back] == [set(given.memories) for given in rows]


def many_rows_are_read_in_their_order(bench: Bench) -> None:
    """More than any page holds."""
    one = node("alpha")
    bench.put(one)
    agreed(bench, "a")
    rows = [row(one) for _ in range(450)]
    queue(bench, *rows)
    assert [found.id for found in queued(bench)] == [given.id for given in rows]


def a_row_about_what_is_not_there_is_not_queued(bench: Bench) -> None:
    """Neither about an erased memory, nor an unknown one, nor one of another scope, nor none."""
    one, gone, far = node("alpha"), node("beta"), node("gamma", scope="b")
    bench.put(one, gone, far)
    agreed(bench, "a", "b")
    bench.erase(gone.id)
    rows = [row(one, gone), row(one, node("never stored")), row(one, far)]
    assert queue(bench, *rows, replace(row(one), memories=())) == 0
    assert queued(bench) == []


def rows_go_with_each_memory_that_they_speak_of(bench: Bench) -> None:
    """Whatever their state, in the transaction that erases it."""
    one, two = node("alpha"), node("beta")
    bench.put(one, two)
    agreed(bench, "a")
    rows = [row(one), row(one, two, use_case="supersede"), row(two)]
    queue(bench, *rows)
    claimed(bench, "first", 1)
    with bench.store.write() as writer:
        writer.close_batch("first", [rows[0].id], NOON)
    bench.erase(one.id)
    assert [found.id for found in queued(bench)] == [rows[2].id]


def rows_of_a_memory_can_be_dropped_alone(bench: Bench) -> None:
    """The memory stays; so do rows of others."""
    one, other = node("alpha"), node("beta")
    bench.put(one, other)
    agreed(bench, "a")
    queue(bench, row(one), row(other, one, use_case="supersede"), row(other))
    with bench.store.write() as writer:
        writer.unqueue(one.id)
    assert [found.memories for found in queued(bench)] == [(other.id,)]
    assert bench.store.get([one.id])


def a_write_that_fails_queues_nothing(bench: Bench) -> None:
    """The rows are part of its transaction."""
    one = node("alpha")
    bench.put(one)
    agreed(bench, "a")

    def failing() -> None:
        with bench.store.write() as writer:
            assert writer.enqueue([row(one)]) == 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert queued(bench) == []


def a_row_that_was_not_redacted_is_counted_and_not_kept(bench: Bench) -> None:
    """Fail closed."""
    one = node("alpha")
    bench.put(one)
    agreed(bench, "a")
    assert queue(bench, row(one, body=None), row(one, use_case="rerank", body=None)) == 0
    assert queued(bench) == []
    assert bench.store.tallies("a") == [
        Tally("a", "analyze", unredacted=1),
        Tally("a", "rerank", unredacted=1),
    ]


def withdrawn_consent_drops_what_is_here(bench: Bench) -> None:
    """Pending and uploaded rows alike; nothing of other scopes; and it is counted."""
    one, other = node("alpha"), node("alpha", scope="b")
    bench.put(one, other)
    agreed(bench, "a", "b")
    rows = [row(one), row(one), row(one), row(other)]
    queue(bench, *rows)
    claimed(bench, "first", 1)
    with bench.store.write() as writer:
        writer.close_batch("first", [rows[0].id], NOON)
    claimed(bench, "second", 1)
    with bench.store.write() as writer:
        assert writer.consent("a", given=False) == 2
        assert writer.consent("a", given=False) == 0
    assert not bench.store.consents("a")
    assert [found.id for found in queued(bench)] == [rows[3].id]
    assert in_batch(bench, "second") == []
    assert bench.store.tallies("a") == [Tally("a", "analyze", uploaded=1, dropped=2)]


def a_batch_takes_the_oldest_rows_that_are_in_none(bench: Bench) -> None:
    """Of one scope, if asked."""
    one, other = node("alpha"), node("alpha", scope="b")
    bench.put(one, other)
    agreed(bench, "a", "b")
    rows = [row(one), row(other), row(one), row(one)]
    queue(bench, *rows)
    assert [r.id for r in claimed(bench, "first", 2)] == [rows[0].id, rows[1].id]
    assert [r.id for r in claimed(bench, "second", 1, "a")] == [rows[2].id]
    assert list(claimed(bench, "none", 5, "b")) == []
    assert [r.id for r in claimed(bench, "third")] == [rows[3].id]
    with bench.store.write() as writer:
        assert writer.open_batches() == ["first", "second", "third"]
    assert [r.id for r in in_batch(bench, "first")] == [rows[0].id, rows[1].id]


def a_batch_holds_only_what_may_leave_now(bench: Bench) -> None:
    """What was erased, failed or lost its consent since is no longer in it."""
    one, two, other = node("alpha"), node("beta"), node("alpha", scope="b")
    bench.put(one, two, other)
    agreed(bench, "a", "b")
    rows = [row(one), row(two), row(other), row(two)]
    queue(bench, *rows)
    claimed(bench, "first")
    bench.erase(one.id)
    with bench.store.write() as writer:
        writer.fail_rows({rows[1].id: "the scan found x"})
        writer.consent("b", given=False)
    assert [r.id for r in in_batch(bench, "first")] == [rows[3].id]
    assert bench.store.tallies("a") == [Tally("a", "analyze", pending=1, error=1)]
    assert [r.id for r in queued(bench)] == [rows[3].id]  # a failed row is never shown again


def a_closed_batch_is_done_with(bench: Bench) -> None:
    """Its rows left, those not named wait again, and closing it twice changes nothing."""
    one = node("alpha")
    bench.put(one)
    agreed(bench, "a")
    rows = [row(one), row(one)]
    queue(bench, *rows)
    claimed(bench, "first")
    assert bench.store.flushed_at() is None
    for _ in range(2):
        with bench.store.write() as writer:
            writer.close_batch("first", [rows[0].id], NOON)
    assert bench.store.flushed_at() == NOON
    assert bench.store.tallies(None) == [Tally("a", "analyze", pending=1, uploaded=1)]
    with bench.store.write() as writer:
        assert writer.open_batches() == []
    assert [r.id for r in claimed(bench, "second")] == [rows[1].id]
    assert [r.id for r in queued(bench)] == [rows[0].id, rows[1].id]


def one_holder_empties_the_queue(bench: Bench) -> None:
    """Until it lets go, or its time runs out."""
    with bench.store.write() as writer:
        assert writer.hold_queue("me", NOON, LATER)
        assert writer.hold_queue("me", NOON, LATER)
        assert not writer.hold_queue("you", LATER - timedelta(microseconds=1), LATER)
        writer.release_queue("you")
        assert not writer.hold_queue("you", NOON, LATER)
    with bench.store.write() as writer:
        assert writer.hold_queue("you", LATER, LATER + timedelta(seconds=60))
        assert not writer.hold_queue("me", LATER, LATER)
        writer.release_queue("you")
        assert writer.hold_queue("me", NOON, LATER)


def a_queue_that_a_wrong_clock_holds_is_taken_over(bench: Bench) -> None:
    """Its holder's time would not run out for as long as the clock was ahead."""
    ahead = NOON + timedelta(days=365)
    with bench.store.write() as writer:
        assert writer.hold_queue("me", ahead, ahead + timedelta(seconds=60))
        assert writer.hold_queue("you", NOON, LATER)


def names_are_disguised_alike_in_one_store(bench: Bench) -> None:
    """By a random text that stays."""
    salt = bench.store.corpus_salt()
    assert len(salt) == 32
    assert bench.store.corpus_salt() == salt


def a_recall_queues_its_rows_with_the_count(bench: Bench) -> None:
    """In one transaction; without consent only the count stays."""
    one = node("alpha")
    bench.put(one)
    keys = list(bench.keys(Filter("a"), "alpha").values())
    bench.store.touch("a", keys, {}, [row(one, use_case="rerank")])
    assert queued(bench) == []
    agreed(bench, "a")
    bench.store.touch("a", keys, {}, [row(one, use_case="rerank")])
    assert [found.use_case for found in queued(bench)] == ["rerank"]
    (back,) = bench.store.get([one.id])
    assert back.access_count == 2


OUTBOX: tuple[Callable[[Bench], None], ...] = (
    nothing_is_queued_without_consent,
    consent_can_precede_the_first_memory,
    giving_consent_again_keeps_its_date,
    a_row_comes_back_as_it_was_queued,
    many_rows_are_read_in_their_order,
    a_row_about_what_is_not_there_is_not_queued,
    rows_go_with_each_memory_that_they_speak_of,
    rows_of_a_memory_can_be_dropped_alone,
    a_write_that_fails_queues_nothing,
    a_row_that_was_not_redacted_is_counted_and_not_kept,
    withdrawn_consent_drops_what_is_here,
    a_batch_takes_the_oldest_rows_that_are_in_none,
    a_batch_holds_only_what_may_leave_now,
    a_closed_batch_is_done_with,
    one_holder_empties_the_queue,
    names_are_disguised_alike_in_one_store,
    a_recall_queues_its_rows_with_the_count,
)
