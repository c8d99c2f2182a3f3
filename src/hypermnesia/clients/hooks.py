"""The session hooks in Claude Code's settings (code.claude.com/docs/en/hooks).

``SessionStart`` gets what is remembered; ``Stop`` and ``SessionEnd`` hand the transcript over. For
a project they go into ``settings.local.json``, which is personal: nobody runs them who did not ask.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from hypermnesia.clients import jsonc
from hypermnesia.clients.system import System

START = "session-start"
END = "session-end"
EVENTS: Mapping[str, str] = {"SessionStart": START, "Stop": END, "SessionEnd": END}
"""The hook that answers each event."""
SECONDS = 30
"""After which Claude Code gives a hook up: many times what one takes on a machine at rest."""

_OURS = re.compile(rf"\bhypermnesia\b.*\bhook ({START}|{END})\b", re.DOTALL)


def settings_file(system: System, project: Path | None) -> Path:
    """The file that hooks are written to."""
    if project is not None:
        return project / ".claude" / "settings.local.json"
    return system.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json"


def entries(commands: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """What is written for each event.

    Args:
        commands: the words of each hook, by its name.
    """
    return {event: _group(commands[hook]) for event, hook in EVENTS.items()}


def add(text: str, commands: Mapping[str, Sequence[str]]) -> str:
    """The settings with these hooks, in the place of former ones of ours.

    Raises:
        InvalidInput: the settings are not JSON, or hold no lists where hooks stand.
    """
    if all(_present(text, event) == [group] for event, group in entries(commands).items()):
        return text
    text = take_out(text)
    for event, group in entries(commands).items():
        present = _groups(jsonc.read(text), event)
        text = jsonc.put(text, ("hooks", event, len(present)), group)
    return text


def take_out(text: str) -> str:
    """The settings without our hooks, and without what only held them.

    Raises:
        InvalidInput: the settings are not JSON.
    """
    for event in EVENTS:
        while (place := next(_places(jsonc.read(text), event), None)) is not None:
            text = jsonc.drop(text, ("hooks", event, *place))
            text = jsonc.prune(text, ("hooks", event))
    return text


def _group(command: Sequence[str]) -> dict[str, Any]:
    line = subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command)
    return {"hooks": [{"type": "command", "command": line, "timeout": SECONDS}]}


def _present(text: str, event: str) -> list[Any]:
    values = jsonc.read(text)
    groups = _groups(values, event)
    return [groups[place[0]] for place in _places(values, event)]


def _groups(values: Any, event: str) -> list[Any]:
    match values:
        case {"hooks": {**events}} if isinstance(events.get(event), list):
            return cast("list[Any]", events[event])
        case _:
            return []


def _places(values: Any, event: str) -> Iterator[tuple[int, *tuple[str | int, ...]]]:
    """Where our hooks stand below an event: a group of its own, or one hook of a group."""
    for index, group in enumerate(_groups(values, event)):
        match group:
            case {"hooks": [*hooks]}:
                ours = [place for place, hook in enumerate(hooks) if _is_ours(hook)]
                if ours and len(ours) == len(hooks):
                    yield (index,)
                elif ours:
                    yield (index, "hooks", ours[0])
            case _:
                pass


def _is_ours(hook: object) -> bool:
    match hook:
        case {"command": str() as command}:
            return _OURS.search(command) is not None
        case _:
            return False
