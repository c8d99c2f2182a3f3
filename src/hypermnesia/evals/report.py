"""Reports of finished runs: Markdown, LaTeX, plots, and one self-contained page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from hypermnesia.errors import InvalidInput
from hypermnesia.evals import html
from hypermnesia.evals.plots import plots
from hypermnesia.evals.results import write_text
from hypermnesia.evals.tables import Results, Table, latex, markdown, tables

Part = tuple[Results, Sequence[Table], Mapping[str, str]]


def write_report(
    runs: Sequence[Results],
    output: Path,
    *,
    drawn: bool = True,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Write ``report.md``, ``report.tex``, ``report.html`` and the plots.

    Args:
        runs: what is reported, in this order.
        output: folder of the report; made if it is not there.
        drawn: with plots, which need matplotlib.
        on_progress: told how many of all runs are laid out.

    Returns:
        The files written.

    Raises:
        InvalidInput: the folder cannot be written, records are damaged, or plots are wanted and
            matplotlib is not installed.
    """
    parts: list[Part] = []
    for done, found in enumerate(runs, start=1):
        parts.append((found, tables(found), plots(found) if drawn else {}))
        if on_progress is not None:
            on_progress(done, len(runs))
    files = dict(_files(parts))
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            write_text(output / name, text)
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written ({error.strerror})") from error
    return [output / name for name in files]


def _files(parts: Sequence[Part]) -> Iterator[tuple[str, str]]:
    yield "report.md", "\n".join(_markdown(*part) for part in parts)
    yield "report.tex", "\n".join(_latex(*part) for part in parts)
    yield "report.html", html.page(parts)
    for found, _, drawn in parts:
        for name, svg in drawn.items():
            yield _plot_file(found, name), svg


def _markdown(found: Results, listed: Sequence[Table], drawn: Mapping[str, str]) -> str:
    lines = [f"# {found.name}", "", f"`{found.manifest['command']}`", ""]
    for table in listed:
        lines += [f"## {table.caption}", "", markdown(table)]
    lines += [f"![{name}]({_plot_file(found, name)})\n" for name in drawn]
    lines += [f"- {limit}" for limit in found.limits]
    return "\n".join(lines)


def _latex(found: Results, listed: Sequence[Table], drawn: Mapping[str, str]) -> str:
    del drawn
    return "\n".join(latex(table, f"{found.name}-{table.caption}") for table in listed)


def _plot_file(found: Results, name: str) -> str:
    return f"{found.name}-{name}.svg"
