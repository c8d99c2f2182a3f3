"""MCP over HTTP, with the SDK's own client."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult, TextContent
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from hypermnesia.memory import Memory
from hypermnesia.models.http import tls_context
from hypermnesia.serve.http.app import create_app
from hypermnesia.serve.mcp_tools import BY_NAME
from hypermnesia.serve.principal import Principal
from tests.serve.http.running import PATIENCE, running, settings_of

MODES = ["legacy", "auto"]
pytestmark = pytest.mark.anyio


@asynccontextmanager
async def talking(address: str, mode: str, **options: Any) -> AsyncGenerator[Client]:
    """A client of the SDK: ``legacy`` shakes hands first, ``auto`` finds that it need not."""
    async with (
        httpx2.AsyncClient(verify=tls_context(), timeout=PATIENCE) as http,
        Client(
            streamable_http_client(f"{address}/mcp", http_client=http), mode=mode, **options
        ) as client,
    ):
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> tuple[str, Any, bool]:
    """What a tool answers: text, structure, and whether it failed."""
    result = await client.call_tool(tool, arguments)
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text, result.structured_content, bool(result.is_error)


@pytest.mark.parametrize("mode", MODES)
async def test_the_tools_of_stdio_are_served_to_clients_of_every_revision(
    address: str, mode: str
) -> None:
    """Listed, called, and what was written is read at once."""
    async with talking(address, mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(BY_NAME)
        await call(client, "memory_add", content="Billing uses NATS")
        text, _, failed = await call(client, "memory_search", query="billing")
        assert "Billing uses NATS" in text
        assert not failed


@pytest.mark.parametrize("mode", MODES)
async def test_what_one_client_writes_another_reads(address: str, mode: str) -> None:
    """Over REST, too."""
    async with talking(address, mode) as one, talking(address, mode) as other:
        _, added, _ = await call(one, "memory_add", content="Billing uses NATS")
        text, _, _ = await call(other, "memory_get", id=added["id"])
        assert "Billing uses NATS" in text
    reply = httpx2.get(f"{address}/api/v1/memories/{added['id']}", timeout=PATIENCE)
    assert reply.json()["content"] == "Billing uses NATS"


@pytest.mark.parametrize("mode", MODES)
async def test_much_is_erased_when_the_user_agrees(address: str, memory: Memory, mode: str) -> None:
    """The question says how many."""
    memory.add_many(["alpha", "beta", "gamma"])
    asked: list[str] = []

    async def agree(_context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"erase": True})

    async with talking(address, mode, elicitation_callback=agree) as client:
        text, _, _ = await call(client, "memory_forget", scope="default", dry_run=False)
    assert asked == ["Erase 3 memories for good?"]
    assert "Erased 3" in text
    assert not memory.list().items


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "answer",
    [
        ElicitResult(action="decline"),
        ElicitResult(action="cancel"),
        ElicitResult(action="accept", content={"erase": False}),
    ],
)
async def test_nothing_is_erased_when_the_user_does_not_agree(
    address: str, memory: Memory, mode: str, answer: ElicitResult
) -> None:
    """Whatever the way of saying no; it is an outcome and not an error."""
    memory.add_many(["alpha", "beta"])

    async def refuse(_context: Any, _params: Any) -> ElicitResult:
        return answer

    async with talking(address, mode, elicitation_callback=refuse) as client:
        text, _, failed = await call(client, "memory_forget", scope="default", dry_run=False)
    assert "did not agree" in text
    assert not failed
    assert len(memory.list().items) == 2


@pytest.mark.parametrize("mode", MODES)
async def test_an_answer_is_good_for_what_was_asked_alone(
    address: str, memory: Memory, mode: str
) -> None:
    """What came meanwhile is asked about anew, or stays."""
    memory.add("alpha")
    asked: list[str] = []

    async def agree(_context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        if len(asked) == 1:
            memory.add("beta")
        return ElicitResult(action="accept", content={"erase": True})

    async with talking(address, mode, elicitation_callback=agree) as client:
        await call(client, "memory_forget", scope="default", dry_run=False)
    assert asked[0] == "Erase 1 memory for good?"
    assert len(asked) == 2 or [node.content for node in memory.list()] == ["beta"]


async def test_ids_and_previews_are_not_asked_about(address: str, memory: Memory) -> None:
    """Ids say what is meant, a preview erases nothing."""
    added = memory.add("alpha")

    async def never(_context: Any, _params: Any) -> ElicitResult:
        raise AssertionError

    async with talking(address, "auto", elicitation_callback=never) as client:
        await call(client, "memory_forget", scope="default")
        text, _, _ = await call(client, "memory_forget", ids=[added.id])
    assert "Erased 1" in text


async def test_a_client_that_cannot_ask_has_said_it_by_its_argument(
    address: str, memory: Memory
) -> None:
    """Nobody is there to be asked."""
    memory.add("alpha")
    async with talking(address, "auto") as client:
        text, _, _ = await call(client, "memory_forget", scope="default", dry_run=False)
    assert "Erased 1" in text


# --- who calls ---------------------------------------------------------------------


class _Known:
    """A middleware that knows one caller."""

    def __init__(self, app: ASGIApp, principal: Principal) -> None:
        self._app = app
        self._principal = principal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope.setdefault("state", {})["principal"] = self._principal
        await self._app(scope, receive, send)


def known(memory: Memory, principal: Principal) -> FastAPI:
    """The application as one caller sees it."""
    return create_app(memory, settings_of(), middleware=[Middleware(_Known, principal)])


@pytest.mark.parametrize("mode", MODES)
async def test_a_caller_reaches_its_own_scopes_alone(memory: Memory, mode: str) -> None:
    """By name, by id and by address; what is out of reach is as unknown as what never was."""
    hidden = memory.add("the vault opens at dawn", scope="other")
    memory.add("alpha", scope="team/a")
    principal = Principal("ada", ("team/*", "mine"))
    with running(known(memory, principal)) as address:
        async with talking(address, mode) as client:
            for tool, arguments in (
                ("memory_search", {"query": "vault", "scope": "other"}),
                ("memory_list", {"scope": "other"}),
                ("memory_profile", {"scope": "other"}),
                ("memory_add", {"content": "x", "scope": "other"}),
                ("memory_forget", {"scope": "other", "dry_run": False}),
                ("memory_get", {"id": hidden.id}),
                ("memory_history", {"id": hidden.id}),
                ("memory_update", {"id": hidden.id, "content": "x"}),
                ("memory_restore", {"id": hidden.id}),
                ("memory_forget", {"ids": [hidden.id]}),
            ):
                text, _, failed = await call(client, tool, **arguments)
                assert failed, tool
                assert "vault" not in text
            text, added, _ = await call(client, "memory_add", content="beta")
            assert memory.get(added["id"]).scope == "mine"
            text, _, _ = await call(client, "memory_search", query="alpha", scope="team/a")
            assert "alpha" in text
            listed = await client.list_resources()
            assert [item.name for item in listed.resources] == ["beta"]
    assert memory.get(hidden.id).content == "the vault opens at dawn"


async def test_a_caller_that_may_only_read_changes_nothing(memory: Memory) -> None:
    """It is told why."""
    memory.add("alpha")
    with running(known(memory, Principal("eve", read_only=True))) as address:
        async with talking(address, "auto") as client:
            text, _, failed = await call(client, "memory_add", content="beta")
            assert failed
            assert "may only read" in text
            text, _, failed = await call(client, "memory_search", query="alpha")
            assert "alpha" in text


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_nobody_is_served_without_a_credential(memory: Memory, method: str) -> None:
    """A service that is not open answers 401, whatever the method."""
    with running(create_app(memory, settings_of())) as address:
        reply = httpx2.request(method, f"{address}/mcp", timeout=PATIENCE)
        assert reply.status_code == 401
        assert reply.headers["www-authenticate"].startswith("Bearer")
        assert httpx2.get(f"{address}/api/v1/memories", timeout=PATIENCE).status_code == 401
