"""The reference pages say what the code does."""

from __future__ import annotations

import re

import click
import pytest

from hypermnesia.cli.app import VERBS, app
from hypermnesia.cli.eval import EVALUATIONS
from hypermnesia.config import Settings
from tests.docs.reference import FOLDER, MARK, PAGES, prose, root_context


@pytest.mark.parametrize("page", PAGES)
def test_a_reference_page_is_up_to_date(page: str) -> None:
    """If not: ``python -m tests.docs.reference``."""
    expected = f"{prose(page)}{MARK}\n\n{PAGES[page]()}"
    assert (FOLDER / page).read_text("utf-8") == expected


@pytest.mark.parametrize("name", VERBS)
def test_a_command_and_its_options_are_documented(name: str) -> None:
    """Each under the command's own heading."""
    text = (FOLDER / "cli.md").read_text("utf-8")
    command = app.get_command(root_context(), name)
    assert command is not None
    _assert_documented(command, re.split(r"\n##+ ", text.split(f"\n### {name}\n")[1])[0])


@pytest.mark.parametrize("name", EVALUATIONS)
def test_an_evaluation_and_its_options_are_documented(name: str) -> None:
    """Each under a heading below that of eval."""
    text = (FOLDER / "cli.md").read_text("utf-8")
    group = app.get_command(root_context(), "eval")
    assert isinstance(group, click.Group)
    command = group.get_command(click.Context(group), name)
    assert command is not None
    _assert_documented(command, re.split(r"\n##+ ", text.split(f"\n#### {name}\n")[1])[0])


def _assert_documented(command: click.Command, section: str) -> None:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            for option in (*parameter.opts, *parameter.secondary_opts):
                assert re.search(rf"[` ]{re.escape(option)}[` ,/]", section), option


def test_every_setting_and_its_variable_is_documented() -> None:
    """With the explanation that the code carries."""
    text = (FOLDER / "settings.md").read_text("utf-8")
    for name, field in Settings.model_fields.items():
        assert f"| `{name}` | `HYPERMNESIA_{name.upper()}` |" in text
        assert field.description
        assert field.description in text


def test_exit_statuses_are_documented() -> None:
    """All five."""
    text = prose("cli.md")
    for status in (0, 1, 2, 130, 141):
        assert f"| {status} |" in text
