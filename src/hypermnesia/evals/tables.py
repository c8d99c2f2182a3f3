"""Tables of a finished run, and how they are written in Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
        findings: of a simulation, see :func:`hypermnesia.evals.simulate.findings.document`.
        writing: of a simulation, by seed; see
            :meth:`hypermnesia.evals.simulate.writing.Written.report`.
    """

    name: str
    folder: Path
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any]
    speed: Mapping[str, Any] = field(default_factory=dict[str, Any])
    findings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    writing: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def load(cls, folder: Path) -> Results:
        """Read a run that was finished.

        Raises:
            NotFound: there is no such run, or it was interrupted.
            InvalidInput: a file is damaged.
        """
        manifest = results.read_json(folder / results.MANIFEST)
        summary = results.read_json(folder / results.SUMMARY)
        further = [
            results.read_json(folder / name) if (folder / name).exists() else {}
            for name in (results.SPEED, results.FINDINGS, results.WRITING)
        ]
        return cls(folder.name, folder, manifest, summary, *further)

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


def compared(
    found: Results, against: str, metric: str | None = None, digits: int = DIGITS
) -> Table:
    """How every other system of a simulation differs from one, with its interval."""
    name = metric or found.main_metric or ""
    rows: list[Sequence[str]] = []
    for pair, values in found.findings.get("comparisons", {}).items():
        system, _, other = pair.partition(" - ")
        if against in {system, other} and name in values:
            one = values[name] if other == against else _turned(values[name])
            row = [_signed(one["mean"], digits), _interval(one, digits)]
            rows.append([other if system == against else system, *row])
    return Table(f"{name} against {against}", ["system", "difference", "95% interval"], rows)


def published(found: Results, digits: int = DIGITS) -> Table:
    """What a simulation says of the findings that others published."""
    rows = [
        [one["text"], one["metric"], _signed(one["published"], digits),
         _signed(one["difference"]["mean"], digits), _interval(one["difference"], digits),
         one["verdict"]]
        for one in found.findings.get("findings", [])
    ]  # fmt: skip
    columns = ["finding", "metric", "published", "here", "95% interval", "verdict"]
    return Table("Published findings", columns, rows)


def written(found: Results, digits: int = DIGITS) -> Table:
    """How well the memories of a simulation were stored, by seed: counts, and shares."""
    names = dict.fromkeys(name for own in found.writing.values() for name in own)
    rows = [
        [name, *(_share(own.get(name), digits) for own in found.writing.values())]
        for name in names
    ]  # fmt: skip
    return Table("Writing, by seed", ["", *(f"seed {seed}" for seed in found.writing)], rows)


def tables(found: Results) -> list[Table]:
    """Every table that has something to show."""
    built = [overall(found), by_class(found), differences(found), published(found), written(found),
             speed(found)]  # fmt: skip
    return [table for table in built if table.rows and len(table.columns) > 1]


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


def _turned(value: Mapping[str, float]) -> Mapping[str, float]:
    """The difference the other way round."""
    return {"mean": -value["mean"], "low": -value["high"], "high": -value["low"]}


def _share(value: float | None, digits: int) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else number(value, digits)


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
