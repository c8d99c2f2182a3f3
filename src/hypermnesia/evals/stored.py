"""Tables that a results file holds as they are: figures of a benchmark, or of a publication."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from hypermnesia.errors import InvalidInput
from hypermnesia.evals.tables import Table

_FORMAT = re.compile(r",?\.[0-6][f%]")
_NAME = ".0f"
"""Of a cell in the first column, which is text."""


def stored(document: Any) -> Table:
    """A table of ``{"caption", "columns", "rows", "format"}``.

    A cell is text, a number or null. ``format`` says how numbers are shown, in the notation of
    Python (``.3f``, ``,.0f``, ``.0%``): one for the table, a list with one for each row, or
    ``{"columns": [...]}`` with one for each column behind the first, which holds names.

    Raises:
        InvalidInput: something of it is missing or of another kind.
    """
    if not isinstance(document, dict) or not {"columns", "rows", "format"} <= document.keys():
        raise InvalidInput("a stored table is an object with columns, rows and format")
    columns, rows, formats = document["columns"], document["rows"], document["format"]
    if any(len(row) != len(columns) for row in rows):
        raise InvalidInput("every row of a stored table has a cell a column")
    by_cell = _by_cell(formats, len(rows), len(columns))
    shown = [list(map(_cell, row, forms)) for row, forms in zip(rows, by_cell, strict=True)]
    return Table(str(document.get("caption", "")), columns, shown)


def storable(
    caption: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    form: str | Sequence[str] | dict[str, list[str]] = ".3f",
) -> dict[str, Any]:
    """What :func:`stored` reads: rows of a name and its numbers.

    Args:
        caption: of the table.
        columns: names, the first that of the rows' names.
        rows: a name, then a number (of any numeric type) or null for each further column.
        form: how numbers are shown, see :func:`stored`.
    """
    return {
        "caption": caption,
        "columns": list(columns),
        "rows": [[name, *(None if v is None else float(v) for v in rest)] for name, *rest in rows],
        "format": form if isinstance(form, str | dict) else list(form),
    }


def _by_cell(formats: Any, rows: int, columns: int) -> list[list[str]]:
    match formats:
        case str():
            by_cell = [[formats] * columns] * rows
        case {"columns": [*forms]}:
            by_cell = [[_NAME, *forms]] * rows
        case [*forms]:
            by_cell = [[form] * columns for form in forms]
        case _:
            by_cell = []
    flat = [form for row in by_cell for form in row]
    if (len(by_cell), len(flat)) != (rows, rows * columns) or not all(map(_fits, flat)):
        raise InvalidInput(
            "format is one of .3f, ,.0f, .0% and the like, or a list, one a row, or"
            ' {"columns": a list, one for each column behind the first}'
        )
    return by_cell


def _fits(form: Any) -> bool:
    return isinstance(form, str) and _FORMAT.fullmatch(form) is not None


def _cell(cell: Any, form: str) -> str:
    return cell if isinstance(cell, str) else "" if cell is None else format(cell, form)
