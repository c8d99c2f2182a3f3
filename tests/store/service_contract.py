"""What every :class:`~hypermnesia.store.service.ServiceStore` must do.

Each function takes an empty one; ``test_service.py`` runs all against every implementation.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypermnesia.identity import new_id
from hypermnesia.store.service import Job, JobState, Reply, ServiceStore

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def job(state: JobState = "queued") -> Job:
    """A job as it is asked for."""
    return Job(new_id(), "ingest", "acme", "ada", state, 0, 3, 0, NOON, NOON)


def state_of(store: ServiceStore, job_id: str) -> JobState:
    """What has become of a job."""
    found = store.job(job_id)
    assert found is not None
    return found.state


def a_job_comes_back_as_it_was_put(store: ServiceStore) -> None:
    """With every field, and without its payload."""
    put = job()
    store.put_job(put, b"payload")
    assert store.job(put.id) == put
    assert store.job(new_id()) is None


def jobs_are_claimed_in_order_and_once(store: ServiceStore) -> None:
    """The payload goes to whoever runs it."""
    first, second = job(), job()
    store.put_job(first, b"1")
    store.put_job(second, b"2")
    taken = [store.claim_job(name, NOON, NOON + MINUTE) for name in "abc"]
    assert [t and (t[0].id, t[1]) for t in taken] == [(first.id, b"1"), (second.id, b"2"), None]
    assert taken[0] is not None
    assert taken[0][0].state == "running"
    assert taken[0][0].attempts == 1


def a_job_whose_lease_ran_out_is_taken_over(store: ServiceStore) -> None:
    """Its former worker has no say in it any more."""
    put = job()
    store.put_job(put, b"1")
    store.claim_job("a", NOON, NOON + MINUTE)
    later = NOON + 2 * MINUTE
    taken = store.claim_job("b", later, later + MINUTE)
    assert taken is not None
    assert (taken[0].attempts, taken[1]) == (2, b"1")
    assert store.renew_job(put.id, "a", later, later + MINUTE, 1, 3) is None
    assert not store.end_job(put.id, "a", later, "done", result={})
    assert state_of(store, put.id) == "running"
    assert store.end_job(put.id, "b", later, "done", result={"turns": 3})


def a_lease_that_a_wrong_clock_took_is_taken_over(store: ServiceStore) -> None:
    """Else nobody could go on with the job until the clock is where it had been."""
    run, cancelled = job(), job()
    ahead = NOON + timedelta(days=365)
    for put in (run, cancelled):
        store.put_job(put, b"1")
        store.claim_job("a", ahead, ahead + MINUTE)
    store.cancel_job(cancelled.id, ahead)
    taken = store.claim_job("b", NOON, NOON + MINUTE)
    assert taken is not None
    assert taken[0].id == run.id
    assert state_of(store, cancelled.id) == "cancelled"


def a_lease_that_is_renewed_is_kept(store: ServiceStore) -> None:
    """And the progress is seen."""
    put = job()
    store.put_job(put, b"")
    store.claim_job("a", NOON, NOON + MINUTE)
    assert store.renew_job(put.id, "a", NOON, NOON + 9 * MINUTE, 2, 3) == "running"
    assert store.claim_job("b", NOON + 5 * MINUTE, NOON + 6 * MINUTE) is None
    found = store.job(put.id)
    assert found is not None
    assert (found.done, found.total) == (2, 3)


def a_queued_job_is_cancelled_at_once(store: ServiceStore) -> None:
    """Nobody claims it any more, and what is over stays as it is."""
    put = job()
    store.put_job(put, b"1")
    cancelled = store.cancel_job(put.id, NOON)
    assert cancelled == replace(put, state="cancelled")
    assert store.claim_job("a", NOON, NOON + MINUTE) is None
    assert store.cancel_job(put.id, NOON) == cancelled
    assert store.cancel_job(new_id(), NOON) is None


def a_running_job_is_asked_to_stop(store: ServiceStore) -> None:
    """Its worker hears of it with the next report; if it is dead, the lease decides."""
    put, dead = job(), job()
    for one in (put, dead):
        store.put_job(one, b"1")
        store.claim_job("a", NOON, NOON + MINUTE)
        found = store.cancel_job(one.id, NOON)
        assert found is not None
        assert found.state == "cancelling"
    assert store.renew_job(put.id, "a", NOON, NOON + MINUTE, 1, 3) == "cancelling"
    assert store.end_job(put.id, "a", NOON, "cancelled")
    assert store.claim_job("b", NOON + 2 * MINUTE, NOON + 3 * MINUTE) is None
    assert state_of(store, dead.id) == "cancelled"


def a_released_job_waits_again(store: ServiceStore) -> None:
    """The attempt does not count, and the payload is still there."""
    put = job()
    store.put_job(put, b"1")
    store.claim_job("a", NOON, NOON + MINUTE)
    store.release_job(put.id, "a", NOON)
    taken = store.claim_job("b", NOON, NOON + MINUTE)
    assert taken is not None
    assert (taken[0].attempts, taken[1]) == (1, b"1")


def outcomes_are_kept(store: ServiceStore) -> None:
    """A result, or an error."""
    done, failed = job(), job()
    for one in (done, failed):
        store.put_job(one, b"1")
        store.claim_job("a", NOON, NOON + MINUTE)
    store.end_job(done.id, "a", NOON, "done", result={"turns": 3, "failed": []})
    store.end_job(failed.id, "a", NOON, "failed", error={"type": "StoreError", "message": "ü"})
    found = {one.id: one for one in store.jobs(10)}
    assert found[done.id].result == {"turns": 3, "failed": []}
    assert found[failed.id].error == {"type": "StoreError", "message": "ü"}
    assert all(one.over for one in found.values())


def jobs_are_listed_newest_first_a_page_at_a_time(store: ServiceStore) -> None:
    """Each once."""
    put = [job() for _ in range(5)]
    for one in put:
        store.put_job(one, b"")
    first = store.jobs(3)
    rest = store.jobs(3, first[-1].id)
    assert [one.id for one in (*first, *rest)] == [one.id for one in reversed(put)]


def a_key_is_taken_once(store: ServiceStore) -> None:
    """Whoever comes second sees what the first has got so far."""
    until = NOON + MINUTE
    assert store.reserve_reply("k", b"d", NOON, until) is None
    assert store.reserve_reply("k", b"d", NOON, until) == Reply(b"d", None, b"")
    store.keep_reply("k", 201, b"{}", NOON + 9 * MINUTE)
    later = NOON + 5 * MINUTE
    assert store.reserve_reply("k", b"x", later, later) == Reply(b"d", 201, b"{}")


def a_key_is_free_again(store: ServiceStore) -> None:
    """When its time is up, and when its request failed."""
    assert store.reserve_reply("k", b"d", NOON, NOON + MINUTE) is None
    later = NOON + 2 * MINUTE
    assert store.reserve_reply("k", b"e", later, later + MINUTE) is None
    store.drop_reply("k")
    assert store.reserve_reply("k", b"f", later, later + MINUTE) is None


def of_many_that_want_a_key_one_gets_it(store: ServiceStore) -> None:
    """All at the same time."""
    start = threading.Barrier(6)
    got: list[Reply | None] = []

    def take() -> None:
        start.wait()
        got.append(store.reserve_reply("k", b"d", NOON, NOON + MINUTE))

    threads = [threading.Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got.count(None) == 1
    assert len(got) == 6


def sweeping_drops_what_is_over(store: ServiceStore) -> None:
    """And nothing that is still wanted."""
    over, waiting = job(), job()
    store.put_job(over, b"")
    store.put_job(waiting, b"")
    store.cancel_job(over.id, NOON)
    store.reserve_reply("old", b"d", NOON, NOON + MINUTE)
    store.reserve_reply("new", b"d", NOON, NOON + 9 * MINUTE)
    later = NOON + 5 * MINUTE
    store.sweep_service(later, later)
    assert store.job(over.id) is None
    assert state_of(store, waiting.id) == "queued"
    assert store.reserve_reply("old", b"e", later, later) is None
    assert store.reserve_reply("new", b"e", later, later) is not None
