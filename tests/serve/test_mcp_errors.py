"""What an agent is told when a call cannot be carried out."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from hypermnesia.errors import StoreError
from hypermnesia.memory import Memory
from hypermnesia.serve.mcp import build_server
from hypermnesia.serve.mcp_tools import BY_NAME
from tests.serve.lines import INITIALIZED, call, exchange, initialize, request, told

UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"
KEY = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"


def refusal(memory: Memory, tool: str, /, **arguments: Any) -> str:
    """What the one call is refused with."""
    server = build_server(memory)
    answers = exchange(server, initialize("2025-11-25"), INITIALIZED, call(1, tool, **arguments))
    assert answers[1]["result"]["isError"] is True
    assert "structuredContent" not in answers[1]["result"]
    return told(answers[1])


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("memory_search", {"query": "a", "colour": 1}, "it takes query, k"),
        ("memory_search", {"query": "a", "filters": {"colour": 1}}, "filters has no 'colour'"),
        ("memory_help", {"a": 1}, "takes no arguments"),
        ("memory_search", {}, "memory_search needs 'query'"),
        ("memory_search", {"query": None}, "memory_search needs 'query'"),
        ("memory_search", {"query": 7}, "query must be text, not a number"),
        ("memory_search", {"query": " "}, "the query is empty"),
        ("memory_search", {"query": "a", "k": 0}, "k must be a whole number from 1 to 50"),
        ("memory_search", {"query": "a", "k": 51}, "k must be a whole number from 1 to 50"),
        ("memory_search", {"query": "a", "k": -1}, "k must be a whole number from 1 to 50"),
        ("memory_search", {"query": "a", "k": "5"}, "k must be a whole number, not text"),
        ("memory_search", {"query": "a", "k": True}, "k must be a whole number, not true or"),
        ("memory_search", {"query": "a", "k": 2.5}, "k must be a whole number, not a number"),
        ("memory_search", {"query": "a", "offset": -1}, "offset must be a whole number from 0"),
        ("memory_search", {"query": "a", "types": ["idea"]}, "unknown type 'idea'; one of fact"),
        ("memory_search", {"query": "a", "types": "fact"}, "types must be a list of texts"),
        ("memory_search", {"query": "a", "tags": [1]}, "tags must be a list of texts; one is a"),
        ("memory_search", {"query": "a", "since": "soon"}, "since 'soon' is not a date or time"),
        ("memory_search", {"query": "a", "filters": []}, "filters must be an object, not a list"),
        ("memory_search", {"query": "a", "explain": "yes"}, "explain must be true or false"),
        ("memory_add", {"content": ""}, "the content is empty"),
        ("memory_add", {"content": "x" * 64_001}, "at most 64,000"),
        ("memory_add", {"content": "a\0b"}, "NUL"),
        ("memory_add", {"content": "a", "memory_type": "idea"}, "unknown type 'idea'"),
        ("memory_add", {"content": "a", "at": "yesterday"}, "at 'yesterday' is not a date"),
        ("memory_add", {"content": "a", "scope": " "}, "the scope is empty"),
        ("memory_context", {"query": "a", "max_tokens": 1}, "max_tokens must be a whole number"),
        ("memory_list", {"limit": 0}, "limit must be a whole number from 1 to 50"),
        ("memory_list", {"cursor": "next"}, "'next' is not a cursor"),
        ("memory_get", {"id": "7"}, "is not a memory id"),
        ("memory_get", {"id": UNKNOWN}, UNKNOWN),
        ("memory_history", {"id": UNKNOWN}, UNKNOWN),
        ("memory_update", {"id": UNKNOWN}, "nothing to change"),
        ("memory_restore", {"id": UNKNOWN}, UNKNOWN),
        ("memory_forget", {}, "forget takes ids, or a query, or a scope"),
        ("memory_forget", {"dry_run": False}, "forget takes ids, or a query, or a scope"),
        ("memory_forget", {"ids": [UNKNOWN]}, UNKNOWN),
        ("memory_forget", {"ids": [UNKNOWN], "query": "a"}, "forget takes ids, or a query"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_refused_with_the_reason(
    memory: Memory, tool: str, arguments: dict[str, Any], said: str
) -> None:
    """The message says what is wrong, so that a model can mend the call."""
    memory.add("Billing uses NATS")
    assert said in refusal(memory, tool, **arguments)


def test_an_empty_call_cannot_empty_a_server_of_one_scope(memory: Memory) -> None:
    """The scope that a server keeps to does not stand in for one that is named."""
    memory.add("Billing uses NATS", scope="acme")
    answers = exchange(
        build_server(memory, scope="acme"),
        initialize("2025-11-25"),
        INITIALIZED,
        call(1, "memory_forget", dry_run=False),
    )
    assert answers[1]["result"]["isError"]
    assert memory.profile("acme").counts["active"] == 1


def test_a_secret_is_refused_and_not_repeated(memory: Memory) -> None:
    """Neither the answer nor the store holds it."""
    said = refusal(memory, "memory_add", content=f"The key is {KEY}")
    assert KEY not in said
    assert not memory.profile().counts.get("active")


def test_a_secret_in_a_wrong_place_is_not_repeated_either(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    """Errors about arguments quote names, kinds and no more of a value than a few characters."""
    for arguments in ({"query": [KEY]}, {"query": "a", "filters": KEY}, {"query": "a", "k": KEY}):
        assert KEY not in refusal(memory, "memory_search", **arguments)
    assert KEY not in caplog.text


def test_an_unknown_tool_is_an_error_of_the_protocol(memory: Memory) -> None:
    """It says which tools there are."""
    server = build_server(memory)
    answers = exchange(server, initialize("2025-11-25"), INITIALIZED, call(1, "remember"))
    assert answers[1]["error"]["code"] == -32602
    assert all(name in answers[1]["error"]["message"] for name in BY_NAME)


def test_an_unexpected_failure_is_told_in_general_and_logged_in_detail(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A traceback may quote a memory; it is for whoever runs the server."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("the password is hunter2")

    monkeypatch.setattr(memory, "search", broken)
    with caplog.at_level(logging.ERROR, "hypermnesia"):
        said = refusal(memory, "memory_search", query="a")
    assert said == "memory_search failed unexpectedly; the server's log (stderr) says why"
    assert "ZeroDivisionError" in caplog.text


def test_a_store_that_cannot_be_opened_is_reported_and_tried_again(memory: Memory) -> None:
    """A client sees why, and no restart is needed once the cause is gone."""
    outcomes = iter([StoreError("the disk is not mounted"), None])

    def opening() -> Memory:
        if error := next(outcomes):
            raise error
        return memory

    server = build_server(opening)
    first = exchange(server, initialize("2025-11-25"), INITIALIZED, call(1, "memory_profile"))
    assert told(first[1]) == "the disk is not mounted"
    second = exchange(server, initialize("2025-11-25"), INITIALIZED, call(1, "memory_profile"))
    assert not second[1]["result"]["isError"]


@pytest.mark.parametrize("uri", ["memory://7", f"memory://{UNKNOWN}", "file:///etc/passwd"])
def test_a_resource_that_is_not_there_is_an_error_of_the_protocol(memory: Memory, uri: str) -> None:
    """Resources have no other way to say so."""
    server = build_server(memory)
    read = request(1, "resources/read", uri=uri)
    answers = exchange(server, initialize("2025-11-25"), INITIALIZED, read)
    assert answers[1]["error"]["code"] == -32602
    assert answers[1]["error"]["data"] == {"uri": uri}
