"""What reaches the user: results on stdout, everything else on stderr.

On a terminal results are laid out by rich, which is imported only then; piped, they are
plain text: tab-separated rows, aligned fields. Text from memories is never trusted: control
characters, escape sequences among them, are replaced before they can reach a terminal.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

NARROW = 90
"""Columns below which a table is laid out as blocks: an id alone has 36 of them."""

# Controls (C0, DEL, C1) except tab and newline, and what reorders text (bidirectional overrides).
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def prepare_streams() -> None:
    """Make output survive a console that cannot encode it (cp1252, ASCII): ``?`` instead."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@contextmanager
def log_on_stderr() -> Generator[None]:
    """Let the package's own warnings reach stderr, one line each, while the block runs."""
    import logging  # noqa: PLC0415 - only commands that open a store log

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("warning: %(message)s"))
    handler.setLevel(logging.WARNING)
    # A retry that helped is no news, and one that did not ends in a warning of our own.
    logging.getLogger("stamina").setLevel(logging.ERROR)
    logger = logging.getLogger("hypermnesia")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def say(message: str) -> None:
    """A confirmation or note for a person, on stderr."""
    click.echo(printable(message), err=True)


def show(text: str) -> None:
    """A result as it is, on stdout, with control characters replaced."""
    click.echo(printable(text))


def show_json(value: Any) -> None:
    """One JSON document on stdout; escaped to ASCII where the stream is not Unicode."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    click.echo(json.dumps(value, ensure_ascii=not unicode, indent=2))


def printable(text: str) -> str:
    """Text that cannot move the cursor, recolour, retitle or reorder a terminal."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str) -> str:
    """Printable text without line breaks or tabs."""
    return " ".join(printable(text).split())


def interactive() -> bool:
    """Whether results go to a terminal."""
    return sys.stdout.isatty()


def can_ask() -> bool:
    """Whether a person can answer a question."""
    return sys.stdin.isatty()


def console(*, stderr: bool = False) -> Console:
    """A rich console that prints text as it is: no markup, no highlighting."""
    from rich.console import Console  # noqa: PLC0415 - terminals alone need rich

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def render(what: RenderableType) -> None:
    """Lay something out on the terminal."""
    console().print(what)


def show_rows(
    columns: Sequence[str], rows: Iterable[Sequence[str]], notes: Sequence[Sequence[str]] = ()
) -> None:
    """Rows of a table whose last column is text.

    Args:
        columns: headings; shown on a terminal alone.
        rows: cells, one per column.
        notes: lines shown below the text of each row.
    """
    listed = [[one_line(cell) for cell in row] for row in rows]
    below = [[one_line(note) for note in lines] for lines in notes] or [[] for _ in listed]
    if not interactive():
        for row, lines in zip(listed, below, strict=True):
            click.echo("\t".join(row))
            for line in lines:
                click.echo(f"\t{line}")
    elif console().width < NARROW:
        _show_blocks(listed, below)
    else:
        _show_table(columns, listed, below)


def _show_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[Sequence[str]]
) -> None:
    from rich import box  # noqa: PLC0415 - terminals alone need rich
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in columns[:-1]:
        table.add_column(name, no_wrap=True, justify="left")
    table.add_column(columns[-1], overflow="fold")
    for row, lines in zip(rows, notes, strict=True):
        text = Text(row[-1])
        for line in lines:
            text.append(f"\n{line}", style="dim")
        table.add_row(*map(Text, row[:-1]), text)
    render(table)


def _show_blocks(rows: Sequence[Sequence[str]], notes: Sequence[Sequence[str]]) -> None:
    from rich.text import Text  # noqa: PLC0415 - terminals alone need rich

    for row, lines in zip(rows, notes, strict=True):
        render(Text("  ".join(row[:-1]), style="bold"))
        render(Text(row[-1]))
        for line in lines:
            render(Text(line, style="dim"))


def show_fields(fields: Iterable[tuple[str, str]]) -> None:
    """Named values, aligned; a value may have several lines."""
    listed = [(name, printable(value)) for name, value in fields]
    width = max((len(name) for name, _ in listed), default=0)
    if not interactive():
        for name, value in listed:
            click.echo(f"{name:<{width}}  {value}")
        return
    from rich.table import Table  # noqa: PLC0415 - terminals alone need rich
    from rich.text import Text  # noqa: PLC0415

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="bold")
    grid.add_column(overflow="fold")
    for name, value in listed:
        grid.add_row(Text(name), Text(value))
    render(grid)


def heading(text: str) -> None:
    """A line above a list."""
    if not interactive():
        click.echo(text)
        return
    from rich.text import Text  # noqa: PLC0415 - terminals alone need rich

    render(Text(f"\n{text}", style="bold"))
