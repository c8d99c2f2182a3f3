"""Figures that need no reference, each with the reason why: the allow-list of a project."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.claims import Figure

FIELDS = {"pages", "pattern", "reason", "command"}


@dataclass(frozen=True, slots=True)
class Allowance:
    """Figures that are no claims about this software, or not yet derivable.

    Attributes:
        pages: patterns of paths from the project's root, ``*`` for any characters.
        reason: why no reference is needed.
        pattern: what the text around and with the figure looks like; ``None`` allows all figures
            of the pages.
        command: what makes the figures again, if they were measured.
    """

    pages: Sequence[str]
    reason: str
    pattern: re.Pattern[str] | None = None
    command: str | None = None

    def covers(self, page: str, text: str, figure: Figure) -> bool:
        """Whether the figure may stand on the page as it does."""
        if not any(fnmatch(page, pattern) for pattern in self.pages):
            return False
        return self.pattern is None or any(
            match.start() <= figure.start and figure.end <= match.end()
            for match in self.pattern.finditer(text)
        )

    def __str__(self) -> str:
        """As a message names it."""
        shown = f" {self.pattern.pattern!r}" if self.pattern else ""
        return f"{', '.join(self.pages)}{shown}"


def read_allowances(path: Path) -> list[Allowance]:
    """The allow-list; one that is not there allows nothing.

    Raises:
        InvalidInput: it cannot be read, or an entry lacks its pages or its reason.
    """
    if not path.exists():
        return []
    try:
        entries = tomllib.loads(path.read_text("utf-8")).get("allow", [])
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error
    return [_allowance(entry, f"{path}, entry {number}") for number, entry in enumerate(entries, 1)]


def _allowance(entry: dict[str, Any], where: str) -> Allowance:
    if unknown := set(entry) - FIELDS:
        raise InvalidInput(f"{where}: unknown {', '.join(sorted(unknown))}")
    pages, reason = entry.get("pages"), entry.get("reason")
    if not pages or not isinstance(pages, list) or not isinstance(reason, str) or not reason:
        raise InvalidInput(f"{where}: pages (a list) and reason (a text) are needed")
    try:
        pattern = re.compile(entry["pattern"], re.MULTILINE) if "pattern" in entry else None
    except re.error as error:
        raise InvalidInput(f"{where}: the pattern is no regular expression ({error})") from error
    return Allowance(tuple(map(str, pages)), reason, pattern, entry.get("command"))
