"""How the demo looks. Imports rich; without a terminal it prints the same, uncoloured."""

from __future__ import annotations

import sys

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hypermnesia.cli.demo import ATTEMPT, Change, Demonstration, Remembered, Search, Undo
from hypermnesia.cli.render import counted, day, explanation_lines, number
from hypermnesia.cli.terminal import NARROW

WIDTH = 100
"""Columns at most: a wider terminal would only tear rows apart."""
COLOURS = {"active": "green", "low_signal": "yellow", "superseded": "magenta"}
"""By status, the same everywhere."""


def present(shown: Demonstration) -> None:
    """Print a demonstration, chapter by chapter."""
    console = _console()
    console.print(_title(shown))
    _chapter(console, "1", "Remembering", "each memory is judged when it is stored")
    console.print(_judgements(shown.added, brief=console.width < NARROW))
    _chapter(console, "2", "Changing one's mind", "a newer memory supersedes what it contradicts")
    _changes(console, shown.changes)
    _chapter(console, "3", "Chatter", "below the salience gate: kept, but not recalled")
    _gated(console, shown.added)
    _chapter(console, "4", "Secrets", "a text with a credential is refused before anything else")
    console.print(_indented(Text(ATTEMPT.format(credential="(a made-up key)"), style="dim")))
    console.print(_indented(Text(shown.refused, style="red")))
    _chapter(console, "5", "Recalling", "every score is explained")
    for search in shown.searches:
        _search(console, search)
    _chapter(console, "6", "Time travel", f"the same question, as of {shown.past.as_of}")
    _search(console, shown.past)
    _chapter(console, "7", "Undo", "nothing superseded is lost")
    _undo(console, shown.undo)
    console.print(_closing())


def _console() -> Console:
    console = Console(markup=False, highlight=False, emoji=False)
    width = min(console.width, WIDTH) if sys.stdout.isatty() else WIDTH
    return Console(markup=False, highlight=False, emoji=False, width=width)


def _title(shown: Demonstration) -> Panel:
    days = sorted(day(remembered.now.valid_from) for remembered in shown.added)
    text = Text("Hypermnesia", style="bold")
    text.append(
        f" remembers a ferry-ticket project: {counted(len(shown.added))} from {days[0]} to"
        f" {days[-1]}.\n",
        style="not bold",
    )
    text.append(
        f"Offline, without a key, in a temporary store: stored in {shown.seconds:.1f} s,"
        " loading the models included.",
        style="dim",
    )
    return Panel(text, box=box.ROUNDED, border_style="cyan")


def _chapter(console: Console, ordinal: str, title: str, what: str) -> None:
    heading = Text.assemble((f"{ordinal}  {title}", "bold cyan"), (f"  {what}", "dim"))
    console.print()
    console.rule(heading, align="left", style="cyan")


def _judgements(added: list[Remembered], *, brief: bool) -> Table:
    """One line a memory; the brief table leaves out what the text itself suggests."""
    table = Table(box=None, padding=(0, 1), header_style="dim", expand=True)
    for name in ("date", "salience", "status", *(() if brief else ("type", "durable"))):
        table.add_column(name, no_wrap=True)
    table.add_column("memory", no_wrap=True, overflow="ellipsis", ratio=1)
    for remembered in added:
        node, outcome = remembered.now, remembered.outcome
        table.add_row(
            day(node.valid_from),
            _bar(outcome.salience),
            Text(node.status, style=COLOURS[node.status]),
            *(() if brief else (outcome.memory_type, number(outcome.durable))),
            Text(node.content, style="" if node.status == "active" else "dim"),
        )
    return table


def _bar(salience: float | None) -> Text:
    """Salience 0 to 4 as four marks and a number."""
    if salience is None:
        return Text("-")
    marks = round(salience)
    return Text.assemble(("#" * marks, "cyan"), ("." * (4 - marks), "dim"), f" {salience:.1f}")


def _changes(console: Console, changes: list[Change]) -> None:
    if not changes:
        console.print(_indented(Text("nothing was superseded", style="dim")))
    for change in changes:
        old, new = change.old, change.new
        console.print(
            _indented(
                Text.assemble(
                    (f"{day(old.valid_from)}  was  ", "dim"),
                    (old.content, "strike magenta"),
                    (f"\n{day(new.valid_from)}  now  ", "dim"),
                    (new.content, "green"),
                )
            )
        )


def _gated(console: Console, added: list[Remembered]) -> None:
    gated = [r for r in added if r.outcome.status == "low_signal"]
    if not gated:
        console.print(_indented(Text("nothing was gated", style="dim")))
    for remembered in gated:
        reason = remembered.outcome.reason.partition(":")[0]
        text = Text.assemble((remembered.now.content, "yellow"), (f"  {reason}", "dim"))
        console.print(_indented(text))


def _search(console: Console, search: Search) -> None:
    console.print(_indented(Text.assemble(("? ", "bold cyan"), (search.question, "bold"))))
    if not search.hits:
        console.print(_indented(Text("nothing found", style="dim"), 4))
    grid = Table.grid(padding=(0, 1))
    for rank, hit in enumerate(search.hits, start=1):
        text = Text(hit.content, style="green" if rank == 1 else "")
        if rank == 1:
            text.append("".join(f"\n{line}" for line in explanation_lines(hit.explain)), "dim")
        score = Text(f"{hit.score:.2f}", style="bold" if rank == 1 else "dim")
        grid.add_row(f"{rank}.", score, Text(day(hit.node.valid_from), style="dim"), text)
    console.print(Padding(grid, (0, 0, 0, 4), expand=False))


def _undo(console: Console, undo: Undo | None) -> None:
    if undo is None:
        console.print(_indented(Text("there is nothing to undo", style="dim")))
        return
    said = "had it been a mistake, `hypermnesia restore ID` would have undone it:"
    console.print(_indented(Text(said, style="dim")))
    console.print(_indented(Text(undo.before.content)))
    for when, node in (("before", undo.before), ("restored", undo.after)):
        until = "" if node.valid_until is None else f" until {day(node.valid_until)}"
        console.print(
            _indented(
                Text.assemble(
                    (f"{when:<10}", "dim"), (node.status, COLOURS[node.status]), (until, "dim")
                )
            )
        )


def _closing() -> Padding:
    text = Text("The temporary store is gone. Your own begins with:\n", style="bold")
    for command, what in (
        ('hypermnesia add "We deploy on Tuesdays, never on a Friday"', "remember"),
        ('hypermnesia search "when do we deploy?" --explain', "recall"),
        ("hypermnesia mcp", "give it to your agent"),
    ):
        text.append(f"\n  {command:<62}", style="cyan not bold")
        text.append(what, style="dim not bold")
    return Padding(Panel(text, box=box.ROUNDED, border_style="cyan"), (1, 0, 0, 0))


def _indented(text: Text, by: int = 2) -> Padding:
    return Padding(text, (0, 0, 0, by), expand=False)
