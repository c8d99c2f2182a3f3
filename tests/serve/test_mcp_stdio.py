"""The server as agents start it: a process with two pipes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hypermnesia.memory import Memory
from tests.serve.lines import (
    INITIALIZED,
    call,
    enveloped,
    initialize,
    request,
    running,
    told,
)

NOISY = """
import logging, os, subprocess, sys, warnings
from hypermnesia.memory import Memory
opened = Memory.open
def noisy(*arguments, **options):
    print("printed")
    sys.__stdout__.write("written\\n")
    os.write(1, b"written to the descriptor\\n")
    subprocess.run(["echo", "a child"])
    warnings.warn("warned")
    logging.getLogger("hypermnesia").warning("logged")
    return opened(*arguments, **options)
Memory.open = noisy
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where the servers keep their memories."""
    return tmp_path / "memory.db"


def test_nothing_but_the_protocol_reaches_standard_output(store: Path) -> None:
    """Whatever prints, logs or warns goes to standard error."""
    with running(store, before=NOISY) as server:
        server.ask(initialize("2025-11-25"))
        server.send(INITIALIZED)
        added = server.ask(call(1, "memory_add", content="We chose NATS over Kafka for billing"))
        lines, errors, status = server.finish()
    assert not added["result"]["isError"]
    assert [json.loads(line)["jsonrpc"] for line in lines] == ["2.0", "2.0"]
    for noise in ("printed", "written", "to the descriptor", "a child", "warned", "logged"):
        assert noise in errors
    assert status == 0


def test_what_one_process_adds_the_next_search_of_another_finds(store: Path) -> None:
    """Every agent session starts a server of its own on the same store."""
    with running(store) as one, running(store) as other:
        for server in (one, other):
            server.ask(initialize("2025-06-18"))
            server.send(INITIALIZED)
        assert "Nothing found" in told(other.ask(call(1, "memory_search", query="billing")))
        one.ask(call(1, "memory_add", content="Billing uses NATS", pin=True))
        found = other.ask(call(2, "memory_search", query="billing"))
    assert "Billing uses NATS" in told(found)


def test_requests_that_were_read_are_answered_before_the_server_leaves(store: Path) -> None:
    """`printf ... | hypermnesia mcp` works: the end of input cancels nothing."""
    with running(store) as server:
        server.send(enveloped(call(1, "memory_add", content="Billing uses NATS", pin=True)))
        server.send(enveloped(request(2, "tools/list")))
        lines, _, status = server.finish()
    assert sorted(json.loads(line)["id"] for line in lines) == [1, 2]
    assert status == 0
    assert not store.with_name("memory.db-wal").exists()  # it was closed, not dropped
    with Memory.open(store) as memory:
        assert memory.list().items[0].content == "Billing uses NATS"


def test_a_store_that_cannot_be_opened_is_reported_by_every_call(tmp_path: Path) -> None:
    """The server lives, and neither stream shows a traceback."""
    with running(tmp_path) as server:  # a folder is no store
        answer = server.ask(enveloped(call(1, "memory_profile")))
        _, errors, status = server.finish()
    assert answer["result"]["isError"]
    assert str(tmp_path) in told(answer)
    assert "not available" in errors
    assert "Traceback" not in errors
    assert status == 0
