"""The judge behind a System One server."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from hypermnesia.errors import JudgeError, ModelError
from hypermnesia.judge.system_one import SystemOneJudge
from tests.judge.passages import passage, passages
from tests.servers.http import Received, Reply, in_turn, nothing_listening, serve
from tests.servers.protocols import Secret, system_one

KEY = "sk-very-secret-0123456789"


def answering(answers: Any) -> Reply:
    """A reply of the documented shape with the given answers."""
    return Reply({"model": "judge-1.0", "answers": answers, "usage": {}})


def test_speaks_the_documented_wire_shape() -> None:
    """Model, state and typed questions go out under the bearer key."""
    with serve(system_one) as server:
        judge = SystemOneJudge(server.url, "judge-latest", api_key=Secret(KEY))
        judge.supersede(passages("name is A"), passage("name is B"))
    (request,) = server.received
    assert request.path == "/v1/systemone"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert set(request.body) == {"model", "state", "questions"}
    assert request.body["model"] == "judge-latest"
    question = request.body["questions"]["supersede"]
    assert set(question) == {"type", "instructions", "criteria"}
    assert "leave the store inconsistent" in question["criteria"]["true"]


def test_analyzes_each_memory_in_one_request_of_its_own() -> None:
    """The analysis carries what the server answered."""
    with serve(system_one) as server:
        analyses = SystemOneJudge(server.url, "m").analyze(passages("yes, NATS", "chatter"))
    assert [a.memory_type for a in analyses] == ["decision", "decision"]
    assert [(a.durable, a.salience) for a in analyses] == [(0.9, 3.25), (0.1, 3.25)]
    assert len(server.received) == 2


def test_judges_all_candidates_in_one_batched_request() -> None:
    """The order of the scores is that of the candidates."""
    with serve(system_one) as server:
        scores = SystemOneJudge(server.url, "m").relevance(
            passage("q"), passages("no", "yes", "no")
        )
    assert scores == [0.1, 0.9, 0.1]
    assert len(server.received) == 1


def test_keeps_the_order_however_the_replies_come_in() -> None:
    """The first request is answered last."""
    others = threading.Barrier(3)  # the two later requests, and the first one that waits for them

    def handler(request: Received) -> Reply:
        others.wait(10)
        return system_one(request)

    with serve(handler) as server:
        judge = SystemOneJudge(server.url, "m")
        assert judge.supersede(passages("yes", "no", "yes"), passage("new")) == [0.9, 0.1, 0.9]


def test_asks_nothing_about_nothing() -> None:
    """Empty lists cost no request."""
    with serve(system_one) as server:
        judge = SystemOneJudge(server.url, "m")
        assert judge.analyze([]) == []
        assert judge.relevance(passage("q"), []) == []
        assert judge.supersede([], passage("new")) == []
    assert server.received == []


@pytest.mark.parametrize(
    "reply",
    [
        answering(None),
        answering([]),
        answering({}),
        answering({"supersede": None}),
        answering({"supersede": 0.9}),
        answering({"supersede": {"noul": "0.9"}}),
        answering({"supersede": {"noul": True}}),
        answering({"supersede": {"choice": "true"}}),
        Reply(raw=b'{"answers": {"supersede": {"noul": NaN}}}'),
        Reply(raw=b'{"answers": {"supersede": {"noul": 1e999}}}'),
        Reply(raw=b'{"answers": {"supersede": {"noul": 0.9'),
        Reply(raw=b"<html>gateway</html>"),
        Reply(status=401),
        Reply(status=429),
        Reply(status=500),
        Reply(status=302, headers={"Location": "/elsewhere"}),
    ],
)
def test_a_bad_reply_is_a_judge_error(reply: Reply) -> None:
    """Wrong shapes, types and statuses never become a judgement."""
    with serve(in_turn(reply)) as server, pytest.raises(JudgeError):
        SystemOneJudge(server.url, "m").supersede(passages("old"), passage("new"))


def test_an_out_of_range_reply_is_clamped() -> None:
    """The server's 1.7 is a certain 1."""
    with serve(in_turn(answering({"supersede": {"noul": 1.7}}))) as server:
        judge = SystemOneJudge(server.url, "m")
        assert judge.supersede(passages("old"), passage("new")) == [1.0]


def test_recovers_when_the_server_does() -> None:
    """A 500 followed by an answer is an answer."""
    with serve(in_turn(Reply(status=500), answering({"supersede": {"noul": 0.5}}))) as server:
        judge = SystemOneJudge(server.url, "m")
        assert judge.supersede(passages("old"), passage("new")) == [0.5]


def test_a_slow_server_is_a_judge_error() -> None:
    """The time-out is the configured one."""

    def wait(_: Received) -> Reply:
        server.closing.wait()
        return Reply({})

    with serve(wait) as server, pytest.raises(JudgeError, match=r"within 0\.1 s"):
        SystemOneJudge(server.url, "m", timeout=0.1).analyze(passages("a"))


def test_a_refused_connection_is_a_judge_error() -> None:
    """A server that is down is reported as such."""
    with nothing_listening() as url, pytest.raises(JudgeError, match="cannot be reached"):
        SystemOneJudge(url, "m").analyze(passages("a"))


def test_one_failure_among_several_requests_fails_the_call() -> None:
    """A partial answer would be taken for a whole one."""

    def handler(request: Received) -> Reply:
        if request.body["state"]["memory"] == "bad":
            return answering({})
        return system_one(request)

    with serve(handler) as server, pytest.raises(JudgeError, match="memory_type"):
        SystemOneJudge(server.url, "m").analyze(passages("good", "bad", "good"))


def test_a_bad_address_surfaces_when_the_judge_is_made() -> None:
    """A misconfiguration is not mistaken for a server that is down."""
    with pytest.raises(ModelError, match="base URL"):
        SystemOneJudge("localhost:1", "m")


def test_shows_neither_key_nor_memory_in_an_error() -> None:
    """Errors end up in logs and in front of users."""
    with serve(in_turn(Reply(status=401))) as server, pytest.raises(JudgeError) as caught:
        SystemOneJudge(server.url, "m", api_key=Secret(KEY)).analyze(passages("my secret plan"))
    assert KEY not in str(caught.value)
    assert "plan" not in str(caught.value)
    assert "401" in str(caught.value)
