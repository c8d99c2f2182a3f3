"""The documentation of the MCP server tells what the server does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hypermnesia.serve.mcp_tools import FILTERS, TOOLS, Tool
from hypermnesia.types import LEVELS, MEMORY_TYPES

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "reference" / "mcp.md").read_text(encoding="utf-8")
HOW_TO = (DOCS / "how-to" / "connect-an-agent.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_is_documented_with_every_argument(tool: Tool) -> None:
    """And with no other; required ones stand in bold."""
    (row,) = re.findall(rf"^\| `{tool.name}` \|(.*?)\|(.*)\|$", REFERENCE, re.MULTILINE)
    arguments, answer = row
    bold = set(re.findall(r"\*\*`(\w+)`\*\*", arguments))
    assert set(re.findall(r"`(\w+)`", arguments)) == set(tool.arguments)
    assert bold == set(tool.required)
    assert set(tool.results) <= set(re.findall(r"`(\w+)`", answer)) | {"content", "id", "status"}


def test_every_filter_and_its_values_are_documented() -> None:
    """The schema only names them."""
    for name in (*FILTERS, *MEMORY_TYPES, *LEVELS):
        assert re.search(rf"\b{name}\b", REFERENCE), name


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_hints_in_the_table_are_those_on_the_wire(tool: Tool) -> None:
    """The row that names the tool, or the one for all others."""
    rows = re.findall(r"^\| (.*?) \| (\w+) \| (\w+) \| true \| false \|$", REFERENCE, re.MULTILINE)
    named = [row for row in rows if f"`{tool.name}`" in row[0]] or [
        row for row in rows if row[0] == "all others"
    ]
    hints = tool.listing(one_scope=False)["annotations"]
    ((_, read_only, destructive),) = named
    assert (read_only == "true", destructive == "true") == (
        hints["readOnlyHint"],
        hints["destructiveHint"],
    )


def test_the_client_configurations_are_valid_json() -> None:
    """They are copied as they stand."""
    blocks = re.findall(r"```json\n(.*?)```", HOW_TO, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        (server,) = json.loads(block)["mcpServers"].values()
        assert server["args"][0] == "mcp"
