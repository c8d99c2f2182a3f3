"""Changing one table of a TOML text and nothing else."""

from __future__ import annotations

import tomllib

import pytest

from hypermnesia.clients import toml
from hypermnesia.errors import InvalidInput

ENTRY = {"command": "/bin/x", "args": ["mcp"]}
PATH = ("mcp_servers", "mine")
TEXTS = {
    "empty": "",
    "values alone": 'model = "o4"  # fast\n',
    "another server": '# top\nmodel = "m"\n\n[mcp_servers.one]\ncommand = "one" # keep\n',
    "an inner table": '[mcp_servers.one]\ncommand = "one"\n\n[mcp_servers.one.env]\nA = "1"\n',
    "tables behind": '[mcp_servers.one]\ncommand = "one"\n\n[profiles.fast]\nmodel = "m"\n',
    "an explicit parent": '[mcp_servers]\n\n[mcp_servers.one]\ncommand = "one"\n',
    "an inline parent": 'mcp_servers = { one = { command = "one" } }\n',
    "no line end": 'a = 1\n[b]\nc = "d"',
    "windows": 'a = 1\r\n\r\n[b]\r\nc = "d"\r\n',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_table_is_added_and_the_rest_says_the_same(text: str) -> None:
    """Comments stay."""
    changed = toml.put(text, PATH, ENTRY)
    before = tomllib.loads(text)
    wanted = {**before, "mcp_servers": {**before.get("mcp_servers", {}), "mine": ENTRY}}
    assert tomllib.loads(changed) == wanted
    assert changed.count("#") == text.count("#")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_was_added_is_taken_out_again(text: str) -> None:
    """Nothing but blank lines may differ."""
    left = toml.drop(toml.put(text, PATH, ENTRY), PATH)
    assert left.split() == text.split()


def test_a_table_is_replaced_in_its_place() -> None:
    """With what it held of its own gone."""
    text = toml.put(TEXTS["tables behind"], PATH, ENTRY | {"cwd": "/"})
    changed = toml.put(text, PATH, ENTRY)
    assert tomllib.loads(changed)["mcp_servers"]["mine"] == ENTRY


@pytest.mark.parametrize("text", ["a = ", "[a\n", 'mcp_servers = "x"', "mcp_servers = []"])
def test_what_is_no_toml_or_no_table_is_refused(text: str) -> None:
    """Rather than replaced."""
    with pytest.raises(InvalidInput, match=r"not TOML|not a table"):
        toml.put(text, PATH, ENTRY)


@pytest.mark.parametrize("text", ["", "a = 1", "mcp_servers = 1", "[mcp_servers.one]\n"])
def test_taking_out_what_is_not_there_changes_nothing(text: str) -> None:
    """Not a byte."""
    assert toml.drop(text, PATH) == text
