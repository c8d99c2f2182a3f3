"""A table of a finished run by its name, as a document asks for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from hypermnesia.errors import InvalidInput
from hypermnesia.evals import tables
from hypermnesia.evals.tables import DIGITS, Results, Table

OPTIONS: Mapping[str, set[str]] = {
    "overall": {"metrics", "digits"},
    "classes": {"metric", "digits"},
    "differences": {"metric", "digits"},
    "compared": {"against", "metric", "digits"},
    "findings": {"digits"},
    "writing": {"digits"},
    "speed": set(),
}
"""Of each table. Where a row is a system, ``systems`` chooses rows and their order."""
BY_SYSTEM = {"overall", "classes", "differences", "compared", "speed"}


def chosen(found: Results, kind: str, options: Mapping[str, str]) -> Table:
    """A table by its name.

    Args:
        found: the run.
        kind: one of :data:`OPTIONS`.
        options: ``metrics`` (overall; comma between), ``metric`` (classes, differences, compared),
            ``against`` (compared; a system), ``systems`` (comma between), ``digits``.

    Raises:
        InvalidInput: the table, an option, a metric or a system is unknown, or the run has nothing
            to show in it.
    """
    _refuse_others(found, kind, options)
    metric, metrics = options.get("metric"), _names(options.get("metrics"))
    digits = _digits(options.get("digits", str(DIGITS)))
    making: Mapping[str, Callable[[], Table]] = {
        "overall": lambda: tables.overall(found, metrics, digits),
        "classes": lambda: tables.by_class(found, metric, digits),
        "differences": lambda: tables.differences(found, metric, digits),
        "compared": lambda: tables.compared(found, options.get("against", ""), metric, digits),
        "findings": lambda: tables.published(found, digits),
        "writing": lambda: tables.written(found, digits),
        "speed": lambda: tables.speed(found),
    }
    built = making[kind]()
    systems = _names(options.get("systems"))
    rows = [row for name in systems for row in built.rows if row[0] == name]
    if not (built.rows and (rows or not systems)):
        raise InvalidInput(f"{found.name} has nothing to show in the table {kind}")
    return Table(built.caption, built.columns, rows if systems else built.rows)


def _refuse_others(found: Results, kind: str, options: Mapping[str, str]) -> None:
    if kind not in OPTIONS:
        raise InvalidInput(f"unknown table {kind!r}; one of {', '.join(OPTIONS)}")
    allowed = OPTIONS[kind] | ({"systems"} if kind in BY_SYSTEM else set())
    if unknown := set(options) - allowed:
        raise InvalidInput(f"the table {kind} has no option {', '.join(sorted(unknown))}")
    metrics = [*_names(options.get("metrics")), *_names(options.get("metric"))]
    systems = [*_names(options.get("systems")), *_names(options.get("against"))]
    _refuse_unknown(metrics, found.metrics, "metric")
    _refuse_unknown(systems, found.systems, "system")


def _names(listed: str | None) -> list[str]:
    return [name for name in (listed or "").split(",") if name]


def _digits(text: str) -> int:
    if not re.fullmatch("[0-6]", text):
        raise InvalidInput(f"digits must be a whole number from 0 to 6, not {text!r}")
    return int(text)


def _refuse_unknown(names: Iterable[str], known: Iterable[str], what: str) -> None:
    listed = list(known)
    if unknown := [name for name in names if name not in listed]:
        raise InvalidInput(
            f"the results have no {what} {', '.join(unknown)}; one of {', '.join(listed)}"
        )
