"""The progress bar's look. Imports rich, so it is itself imported only for a terminal."""

from __future__ import annotations

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from hypermnesia.cli.terminal import console


class Rate(ProgressColumn):
    """Items per second."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """The rate since the start, or nothing while it is unknown."""
        elapsed = task.finished_time or task.elapsed
        if not elapsed or not task.completed:
            return Text("")
        return Text(f"{task.completed / elapsed:,.0f} {self._unit}/s")


def display_of(unit: str) -> Progress:
    """Label, bar, count, rate and remaining time, on stderr; gone when it is done."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        Rate(unit),
        TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
        expand=False,
    )
