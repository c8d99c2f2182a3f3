"""Jobs run, are watched, cancelled, left and taken over."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from hypermnesia.errors import InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.serve import jobs
from hypermnesia.serve.jobs import Progress, Runner, Work, submit
from hypermnesia.store.service import Job, JobState

PATIENCE = 120.0


class Steps:
    """Work in steps that a test allows one by one."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.allowed = threading.Event()

    def __call__(self, _memory: Memory, _job: Job, payload: bytes, progress: Progress) -> Any:
        """Do a step when it is allowed."""
        self.entered.set()
        assert self.allowed.wait(PATIENCE)
        progress(1, 2)
        return {"payload": payload.decode()}


def failing(_memory: Memory, _job: Job, _payload: bytes, _progress: Progress) -> Any:
    """Work that cannot be done."""
    raise InvalidInput("it cannot be read")


def buggy(_memory: Memory, _job: Job, payload: bytes, _progress: Progress) -> Any:
    """Work with a mistake in it."""
    raise ValueError(payload.decode())


class Watch:
    """Waits for jobs to come to an end."""

    def __init__(self) -> None:
        self._ended = threading.Semaphore(0)

    def ended(self, _kind: str, _state: JobState) -> None:
        """Called by the runner."""
        self._ended.release()

    def wait(self) -> None:
        """Until one more has."""
        assert self._ended.acquire(timeout=PATIENCE), "no job came to an end"


@contextmanager
def runner(memory: Memory, work: Work) -> Generator[tuple[Runner, Watch]]:
    """A runner of ingests that do this work instead."""
    watch = Watch()
    running = Runner(memory, {"ingest": work}, watch.ended)
    running.start()
    try:
        yield running, watch
    finally:
        running.stop()


def found(memory: Memory, job: Job) -> Job:
    """What has become of a job."""
    now = memory.service.job(job.id)
    assert now is not None
    return now


def test_a_job_is_done_and_says_what_came_of_it(memory: Memory) -> None:
    """With its progress."""
    steps = Steps()
    steps.allowed.set()
    with runner(memory, steps) as (running, watch):
        job = submit(memory, "ingest", "ada", payload=b"x")
        running.wake()
        watch.wait()
    done = found(memory, job)
    assert (done.state, done.result) == ("done", {"payload": "x"})
    assert (done.done, done.total) == (1, 2)


def test_a_job_that_fails_says_why(memory: Memory) -> None:
    """As the facade would have."""
    with runner(memory, failing) as (_, watch):
        job = submit(memory, "ingest", "ada")
        watch.wait()
    assert found(memory, job).error == {"type": "InvalidInput", "message": "it cannot be read"}


def test_a_mistake_in_the_work_is_told_without_its_words(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    """They may quote a memory; and the runner goes on."""
    with runner(memory, buggy) as (running, watch):
        first = submit(memory, "ingest", "ada", payload=b"vault")
        watch.wait()
        second = submit(memory, "ingest", "ada", payload=b"vault")
        running.wake()
        watch.wait()
    for job in first, second:
        error = found(memory, job).error
        assert error is not None
        assert error["type"] == "Bug"
        assert "vault" not in error["message"]
    assert "failed" in caplog.text


def test_a_running_job_is_cancelled_at_its_next_step(memory: Memory) -> None:
    """What it has done until then stays done."""
    steps = Steps()
    with runner(memory, steps) as (_, watch):
        job = submit(memory, "ingest", "ada")
        assert steps.entered.wait(PATIENCE)
        memory.service.cancel_job(job.id, datetime.now(UTC))
        steps.allowed.set()
        watch.wait()
    assert found(memory, job).state == "cancelled"


def test_a_job_under_way_when_the_service_stops_goes_on_when_it_starts(memory: Memory) -> None:
    """It waits in the queue meanwhile, its attempt not counted."""
    steps = Steps()
    with runner(memory, steps) as (running, _):
        job = submit(memory, "ingest", "ada", payload=b"x")
        assert steps.entered.wait(PATIENCE)
        stopping = threading.Thread(target=running.stop)
        stopping.start()
        while not running.stopping:
            stopping.join(0.01)
        steps.allowed.set()
        stopping.join(PATIENCE)
    left = found(memory, job)
    assert (left.state, left.attempts) == ("queued", 0)
    with runner(memory, steps) as (_, watch):
        watch.wait()
    assert found(memory, job).state == "done"


def test_a_job_that_takes_its_process_down_is_given_up(memory: Memory) -> None:
    """After some attempts, so that it does not take down every service after it."""
    job = submit(memory, "ingest", "ada")
    for day in range(jobs.ATTEMPTS):  # processes that died: their leases ran out
        past = datetime(2026, 1, 1 + day, tzinfo=UTC)
        assert memory.service.claim_job("dead", past, past) is not None
    with runner(memory, Steps()) as (_, watch):
        watch.wait()
    given_up = found(memory, job)
    assert given_up.state == "failed"
    assert given_up.error is not None
    assert "no end" in given_up.error["message"]
