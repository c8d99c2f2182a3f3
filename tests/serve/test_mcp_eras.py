"""One server for every protocol revision, and calls that do not wait for each other."""

from __future__ import annotations

import threading
from functools import partial

import anyio
import anyio.to_thread
import pytest
from mcp.client.client import Client

from hypermnesia.errors import StoreError
from hypermnesia.memory import Memory
from hypermnesia.serve.mcp import build_server
from hypermnesia.serve.mcp_tools import BY_NAME
from tests.serve.lines import (
    INITIALIZED,
    call,
    enveloped,
    exchange,
    initialize,
    request,
    told,
)

HANDSHAKES = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


@pytest.mark.parametrize("version", HANDSHAKES)
def test_a_client_of_an_older_revision_is_served_in_it(memory: Memory, version: str) -> None:
    """Handshake, tools, a write and a search."""
    memory.add("Billing uses NATS")
    shaken, tools, found = exchange(
        build_server(memory),
        initialize(version),
        INITIALIZED,
        request(1, "tools/list"),
        call(2, "memory_search", query="billing"),
    )
    assert shaken["result"]["protocolVersion"] == version
    assert len(tools["result"]["tools"]) == len(BY_NAME)
    assert "Billing uses NATS" in told(found)


def test_a_revision_that_never_was_is_answered_with_the_newest_handshake(memory: Memory) -> None:
    """The client decides then whether it can go on."""
    (shaken,) = exchange(build_server(memory), initialize("2023-01-01"))
    assert shaken["result"]["protocolVersion"] == "2025-11-25"


def test_a_request_of_2026_needs_no_handshake(memory: Memory) -> None:
    """Each carries its own envelope, and each result says that it is complete."""
    memory.add("Billing uses NATS")
    discovered, found = exchange(
        build_server(memory),
        enveloped(request(1, "server/discover")),
        enveloped(call(2, "memory_search", query="billing")),
    )
    assert discovered["result"]["supportedVersions"] == ["2026-07-28"]
    assert discovered["result"]["ttlMs"] > 0
    assert found["result"]["resultType"] == "complete"
    assert "Billing uses NATS" in told(found)


def test_a_call_before_the_handshake_is_refused(memory: Memory) -> None:
    """Without an envelope there is no telling which revision is meant."""
    (refused,) = exchange(build_server(memory), call(1, "memory_profile"))
    assert refused["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b'{"broken\n', -32700, None),
        (b"[]\n", -32600, None),
        (b'{"jsonrpc":"2.0","id":7,"method":5}\n', -32600, 7),
        (b'{"jsonrpc":"2.0","id":8,"method":"ping","params":{"a":"\\ud800"}}\n', -32600, 8),
        (b"\xff\xfe\n", -32700, None),
    ],
)
def test_a_bad_line_is_answered_and_the_next_one_served(
    memory: Memory, line: bytes, code: int, number: int | None
) -> None:
    """A client that waits for an answer gets one."""
    answers = exchange(
        build_server(memory), initialize("2025-11-25"), line, b"\n", request(99, "ping")
    )
    (refused,) = [answer for answer in answers if "error" in answer]
    assert (refused["error"]["code"], refused["id"]) == (code, number)
    assert {"jsonrpc": "2.0", "id": 99, "result": {}} in answers


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_slow_call_does_not_keep_others_waiting_and_can_be_cancelled(mode: str) -> None:
    """The judge may take its time: the connection stays alive meanwhile."""
    entered, released = threading.Event(), threading.Event()

    def slow() -> Memory:
        entered.set()
        released.wait()
        raise StoreError("too late for anyone to hear")

    try:
        async with Client(build_server(slow), mode=mode) as c, anyio.create_task_group() as tasks:
            tasks.start_soon(partial(c.call_tool, "memory_profile", {}))
            await anyio.to_thread.run_sync(entered.wait)
            assert len((await c.list_tools()).tools) == len(BY_NAME)
            tasks.cancel_scope.cancel()
    finally:
        released.set()  # else a failure would wait for the call for ever


def test_a_cancelled_call_gets_no_answer_and_holds_nothing_up() -> None:
    """The next request is answered although the cancelled one never was."""
    released = threading.Event()

    def slow() -> Memory:
        released.wait()
        raise StoreError("too late for anyone to hear")

    answers = exchange(
        build_server(slow),
        initialize("2025-11-25"),
        INITIALIZED,
        call(1, "memory_profile"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        request(2, "ping"),
    )
    released.set()
    assert [answer["id"] for answer in answers] == [0, 2]
