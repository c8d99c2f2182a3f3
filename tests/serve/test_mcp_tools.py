"""The tools as a client lists them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from mcp.client.client import Client

from hypermnesia.memory import Memory
from hypermnesia.serve.mcp import build_server
from hypermnesia.serve.mcp_tools import BY_NAME, HELP, INSTRUCTIONS, TOOLS
from hypermnesia.serve.mcp_verbs import VERBS
from tests.serve.lines import INITIALIZED, exchange, initialize, request

pytestmark = pytest.mark.anyio

VERBS_PROMISED = "add search context suggest list get history profile update restore forget help"
NAMES = [f"memory_{verb}" for verb in VERBS_PROMISED.split()]
WRITING = {"memory_add", "memory_update", "memory_restore", "memory_forget"}
DESTROYING = {"memory_update", "memory_forget"}


def listed(memory: Memory, scope: str | None = None) -> list[dict[str, Any]]:
    """The tools on the wire."""
    answers = exchange(
        build_server(memory, scope=scope),
        initialize("2025-11-25"),
        INITIALIZED,
        request(1, "tools/list"),
    )
    return answers[-1]["result"]["tools"]


def test_the_twelve_tools_are_there_and_each_does_something(memory: Memory) -> None:
    """Names as promised, in a telling order, none without an implementation."""
    assert [tool["name"] for tool in listed(memory)][:12] == NAMES == [tool.name for tool in TOOLS]
    assert list(VERBS) == list(BY_NAME)


def test_all_schemas_together_cost_less_than_2500_tokens(memory: Memory) -> None:
    """An agent pays for them in every session.

    The vocabulary o200k makes a token of 4.2 characters of this JSON; three is on the safe side.
    """
    tools = json.dumps(listed(memory), separators=(",", ":"))
    assert len(tools) / 3 < 2500


def test_every_tool_has_a_title_and_a_description(memory: Memory) -> None:
    """Clients show the one and models read the other."""
    for tool in listed(memory):
        assert tool["title"]
        assert tool["description"]


def test_every_tool_states_all_four_hints_truthfully(memory: Memory) -> None:
    """Clients decide by them what to ask the user about."""
    for tool in listed(memory)[: len(TOOLS)]:  # those of the corpus have a test of their own
        name = tool["name"]
        assert tool["annotations"] == {
            "readOnlyHint": name not in WRITING,
            "destructiveHint": name in DESTROYING,
            "idempotentHint": True,
            "openWorldHint": False,
        }


def test_every_tool_has_an_output_schema_with_its_lasting_fields(memory: Memory) -> None:
    """Programs may rely on these fields."""
    for tool in listed(memory):
        assert tool["outputSchema"]["type"] == "object"
        assert tool["outputSchema"]["required"]


def test_the_instructions_teach_when_to_recall_and_when_to_remember() -> None:
    """They are all that an agent knows of its memory before the first call."""
    for recall in ("start of a task", "before a decision", "refers to the past"):
        assert recall in INSTRUCTIONS
    for remember in ("decisions with their reasons", "preferences", "fixes", "later session"):
        assert remember in INSTRUCTIONS
    for leave in ("chatter", "secrets", "never store what you have just recalled"):
        assert leave in INSTRUCTIONS


def test_the_instructions_name_only_tools_that_exist() -> None:
    """A wrong name would cost an agent a failed call."""
    named = set(re.findall(r"memory_\w+", HELP)) - {"memory_type"}
    assert named <= set(NAMES)


def test_a_server_of_one_scope_offers_no_choice_of_scope(memory: Memory) -> None:
    """What cannot be chosen is not shown; to empty the scope it must still be named."""
    tools = {tool["name"]: tool["inputSchema"]["properties"] for tool in listed(memory, "acme")}
    assert {name for name, fields in tools.items() if "scope" in fields} == {"memory_forget"}


async def test_client_of_either_era_sees_the_instructions(memory: Memory) -> None:
    """They come with the handshake, or with discovery."""
    for mode in ("legacy", "auto"):
        async with Client(build_server(memory), mode=mode) as client:
            assert client.instructions == INSTRUCTIONS
