"""What the client does when the service is away, busy, or something else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hypermnesia.client import Client
from hypermnesia.client.steps import ATTEMPTS, Pause, Reply, Request, Steps, asked
from hypermnesia.client.verbs import add
from hypermnesia.errors import (
    Forbidden,
    InvalidInput,
    LimitReached,
    ServiceError,
    TimedOut,
    Unauthenticated,
)
from hypermnesia.serve.http.service import address_of, listen


def played(steps: Steps[Any], replies: list[Reply]) -> tuple[Any, list[Request | Pause]]:
    """The outcome of a call when these replies come, and what it asked for."""
    asked_for: list[Request | Pause] = []
    try:
        step = next(steps)
        while True:
            asked_for.append(step)
            step = steps.send(Reply(0) if isinstance(step, Pause) else replies.pop(0))
    except StopIteration as done:
        return done.value, asked_for


def test_a_request_that_does_not_get_through_is_sent_again() -> None:
    """Under the same key, so that nothing is done twice."""
    added = '{"id":"i","status":"active","reason":"r","memory_type":"fact","salience":1,'
    added += '"durable":1,"superseded":[],"duplicate":false,"judge":"off","degraded":false}'
    outcome, steps = played(add("alpha"), [Reply(0, "gone"), Reply(503), Reply(201, added)])
    assert outcome.id == "i"
    sent = [step for step in steps if isinstance(step, Request)]
    assert len({request.headers["Idempotency-Key"] for request in sent}) == 1
    assert [type(step) for step in steps] == [Request, Pause, Request, Pause, Request]


def test_a_service_that_stays_away_is_given_up() -> None:
    """After some attempts."""
    replies = [Reply(0, "ConnectError")] * ATTEMPTS
    with pytest.raises(ServiceError, match="cannot be reached"):
        played(asked(Request("GET", "/")), replies)


def test_a_service_is_asked_again_when_it_says() -> None:
    """And not at all if that is too late."""
    busy = Reply(503, "", {"retry-after": "3"})
    _, steps = played(asked(Request("GET", "/")), [busy, Reply(200)])
    assert Pause(3.0) in steps
    with pytest.raises(ServiceError):
        played(asked(Request("GET", "/")), [Reply(503, "", {"retry-after": "3600"})])


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, Unauthenticated), (403, Forbidden), (504, TimedOut), (500, ServiceError)],
)
def test_a_status_without_a_problem_has_its_exception(status: int, error: type[Exception]) -> None:
    """Something in front of the service may have answered."""
    with pytest.raises(error):
        played(asked(Request("GET", "/")), [Reply(status, "<html>")])


def test_a_limit_says_how_long_it_lasts() -> None:
    """In seconds."""
    with pytest.raises(LimitReached) as caught:
        played(asked(Request("GET", "/")), [Reply(429, "{}", {"retry-after": "7"})])
    assert caught.value.retry_after == 7


def test_what_is_no_service_is_told() -> None:
    """It answered 200, and something else."""
    for text in ("<html>", "[]", "{}"):
        with pytest.raises(ServiceError):
            played(add("alpha"), [Reply(200, text)])


def test_nobody_at_the_address_is_told() -> None:
    """With the address's kind of trouble, and without a traceback of sockets."""
    with listen("127.0.0.1", 0) as taken:
        address = address_of(taken)
    with Client(address) as client, pytest.raises(ServiceError, match="is it running"):
        client.scopes()


@pytest.mark.parametrize(
    "address", ["", "memory.db", "ftp://x", "http://", "http://u:p@h", "http://h?token=x"]
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    """Before anything is sent; and no credential is repeated."""
    with pytest.raises(InvalidInput) as caught:
        Client(address)
    assert "p@" not in str(caught.value)


def test_a_token_that_cannot_be_sent_is_refused() -> None:
    """It would end as an error of the library, with the token in it."""
    with pytest.raises(InvalidInput) as caught:
        Client(token="hm_s3cret\r\nX: y")
    assert "s3cret" not in str(caught.value)


def test_the_token_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it stands in no file and no list of processes."""
    monkeypatch.setenv("HYPERMNESIA_TOKEN", "hm_x")
    with Client() as client:
        assert "hm_x" not in repr(client)


def test_an_export_that_cannot_be_written_leaves_nothing(address: str, tmp_path: Path) -> None:
    """Neither half a file, nor a hidden one."""
    with Client(address) as client, pytest.raises(InvalidInput):
        client.export(tmp_path / "no" / "x.jsonl")
    assert not list(tmp_path.glob("**/*x.jsonl*"))
