"""The generated halves of the reference pages.

``python -m tests.docs.reference`` writes them; the tests beside this file compare them.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click

from hypermnesia.cli.app import SECTIONS, app
from hypermnesia.config import Settings

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
MARK = "<!-- Everything below is generated: python -m tests.docs.reference -->"
"""Above it is prose; below it the code speaks."""


def root_context() -> click.Context:
    """What verbs inherit from the root command."""
    return click.Context(app, info_name="hypermnesia", **app.context_settings)


def commands() -> str:
    """Every verb with its usage, explanation and options."""
    root = root_context()
    parts = ["## Options of every command\n", *_options(app.get_params(root), root)]
    for title, verbs in SECTIONS.items():
        parts.append(f"\n## {title}")
        for name in verbs:
            command = app.get_command(root, name)
            if command is None:
                raise LookupError(name)
            parts += _command(command, click.Context(command, parent=root, info_name=name))
    return "\n".join(parts) + "\n"


def _command(command: click.Command, context: click.Context, mark: str = "###") -> Iterator[str]:
    yield f"\n{mark} {context.info_name}\n"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{context.command_path} {usage}\n```\n"
    yield inspect.cleandoc(command.help or "") + "\n"
    own = [p for p in command.params if isinstance(p, click.Option) and p.expose_value]
    if own:
        yield from _options(own, context)
        yield ""
    hidden = [p.opts[0] for p in command.params if not p.expose_value]
    yield f"And {', '.join(f'`{option}`' for option in [*hidden, '--help'])}."
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is None:
                raise LookupError(name)
            yield from _command(inner, click.Context(inner, parent=context, info_name=name), "####")


def _options(options: Sequence[click.Parameter], context: click.Context) -> Iterator[str]:
    yield "| option | meaning |"
    yield "|---|---|"
    for option in options:
        record = option.get_help_record(context)
        if record is not None:
            names, meaning = (text.replace("|", "\\|") for text in record)
            yield f"| `{names}` | {meaning} |"


def settings() -> str:
    """Every setting: its variable, type, default, bounds and meaning."""
    rows = ["| setting | variable | type | default | meaning |", "|---|---|---|---|---|"]
    for name, field in Settings.model_fields.items():
        bounds = ", ".join(
            f"{sign} {getattr(limit, attribute)}"
            for limit in field.metadata
            for sign, attribute in (("at least", "ge"), ("at most", "le"), ("above", "gt"))
            if hasattr(limit, attribute)
        )
        meaning = f"{field.description} {bounds.capitalize()}." if bounds else field.description
        default = "" if field.default is None else f"`{json.dumps(field.default)}`"
        names = f"`{name}` | `HYPERMNESIA_{name.upper()}`"
        rows.append(f"| {names} | {_kind(field.annotation)} | {default} | {meaning} |")
    return "\n".join(rows) + "\n"


def _kind(annotation: Any) -> str:
    """A type as a user writes its values: ``text``, or the words that may stand there."""
    words = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    if annotation in words:
        return words[annotation]
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(annotation))
    if get_origin(annotation) is tuple:
        return f"JSON list of {_kind(get_args(annotation)[0])}"
    if get_origin(annotation) is dict:
        return f"JSON object of a {_kind(get_args(annotation)[1])} by name"
    return ", ".join(_kind(inner) for inner in get_args(annotation) if inner is not type(None))


PAGES: dict[str, Callable[[], str]] = {"cli.md": commands, "settings.md": settings}


def prose(page: str) -> str:
    """What stands above the mark of a page."""
    return (FOLDER / page).read_text("utf-8").partition(MARK)[0]


def main() -> None:
    """Write the generated half of every page."""
    for page, generate in PAGES.items():
        text = f"{prose(page)}{MARK}\n\n{generate()}"
        (FOLDER / page).write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
