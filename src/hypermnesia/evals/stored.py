"""Tables that a results file holds as they are: figures of a benchmark, or of a publication."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.tables import Table

_FORMAT = re.compile(r",?\.[0-6][f%]")


def stored(document: Any) -> Table:
    """A table of ``{"caption", "columns", "rows", "format"}``.

    A cell is text, a number or null. ``format`` says how numbers are shown, in the notation of
    Python (``.3f``, ``,.0f``, ``.0%``): one for the table, or a list with one for each row.

    Raises:
        InvalidInput: something of it is missing or of another kind.
    """
    if not isinstance(document, dict) or not {"columns", "rows", "format"} <= document.keys():
        raise InvalidInput("a stored table is an object with columns, rows and format")
    columns, rows, formats = document["columns"], document["rows"], document["format"]
    if isinstance(formats, str):
        formats = [formats] * len(rows)
    if len(formats) != len(rows) or not all(map(_FORMAT.fullmatch, formats)):
        raise InvalidInput("format is one of .3f, ,.0f, .0% and the like, or a list, one a row")
    if any(len(row) != len(columns) for row in rows):
        raise InvalidInput("every row of a stored table has a cell a column")
    shown = [_row(row, form) for row, form in zip(rows, formats, strict=True)]
    return Table(str(document.get("caption", "")), columns, shown)


def _row(row: Sequence[Any], form: str) -> list[str]:
    return [cell if isinstance(cell, str) else "" if cell is None else format(cell, form)
            for cell in row]  # fmt: skip
