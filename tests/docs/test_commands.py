"""Commands shown in the documentation are commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from hypermnesia.cli.app import app
from tests.docs.reference import root_context

ROOT = Path(__file__).parents[2]
_COMMAND = re.compile(r"^\$ (?:\S+ \| )?(?:hypermnesia|hm) ([^|<>\n]+)", re.MULTILINE)


def _commands() -> list[tuple[str, str]]:
    """Every shell line of the documents that calls the command, with its document."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [
        (str(page.relative_to(ROOT)), line)
        for page in pages
        for line in _COMMAND.findall(page.read_text("utf-8"))
    ]


def test_the_documentation_shows_commands() -> None:
    """Otherwise the next test would pass by finding none."""
    assert _commands()


@pytest.mark.parametrize(("page", "line"), _commands())
def test_a_documented_command_parses(page: str, line: str) -> None:
    """Verb, arguments and options are all known."""
    name, *arguments = shlex.split(line, comments=True)
    if name.startswith("-"):
        assert name in {"--help", "--version"}
        return
    root = root_context()
    command = app.get_command(root, name)
    assert command is not None, page
    context = command.make_context(name, arguments.copy(), parent=root)
    if isinstance(command, click.Group):
        inner, *arguments = arguments
        found = command.get_command(context, inner)
        assert found is not None, page
        found.make_context(inner, arguments, parent=context)
