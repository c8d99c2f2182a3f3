"""``--json``: one document on stdout from every verb."""

from __future__ import annotations

from pathlib import Path

import pytest

from hypermnesia.cli.app import VERBS
from hypermnesia.cli.options import LEVELS, STATUSES, TYPES
from hypermnesia.types import LEVELS as ALL_LEVELS
from hypermnesia.types import MEMORY_TYPES
from hypermnesia.types import STATUSES as ALL_STATUSES
from tests.cli.conftest import NEW, OLD, Terminal

COMMANDS = {
    "add": ("another fact",),
    "update": ("{old}", "--tag", "x"),
    "search": ("port",),
    "context": ("port",),
    "ask": ("port",),
    "suggest": ("port",),
    "list": (),
    "get": ("{old}",),
    "history": ("{old}",),
    "profile": (),
    "restore": ("{old}",),
    "forget": ("--id", "{old}", "--yes"),
    "export": ("{folder}/export.jsonl",),
    "ingest": ("{folder}/talk.txt",),
    "import": ("-",),
    "backup": ("{folder}/backup.db",),
    "check": (),
    "reindex": (),
    "models": ("check",),
    "privacy": ("scan",),
    "install": ("cursor", "--print"),
}


def test_every_verb_that_answers_is_covered_here() -> None:
    """The others speak another protocol or are tried, with ``--json``, in tests of their own."""
    protocols = {"mcp", "hook", "serve"}
    elsewhere = {"demo", "eval", "judge", "corpus", "account", "token", "migrate-store"}
    assert set(COMMANDS) == set(VERBS) - protocols - elsewhere


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_verb_prints_one_json_document(hm: Terminal, tmp_path: Path, verb: str) -> None:
    """An object or a list, and nothing beside it."""
    old = hm.add(OLD)
    hm.add(NEW)
    (tmp_path / "talk.txt").write_text("Ann: hello\nBo: hello, Ann\n", "utf-8")
    values = {"{old}": old, "{folder}": str(tmp_path)}
    arguments = list(COMMANDS[verb])
    for name, value in values.items():
        arguments = [argument.replace(name, value) for argument in arguments]
    assert isinstance(hm.json(verb, *arguments), dict | list)


def test_the_choices_of_the_options_are_those_of_the_types() -> None:
    """They are written out in the command line to keep numpy out of its start-up."""
    assert (ALL_LEVELS, MEMORY_TYPES, ALL_STATUSES[:-1]) == (LEVELS, TYPES, STATUSES)
