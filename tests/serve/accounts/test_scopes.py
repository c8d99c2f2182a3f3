"""Nothing crosses from one account's scopes to another's, whatever is called and guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
import pytest

from hypermnesia.serve.mcp_tools import TOOLS
from tests.serve.accounts.service import Service, mcp_headers, tool_call

MARK = "xylophone"
"""A word that stands in ada's memories and nowhere else."""

BODIES: Mapping[str, Mapping[str, Any]] = {
    "/memories": {"content": "eve was here"},
    "/memories/batch": {"items": [{"content": "eve was here"}]},
    "/ingest": {"messages": [{"role": "user", "content": "eve was here"}]},
    "/search": {"query": MARK},
    "/context": {"query": MARK},
    "/answer": {"question": f"where is the {MARK}?"},
    "/suggest": {"content": MARK},
    "/add": {"content": "eve was here"},
    "/update": {"content": "eve was here"},
}
"""What each operation needs besides a scope and an id, by the end of its path."""


@pytest.fixture
def hers(closed: Service) -> Iterator[list[str]]:
    """Ids of what ada remembers: an old version and a new one."""
    memory = closed.memory
    first = memory.add(f"The {MARK} is in the attic", scope="ada")
    second = memory.add(f"The {MARK} is in the cellar", scope="ada")
    yield [first.id, second.id]
    memory.forget(scope="ada")


def test_no_operation_reaches_into_anothers_scope(closed: Service, hers: list[str]) -> None:
    """Every one that the service describes: by scope, by id, and by both."""
    eve = closed.bearing(closed.token(closed.account("eve")))
    before = list(closed.memory.list(scope="ada", status=("active", "superseded")))
    tried = 0
    for method, path, operation in operations(eve):
        for scope in ("ada", "eve", None):
            answer = call(eve, method, path, operation, hers, scope)
            tried += 1
            told = (method, path, scope, answer.status_code, answer.text[:300])
            assert MARK not in answer.text.replace(f'"{MARK}"', ""), told
            assert not set(hers) & set(found_ids(answer)), told
            if scope == "ada" and answer.is_success:
                assert not takes_scope(operation), told
    assert tried > 60
    after = list(closed.memory.list(scope="ada", status=("active", "superseded")))
    assert [(n.id, n.content, n.updated_at) for n in after] == [
        (n.id, n.content, n.updated_at) for n in before
    ]


def test_an_id_out_of_reach_is_as_unknown_as_one_that_never_was(
    closed: Service, hers: list[str]
) -> None:
    """Neither status nor words tell them apart."""
    eve = closed.bearing(closed.token(closed.account("eve")))
    never = "01890a5d-ac96-774b-bcce-b302099a8057"
    for suffix in ("", "/history", "/events"):
        real, made_up = (eve.get(f"/api/v1/memories/{one}{suffix}") for one in (hers[0], never))
        assert real.status_code == made_up.status_code == 404, suffix
        assert real.text.replace(hers[0], never) == made_up.text


def test_no_tool_reaches_into_anothers_scope(closed: Service, hers: list[str]) -> None:
    """Every one, by scope and by id, over MCP."""
    eve = closed.bearing(closed.token(closed.account("eve")))
    before = len(closed.memory.list(scope="ada", status=("active", "superseded")))
    for tool in TOOLS:
        for scope in ("ada", "eve", None):
            arguments: dict[str, Any] = {
                "content": "eve was here", "query": MARK, "id": hers[0], "ids": hers,
            }  # fmt: skip
            given = {n: v for n, v in arguments.items() if n in tool.arguments}
            if scope is not None and "scope" in tool.arguments:
                given["scope"] = scope
            answer = eve.post(
                "/mcp", json=tool_call(tool.name, given), headers=mcp_headers(tool.name)
            )
            told = (tool.name, given, answer.text[:300])
            assert MARK not in answer.text, told
            if given.get("scope") == "ada":
                assert '"isError":true' in answer.text, told
    assert len(closed.memory.list(scope="ada", status=("active", "superseded"))) == before


def test_a_read_only_token_changes_nothing_by_any_operation(
    closed: Service, hers: list[str]
) -> None:
    """Nor by any tool."""
    token = closed.token(closed.account("ada", scopes=["ada"]), read_only=True)
    reader = closed.bearing(token)
    before = snapshot(closed)
    for method, path, operation in operations(reader):
        answer = call(reader, method, path, operation, hers, "ada")
        assert snapshot(closed) == before, (method, path, answer.text[:200])
    for tool in TOOLS:
        arguments = {
            "content": "changed", "query": MARK, "id": hers[0], "ids": hers, "scope": "ada",
        }  # fmt: skip
        given = {n: v for n, v in arguments.items() if n in tool.arguments}
        answer = reader.post(
            "/mcp", json=tool_call(tool.name, given), headers=mcp_headers(tool.name)
        )
        assert ('"isError":true' in answer.text) or not tool.writes, (tool.name, answer.text[:200])
        assert snapshot(closed) == before, tool.name


def operations(client: httpx2.Client) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Every operation that the service describes, but for those about accounts."""
    described = client.get("/api/v1/openapi.json").json()
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            if "accounts" not in operation.get("tags", ()):
                yield method.upper(), path, operation


def call(
    client: httpx2.Client,
    method: str,
    path: str,
    operation: Mapping[str, Any],
    ids: list[str],
    scope: str | None,
) -> httpx2.Response:
    """Call an operation with somebody's ids and, where it takes one, a scope."""
    query = {"scope": scope} if scope and "scope" in parameters(operation) else {}
    body: dict[str, Any] | None = None
    if "requestBody" in operation:
        ending = next((end for end in BODIES if path.endswith(end)), "")
        body = {**BODIES.get(ending, {"ids": ids}), **({"scope": scope} if scope else {})}
        if path.endswith("/update"):
            body["id"] = ids[0]
    filled = path.replace("{memory_id}", ids[0]).replace("{job_id}", ids[0])
    headers = {"If-Match": "*", "Content-Type": "application/json"}
    return client.request(method, filled, params=query, json=body, headers=headers)


def takes_scope(operation: Mapping[str, Any]) -> bool:
    """Whether an operation says that it works in a scope."""
    return "scope" in parameters(operation)


def parameters(operation: Mapping[str, Any]) -> set[str]:
    """Names of what an operation takes besides its body."""
    return {parameter["name"] for parameter in operation.get("parameters", ())}


def found_ids(answer: httpx2.Response) -> list[str]:
    """Ids of the memories that an answer shows."""
    if answer.headers.get("content-type", "") != "application/json":
        return []
    told: Any = answer.json()
    items = told.get("items", told.get("hits", [])) if isinstance(told, dict) else told
    return [item.get("id", "") for item in items if isinstance(item, dict)]


def snapshot(service: Service) -> list[tuple[str, str, str]]:
    """What ada's scope holds."""
    page = service.memory.list(scope="ada", status=("active", "superseded", "low_signal"))
    return [(node.id, node.content, node.status) for node in page]
