"""The tools of the reasoning corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client

from hypermnesia.engine import CorpusPolicy
from hypermnesia.memory import Memory
from hypermnesia.models.tokens import count_tokens
from hypermnesia.serve.mcp import build_server
from hypermnesia.serve.mcp_tools import CORPUS_TOOLS, TOOLS
from tests.conftest import OpenMemory
from tests.serve.lines import INITIALIZED, exchange, initialize, request
from tests.write.judges import ScriptedJudge

pytestmark = pytest.mark.anyio

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "mcp.md"
OURS = ["memory_corpus_stats", "memory_corpus_sync"]
PUBLISHED = ["jev_queue_stats", "sync_jev_dataset"]


@pytest.fixture
def memory(open_memory: OpenMemory, tmp_path: Path) -> Memory:
    """A memory with a judge and a folder to hand over to."""
    return open_memory(judges=[ScriptedJudge()], corpus=CorpusPolicy(folder=tmp_path / "out"))


async def called(memory: Memory, name: str, scope: str | None = None, **arguments: Any) -> Any:
    """The structured answer of a call, or the words of its failure."""
    async with Client(build_server(memory, scope=scope)) as client:
        result = await client.call_tool(name, arguments)
    if result.is_error:
        return result.content[0].text  # type: ignore[union-attr]
    return result.structured_content


def listed(memory: Memory) -> list[dict[str, Any]]:
    """The tools on the wire."""
    server = build_server(memory)
    wire = exchange(server, initialize("2025-11-25"), INITIALIZED, request(1, "tools/list"))
    return wire[-1]["result"]["tools"]


def test_the_tools_come_after_those_of_the_memory(memory: Memory) -> None:
    """Under our names and the published ones."""
    assert [t["name"] for t in listed(memory)] == [t.name for t in (*TOOLS, *CORPUS_TOOLS)]
    assert {*OURS, *PUBLISHED} == {t.name for t in CORPUS_TOOLS}


def test_the_hints_say_that_rows_may_leave(memory: Memory) -> None:
    """To hand over reaches beyond the store; to look does not."""
    hints = {t["name"]: t["annotations"] for t in listed(memory)}
    for look, send in (OURS, PUBLISHED):
        assert (hints[look]["readOnlyHint"], hints[look]["openWorldHint"]) == (True, False)
        assert (hints[send]["readOnlyHint"], hints[send]["openWorldHint"]) == (False, True)
        assert hints[send]["destructiveHint"] is False


def test_the_tools_are_small(memory: Memory) -> None:
    """Each costs little more than its names and hints."""
    for tool in listed(memory)[len(TOOLS) :]:
        assert count_tokens(json.dumps(tool, separators=(",", ":"))) < 160


@pytest.mark.parametrize(("look", "send"), [OURS, PUBLISHED])
async def test_a_queue_is_looked_at_and_handed_over(
    memory: Memory, tmp_path: Path, look: str, send: str
) -> None:
    """Under our names, and under the published ones, on any server."""
    memory.corpus_consent(given=True)
    memory.add_many(["alpha one", "alpha two"])
    found = await called(memory, look)
    assert (found["consent"], found["pending"], found["uploaded"]) == (True, 3, 0)
    assert found["by_use_case"] == {"analyze": 2, "supersede": 1}
    done = await called(memory, send)
    assert (done["rows"], done["pending"]) == (3, 0)
    assert len(list((tmp_path / "out").glob("*.jsonl"))) == 1
    assert (await called(memory, look))["uploaded"] == 3


async def test_nothing_leaves_without_consent(memory: Memory, tmp_path: Path) -> None:
    """And it is said."""
    memory.add("alpha")
    assert await called(memory, OURS[1]) == {"rows": 0, "pending": 0, "consent": False}
    assert not (tmp_path / "out").exists()


async def test_no_tool_gives_consent(memory: Memory) -> None:
    """That is for people to do."""
    for tool in CORPUS_TOOLS:
        assert set(tool.arguments) == {"scope"}
    assert "has no 'on'" in await called(memory, OURS[1], on=True)


async def test_a_server_of_one_scope_hands_over_no_other(memory: Memory) -> None:
    """Nor does it count another's rows."""
    for scope in ("a", "b"):
        memory.corpus_consent(given=True, scope=scope)
        memory.add("alpha", scope=scope)
    assert (await called(memory, OURS[0], scope="a"))["pending"] == 1
    assert (await called(memory, OURS[1], scope="a"))["rows"] == 1
    assert memory.corpus_stats(scope="b").pending == 1


@pytest.mark.parametrize("name", [*OURS, *PUBLISHED])
def test_the_tools_are_documented(name: str) -> None:
    """In the reference, each by its name."""
    assert f"`{name}`" in REFERENCE.read_text("utf-8")
