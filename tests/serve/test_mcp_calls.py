"""Each tool, called through the SDK's client in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from mcp.client.client import Client
from mcp_types import TextContent, TextResourceContents

from hypermnesia.memory import Memory
from hypermnesia.serve.mcp import build_server
from tests.conftest import OpenMemory
from tests.write.judges import ScriptedJudge

pytestmark = pytest.mark.anyio

KAFKA, NATS = "Billing uses Kafka", "Billing uses NATS now"


@pytest.fixture
def judge() -> ScriptedJudge:
    """Knows that one of the two texts replaces the other, and what is trivial."""
    return ScriptedJudge(replaces={(KAFKA, NATS): 0.95}, saliences={"Lunch was late": 0.5})


@pytest.fixture
def memory(open_memory: OpenMemory, judge: ScriptedJudge) -> Memory:
    """A judged memory."""
    return open_memory(judges=[judge])


@pytest.fixture(params=["legacy", "auto"])
async def client(memory: Memory, request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    """A client of each era."""
    async with Client(build_server(memory), mode=request.param) as client:
        yield client


async def data(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The structured result, which the client has checked against the output schema."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, said(result)
    return result.structured_content


def said(result: Any) -> str:
    """The text of a result."""
    return cast("TextContent", result.content[0]).text


async def test_what_is_added_is_found_by_the_next_search(client: Client) -> None:
    """Read your own writes."""
    added = await data(client, "memory_add", content=NATS)
    assert added["status"] == "active"
    found = await data(client, "memory_search", query="billing")
    assert [hit["id"] for hit in found["memories"]] == [added["id"]]


async def test_an_addition_says_what_it_retired(client: Client) -> None:
    """The agent learns that something changed, and what."""
    old = await data(client, "memory_add", content=KAFKA)
    new = await client.call_tool("memory_add", {"content": NATS})
    assert new.structured_content["superseded"] == [old["id"]]
    assert old["id"] in said(new)


async def test_an_addition_below_the_gate_says_why(client: Client) -> None:
    """A memory that will not be recalled must not look like one that will."""
    added = await client.call_tool("memory_add", {"content": "Lunch was late"})
    assert added.structured_content["status"] == "low_signal"
    assert "below the gate" in said(added)


async def test_adding_twice_makes_no_second_memory(client: Client) -> None:
    """The same call again changes nothing: the tool is idempotent, as its hint says."""
    first = await data(client, "memory_add", content=NATS)
    again = await data(client, "memory_add", content=NATS)
    assert (again["id"], again["duplicate"]) == (first["id"], True)


async def test_a_memory_knows_which_client_it_came_from(client: Client, memory: Memory) -> None:
    """Provenance tells an agent's memories from a person's."""
    added = await data(client, "memory_add", content=NATS)
    provenance = memory.get(added["id"]).provenance
    assert (provenance.source, provenance.client) == ("mcp", "mcp")


async def test_filters_may_stand_in_an_object_or_beside_the_query(client: Client) -> None:
    """Models put them in either place."""
    await data(client, "memory_add", content=KAFKA, tags=["infra"])
    tagged = await data(client, "memory_add", content="Ana prefers tea", tags=["people"])
    for arguments in ({"filters": {"tags": ["people"]}}, {"tags": ["people"]}):
        found = await data(client, "memory_search", query="Ana billing", **arguments)
        assert [hit["id"] for hit in found["memories"]] == [tagged["id"]]


async def test_every_type_of_a_filter_is_searched(client: Client) -> None:
    """Not the first one alone; and no hit comes without its text."""
    await data(client, "memory_add", content="Billing fact", memory_type="fact")
    await data(client, "memory_add", content="Billing choice", memory_type="decision")
    await data(client, "memory_add", content="Billing habit", memory_type="preference")
    wanted = {"types": ["decision", "preference"]}
    found = await data(client, "memory_search", query="billing", filters=wanted)
    contents = {hit["content"] for hit in found["memories"]}
    assert contents == {"Billing choice", "Billing habit"}


async def test_a_search_as_of_a_day_finds_what_held_then(client: Client) -> None:
    """Time travel."""
    old = await data(client, "memory_add", content=KAFKA, at="2026-01-10")
    await data(client, "memory_add", content=NATS, at="2026-03-01")
    found = await data(client, "memory_search", query="billing", as_of="2026-02-01")
    assert [hit["id"] for hit in found["memories"]] == [old["id"]]


async def test_reasons_come_on_demand(client: Client) -> None:
    """Every score can be explained, and is not when nobody asks."""
    await data(client, "memory_add", content=NATS)
    (plain,) = (await data(client, "memory_search", query="billing"))["memories"]
    (reasoned,) = (await data(client, "memory_search", query="billing", explain=True))["memories"]
    assert "explain" not in plain
    assert reasoned["explain"]["final"] == reasoned["score"]


async def test_a_context_cites_the_memories_it_holds(client: Client) -> None:
    """A block for a prompt, with its sources."""
    added = await data(client, "memory_add", content=NATS)
    context = await data(client, "memory_context", query="billing")
    assert NATS in context["context"]
    assert [citation["id"] for citation in context["citations"]] == [added["id"]]


async def test_a_suggestion_tells_known_from_new(client: Client) -> None:
    """Asked before adding."""
    await data(client, "memory_add", content=NATS)
    known = await data(client, "memory_suggest", content=NATS)
    assert [hit["content"] for hit in known["repeats"]] == [NATS]
    assert not (await data(client, "memory_suggest", content="zebra"))["known"]


async def test_a_list_is_read_page_by_page(client: Client) -> None:
    """The cursor leads to the next page and ends with the last."""
    for day in range(1, 4):
        await data(client, "memory_add", content=f"Note {day}", at=f"2026-01-0{day}")
    first = await data(client, "memory_list", limit=2)
    second = await data(client, "memory_list", limit=2, cursor=first["cursor"])
    contents = [item["content"] for page in (first, second) for item in page["memories"]]
    assert contents == ["Note 3", "Note 2", "Note 1"]
    assert "cursor" not in second


async def test_get_shows_everything_known_of_a_memory(client: Client) -> None:
    """Content, status, times, verdict and metadata."""
    added = await data(client, "memory_add", content=NATS, metadata={"ticket": 7}, at="2026-03-01")
    got = await data(client, "memory_get", id=added["id"])
    assert (got["content"], got["metadata"], got["status"]) == (NATS, {"ticket": 7}, "active")
    assert got["at"] == "2026-03-01T00:00:00+00:00"


async def test_history_shows_the_versions_oldest_first(client: Client) -> None:
    """Nothing that was superseded is lost."""
    await data(client, "memory_add", content=KAFKA)
    new = await data(client, "memory_add", content=NATS)
    versions = (await data(client, "memory_history", id=new["id"]))["memories"]
    assert [version["content"] for version in versions] == [KAFKA, NATS]
    assert versions[0]["superseded_by"] == new["id"]


async def test_a_supersession_can_be_undone(client: Client) -> None:
    """The judge may be wrong."""
    old = await data(client, "memory_add", content=KAFKA)
    await data(client, "memory_add", content=NATS)
    restored = await data(client, "memory_restore", id=old["id"])
    assert restored == {"id": old["id"], "status": "active"}


async def test_a_profile_counts_and_shows_what_matters(client: Client) -> None:
    """The scope at a glance."""
    await data(client, "memory_add", content=NATS)
    profile = await data(client, "memory_profile")
    assert profile["counts"]["active"] == 1
    assert [item["content"] for item in profile["highlights"]] == [NATS]


async def test_an_update_corrects_in_place(client: Client) -> None:
    """The id stays."""
    added = await data(client, "memory_add", content="Biling uses NATS")
    updated = await data(client, "memory_update", id=added["id"], content="Billing uses NATS")
    assert updated["id"] == added["id"]
    assert (await data(client, "memory_get", id=added["id"]))["content"] == "Billing uses NATS"


async def test_ids_are_forgotten_at_once(client: Client) -> None:
    """They say exactly what is meant; afterwards nothing finds the memory."""
    added = await data(client, "memory_add", content=NATS)
    gone = await data(client, "memory_forget", ids=[added["id"]])
    assert (gone["ids"], gone["dry_run"]) == ([added["id"]], False)
    assert not (await data(client, "memory_search", query="billing"))["memories"]


@pytest.mark.parametrize("selection", [{"query": NATS}, {"scope": "default"}])
async def test_what_is_only_described_is_shown_before_it_is_erased(
    client: Client, selection: dict[str, str]
) -> None:
    """A query or a scope may take in more than the caller thinks of."""
    added = await data(client, "memory_add", content=NATS)
    preview = await data(client, "memory_forget", **selection)
    assert preview["dry_run"]
    assert [item["content"] for item in preview["memories"]] == [NATS]
    assert (await data(client, "memory_get", id=added["id"]))["content"] == NATS
    gone = await data(client, "memory_forget", **selection, dry_run=False)
    assert (gone["ids"], gone["count"]) == ([added["id"]], 1)


async def test_help_explains_every_filter_and_type(client: Client) -> None:
    """What the schemas leave out to stay small is told here."""
    text = (await data(client, "memory_help"))["help"]
    for word in ("ISO 8601", "preference", "low_signal", "episode", "dry_run", "min"):
        assert word in text


async def test_a_memory_is_read_as_a_resource(client: Client) -> None:
    """Its address is its id; the list leads there."""
    added = await data(client, "memory_add", content=NATS)
    (resource,) = (await client.list_resources()).resources
    assert str(resource.uri) == f"memory://{added['id']}"
    (contents,) = (await client.read_resource(str(resource.uri))).contents
    assert NATS in cast("TextResourceContents", contents).text
    (template,) = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "memory://{id}"


async def test_scopes_do_not_see_each_other(client: Client) -> None:
    """A server without a scope of its own keeps those of its callers apart."""
    added = await data(client, "memory_add", content=NATS, scope="acme")
    assert not (await data(client, "memory_search", query="billing"))["memories"]
    (hit,) = (await data(client, "memory_search", query="billing", scope="acme"))["memories"]
    assert hit["id"] == added["id"]


async def test_a_server_of_one_scope_shows_no_other(memory: Memory) -> None:
    """Not by search, not by id, not by resource, not by naming it."""
    secret = memory.add(NATS, scope="other").id
    async with Client(build_server(memory, scope="acme")) as client:
        own = await data(client, "memory_add", content=KAFKA)
        assert memory.get(own["id"]).scope == "acme"
        assert [m["id"] for m in (await data(client, "memory_list"))["memories"]] == [own["id"]]
        for tool in ("memory_get", "memory_history", "memory_restore"):
            assert (await client.call_tool(tool, {"id": secret})).is_error
        assert (await client.call_tool("memory_forget", {"ids": [secret]})).is_error
        assert (await client.call_tool("memory_forget", {"scope": "other"})).is_error
        named = await client.call_tool("memory_search", {"query": "billing", "scope": "other"})
        assert "keeps to the scope 'acme'" in said(named)
        (resource,) = (await client.list_resources()).resources
        assert str(resource.uri) == f"memory://{own['id']}"
        with pytest.raises(Exception, match="no memory"):
            await client.read_resource(f"memory://{secret}")
    assert memory.get(secret).content == NATS
