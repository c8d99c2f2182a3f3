"""A progress bar on stderr, for a terminal; silence for a pipe."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@dataclass(frozen=True, slots=True)
class Bar:
    """Where work reports how far it is; without a terminal it is told to nobody."""

    shown: tuple[Progress, TaskID] | None = None

    def advance(self, done: int) -> None:
        """So many items more are done."""
        if self.shown is not None:
            display, task = self.shown
            display.update(task, advance=done)

    def tell(self, label: str) -> None:
        """What is being done now."""
        if self.shown is not None:
            display, task = self.shown
            display.update(task, description=label)

    def reach(self, done: int, total: int) -> None:
        """So many of all items are done."""
        if self.shown is not None:
            display, task = self.shown
            display.update(task, completed=done, total=total)


def is_shown() -> bool:
    """Whether anybody would see a bar."""
    return sys.stderr.isatty()


@contextmanager
def progress(label: str, total: int | None = None, unit: str = "memories") -> Generator[Bar]:
    """Show a bar with rate and remaining time while the block runs."""
    if not is_shown():
        yield Bar()
        return
    from hypermnesia.cli.bar import display_of  # noqa: PLC0415 - terminals alone need rich

    with display_of(unit) as display:
        yield Bar((display, display.add_task(label, total=total)))
