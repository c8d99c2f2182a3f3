"""The session hooks among the settings of a client."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hypermnesia.clients import hooks
from hypermnesia.clients.installation import Wish, install, remove
from hypermnesia.clients.places import CLIENTS
from hypermnesia.clients.system import System
from hypermnesia.errors import InvalidInput
from tests.clients.conftest import COMMAND

COMMANDS = {
    name: ("/opt/my tools/hypermnesia", "hook", name, "--scope", "it's")
    for name in (hooks.START, hooks.END)
}
OTHERS = """{
  "permissions": { "allow": ["Bash(ls:*)"] },
  "hooks": {
    "SessionStart": [
      { "matcher": "startup", "hooks": [ { "type": "command", "command": "hypermnesia-like" } ] }
    ],
    "PreToolUse": [ { "matcher": "Bash", "hooks": [] } ]
  }
}
"""


def test_each_event_gets_a_hook_that_a_shell_can_read() -> None:
    """Whatever stands in a path or scope."""
    settings = json.loads(hooks.add("", COMMANDS))
    assert set(settings["hooks"]) == set(hooks.EVENTS)
    (group,) = settings["hooks"]["Stop"]
    (hook,) = group["hooks"]
    assert hook["type"] == "command"
    line = hook["command"]
    assert line == "'/opt/my tools/hypermnesia' hook session-end --scope 'it'\"'\"'s'"


@pytest.mark.parametrize("text", [OTHERS, "{}", "", '{"hooks": {"Stop": [{"hooks": [1, null]}]}}'])
def test_other_hooks_stay_and_ours_go_again(text: str) -> None:
    """To the byte, where there was a file."""
    added = hooks.add(text, COMMANDS)
    assert hooks.add(added, COMMANDS) == added
    assert hooks.take_out(added) == (text or "{}\n")


def test_other_options_replace_the_former_hook() -> None:
    """So that no session is told twice."""
    other = {name: (*words, "--store", "/s") for name, words in COMMANDS.items()}
    settings = json.loads(hooks.add(hooks.add(OTHERS, COMMANDS), other))
    assert len(settings["hooks"]["Stop"]) == 1
    assert len(settings["hooks"]["SessionStart"]) == 2


def test_a_hook_that_was_moved_into_another_group_is_found() -> None:
    """And its neighbours stay."""
    mine = {"type": "command", "command": "hypermnesia hook session-end"}
    other = {"type": "command", "command": "say done"}
    text = json.dumps({"hooks": {"Stop": [{"matcher": "", "hooks": [mine, other]}]}})
    left = json.loads(hooks.take_out(text))
    assert left == {"hooks": {"Stop": [{"matcher": "", "hooks": [other]}]}}


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"Stop": {}}}', "{"])
def test_settings_of_another_shape_are_left_alone(text: str) -> None:
    """With a reason."""
    with pytest.raises(InvalidInput):
        hooks.add(text, COMMANDS)


def test_hooks_come_and_go_with_the_server(system: System) -> None:
    """In the settings beside its file."""
    client, wish = CLIENTS["claude-code"], Wish(scope="s", hooks=True)
    path = hooks.settings_file(system, None)
    path.parent.mkdir()
    path.write_text(OTHERS)
    assert [done.path for done in install(client, wish, system)] == [client.user(system), path]
    assert f"{COMMAND} hook session-start --scope s" in path.read_text()
    again = install(client, wish, system)
    assert [done.action for done in again] == ["unchanged", "unchanged"]
    remove(client, replace(wish, hooks=False), system)
    assert path.read_text() == OTHERS
