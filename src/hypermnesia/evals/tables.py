"""Tables of a finished run, and how they are written in Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypermnesia.errors import InvalidInput
from hypermnesia.evals import results

DIGITS = 3
"""Decimals of a metric, as in the published tables."""
WHOLE = 1000
"""From here on a value is shown without decimals."""
PREFERRED = ("recall@10", "ndcg@10")
"""The metric that a table of one metric shows, if the run has it."""


@dataclass(frozen=True, slots=True)
class Results:
    """A finished run, read from its folder.

    Attributes:
        name: the folder's.
        folder: where it was read from.
        manifest: what was run, see :class:`hypermnesia.evals.results.Manifest`.
        summary: see :func:`hypermnesia.evals.summary.summarise`.
        speed: see :func:`hypermnesia.evals.summary.summarise_timings`.
    """

    name: str
    folder: Path
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any]
    speed: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def load(cls, folder: Path) -> Results:
        """Read a run that was finished.

        Raises:
            NotFound: there is no such run, or it was interrupted.
            InvalidInput: a file is damaged.
        """
        manifest = results.read_json(folder / results.MANIFEST)
        summary = results.read_json(folder / results.SUMMARY)
        speed = folder / results.SPEED
        return cls(
            folder.name,
            folder,
            manifest,
            summary,
            results.read_json(speed) if speed.exists() else {},
        )

    @property
    def systems(self) -> Mapping[str, Any]:
        """What the summary says of every system."""
        return self.summary["systems"]

    @property
    def metrics(self) -> list[str]:
        """Every metric, in the order in which the run gave them."""
        return list(dict.fromkeys(name for own in self.systems.values() for name in own["all"]))

    @property
    def limits(self) -> list[str]:
        """What has to be known to read the figures, as the run states it in its settings."""
        return self.manifest["settings"].get("limits", [])

    @property
    def main_metric(self) -> str | None:
        """The one that tables and plots of a single metric show."""
        metrics = self.metrics
        return next((name for name in PREFERRED if name in metrics), next(iter(metrics), None))


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under a caption; the first column names the row."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def overall(found: Results, metrics: Sequence[str] = (), digits: int = DIGITS) -> Table:
    """Every system by metric: mean, and deviation over the seeds if there were several."""
    names = list(metrics) or found.metrics
    rows = [
        [system, *(_mean(own["all"].get(name), digits) for name in names)]
        for system, own in found.systems.items()
    ]
    return Table("All questions", ["system", *names], rows)


def by_class(found: Results, metric: str | None = None, digits: int = DIGITS) -> Table:
    """Every system by class of question, in one metric."""
    name = metric or found.main_metric or ""
    classes = sorted({kind for own in found.systems.values() for kind in own["classes"]})
    rows = [
        [system, *(_mean(own["classes"].get(kind, {}).get(name), digits) for kind in classes)]
        for system, own in found.systems.items()
    ]
    return Table(f"{name} by class of question", ["system", *classes], rows)


def differences(found: Results, metric: str | None = None, digits: int = DIGITS) -> Table:
    """How every system differs from the baseline, with its interval."""
    name = metric or found.main_metric or ""
    listed = found.summary.get("differences", {})
    rows = [
        [system, _signed(own[name]["mean"], digits), _interval(own[name], digits),
         str(own[name]["n"])]
        for system, own in listed.items() if name in own
    ]  # fmt: skip
    caption = f"{name} against {found.summary.get('baseline')}"
    return Table(caption, ["system", "difference", "95% interval", "questions"], rows)


def speed(found: Results) -> Table:
    """What each system took: median, 95th percentile, mean."""
    rows = [
        [system, timing, *(number(value[part], 1) for part in ("p50", "p95", "mean"))]
        for system, own in found.speed.items()
        for timing, value in own.items()
    ]
    return Table("Time taken", ["system", "timing", "p50", "p95", "mean"], rows)


def tables(found: Results) -> list[Table]:
    """Every table that has something to show."""
    built = [overall(found), by_class(found), differences(found), speed(found)]
    return [table for table in built if table.rows and len(table.columns) > 1]


def chosen(found: Results, kind: str, options: Mapping[str, str]) -> Table:
    """A table by its name, as a document asks for it.

    Args:
        found: the run.
        kind: ``overall``, ``classes``, ``differences`` or ``speed``.
        options: ``metrics`` (overall; comma between), ``metric`` (classes, differences),
            ``systems`` (all; comma between), ``digits``.

    Raises:
        InvalidInput: the table, an option, a metric or a system is unknown.
    """
    allowed = {"overall": {"metrics", "digits"}, "classes": {"metric", "digits"},
               "differences": {"metric", "digits"}, "speed": set[str]()}  # fmt: skip
    if kind not in allowed:
        raise InvalidInput(f"unknown table {kind!r}; one of {', '.join(allowed)}")
    if unknown := set(options) - allowed[kind] - {"systems"}:
        raise InvalidInput(f"the table {kind} has no option {', '.join(sorted(unknown))}")
    metrics = [name for name in options.get("metrics", "").split(",") if name]
    metric = options.get("metric")
    _refuse_unknown([*metrics, *([metric] if metric else [])], found.metrics, "metric")
    digits = _digits(options.get("digits", str(DIGITS)))
    built = {
        "overall": lambda: overall(found, metrics, digits),
        "classes": lambda: by_class(found, metric, digits),
        "differences": lambda: differences(found, metric, digits),
        "speed": lambda: speed(found),
    }[kind]()
    systems = [name for name in options.get("systems", "").split(",") if name]
    _refuse_unknown(systems, found.systems, "system")
    rows = [row for name in systems for row in built.rows if row[0] == name]
    return Table(built.caption, built.columns, rows if systems else built.rows)


def markdown(table: Table) -> str:
    """A Markdown table, without its caption."""
    aligned = ["---", *("---:" for _ in table.columns[1:])]
    lines = [table.columns, aligned, *table.rows]
    return "".join(f"| {' | '.join(map(_markdown_cell, line))} |\n" for line in lines)


def latex(table: Table, label: str) -> str:
    """A LaTeX table for the package booktabs."""
    body = [" & ".join(map(_latex_text, row)) + r" \\" for row in table.rows]
    return "\n".join([
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_latex_text(table.caption)}}}",
        rf"\label{{tab:{re.sub(r'[^a-z0-9-]+', '-', label.lower())}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
        r"\toprule",
        " & ".join(map(_latex_text, table.columns)) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ])  # fmt: skip


def number(value: float, digits: int = DIGITS) -> str:
    """A value as tables show it: large ones with fewer decimals."""
    if abs(value) >= WHOLE:
        return f"{value:,.0f}"
    return f"{value:.{digits if abs(value) < 10 else min(digits, 1)}f}"  # noqa: PLR2004 - digits


def _mean(value: Mapping[str, float] | None, digits: int) -> str:
    if value is None:
        return ""
    mean = number(value["mean"], digits)
    return f"{mean} ± {number(value['sd'], digits)}" if "sd" in value else mean


def _signed(value: float, digits: int) -> str:
    return f"{'+' if value >= 0 else ''}{number(value, digits)}"


def _interval(value: Mapping[str, float], digits: int) -> str:
    return f"{_signed(value['low'], digits)} to {_signed(value['high'], digits)}"


def _markdown_cell(text: str) -> str:
    """Text that cannot leave its cell or become markup."""
    return re.sub(r"([\\|`*_<>\[\]])", r"\\\1", " ".join(text.split())) if text != "---:" else text


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
          "±": r"$\pm$", **{sign: f"\\{sign}" for sign in "&%$#_{}"}}  # fmt: skip


def _latex_text(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in " ".join(text.split()))


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
