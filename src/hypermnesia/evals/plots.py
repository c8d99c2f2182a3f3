"""Plots of a finished run as SVG: recall curves, classes, latency, ablation.

Text and axes take the colour of the page they stand on (``currentColor``), so that one file
suits light and dark. The same results give the same bytes. Needs matplotlib, which comes with
``hypermnesia[eval]``.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from statistics import fmean
from typing import TYPE_CHECKING, Any

from hypermnesia.errors import InvalidInput
from hypermnesia.evals import metrics, results
from hypermnesia.evals.tables import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#010203"
"""A colour that nothing else has; it becomes ``currentColor``."""
DEEPEST = 50
"""Last rank of a recall curve."""


def plots(found: Results) -> dict[str, str]:
    """Every plot that the run has data for: name to SVG.

    Raises:
        InvalidInput: matplotlib is not installed.
    """
    drawn: dict[str, str] = {}
    with style():
        for name, draw in (
            ("recall-curves", _depths),
            ("classes", _classes),
            ("latency", _latency),
            ("ablation", _ablation),
        ):
            figure = blank()
            axes = figure.add_subplot()
            if draw(axes, found):
                drawn[name] = svg_of(figure, f"{found.name}-{name}")
    return drawn


def style() -> AbstractContextManager[None]:
    """What every plot looks like, while the context lasts.

    Raises:
        InvalidInput: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an optional extra
        from cycler import cycler  # noqa: PLC0415 - comes with it
    except ImportError as error:
        raise InvalidInput(
            "plots need matplotlib: pip install 'hypermnesia[eval]', or pass --no-plots"
        ) from error
    ink = ("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor", "xtick.color",
           "ytick.color")  # fmt: skip
    twenty = mpl.colormaps["tab20"].resampled(20)(range(20))
    return mpl.rc_context({
        **dict.fromkeys(ink, INK),
        "axes.prop_cycle": cycler(color=[*twenty[::2], *twenty[1::2]]),  # dark ones first
        "axes.spines.right": False,
        "axes.spines.top": False,
        "font.family": "sans-serif",
        "legend.frameon": False,
        "legend.fontsize": "small",
        "svg.fonttype": "none",  # text stays text: small, searchable, in the page's own type
    })  # fmt: skip


def blank() -> Figure:
    """A figure of the size that pages show."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an optional extra

    return Figure(figsize=(7, 4), layout="constrained")


def svg_of(figure: Figure, name: str) -> str:
    """The SVG of a figure; ``name`` keeps its ids apart from those of other plots of a page."""
    import matplotlib as mpl  # noqa: PLC0415 - an optional extra

    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):  # ids differ between plots of one page
        figure.savefig(
            buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
    svg = re.sub(r"^.*?(?=<svg)", "", buffer.getvalue(), count=1, flags=re.DOTALL)
    return svg.replace(INK, "currentColor")


def _depths(axes: Axes, found: Results) -> bool:
    """Recall against depth, from the rankings; of a published run, from its means."""
    curves = recall_curves(found)
    for system, curve in curves.items():
        axes.plot(list(curve), list(curve.values()), marker="." if len(curve) < 20 else "",  # noqa: PLR2004
                  label=system)  # fmt: skip
    axes.set(xlabel="k", ylabel="recall@k", ylim=(0, 1.02), title="Recall by depth")
    _legend(axes, curves)
    return bool(curves)


def recall_curves(found: Results) -> dict[str, dict[int, float]]:
    """Recall by depth of every system: at every rank, or of a published run where it was kept.

    A question to which a system returned nothing counts as not found; a system that never ranked
    anything has no curve.
    """
    listed: dict[str, list[results.Record]] = defaultdict(list)
    for record in results.read_records(found.folder):
        if record.gold:
            listed[record.system].append(record)
    longest = {system: max(len(record.ranked) for record in own) for system, own in listed.items()}
    if deepest := min(DEEPEST, max(longest.values(), default=0)):
        return {system: _curve(own, deepest) for system, own in listed.items() if longest[system]}
    named = {
        system: {
            int(name.partition("@")[2]): value["mean"]
            for name, value in own["all"].items()
            if name.startswith("recall@")
        }
        for system, own in found.systems.items()
    }
    return {system: dict(sorted(curve.items())) for system, curve in named.items() if curve}


def _curve(records: Sequence[results.Record], deepest: int) -> dict[int, float]:
    return {
        k: fmean(metrics.recall(record.ranked, record.gold, k) for record in records)
        for k in range(1, deepest + 1)
    }


def _classes(axes: Axes, found: Results) -> bool:
    """Bars of the main metric, a group a class."""
    metric = found.main_metric
    kinds = sorted({kind for own in found.systems.values() for kind in own["classes"]})
    width = 0.8 / max(len(found.systems), 1)
    for place, (system, own) in enumerate(found.systems.items()):
        heights = [own["classes"].get(kind, {}).get(metric, {}).get("mean", 0) for kind in kinds]
        lefts = [group - 0.4 + (place + 0.5) * width for group in range(len(kinds))]
        axes.bar(lefts, heights, width, label=system)
    axes.set_xticks(range(len(kinds)), kinds)
    axes.set(ylabel=metric, title="By class of question")
    _legend(axes, found.systems)
    return metric is not None and len(kinds) > 1


def _latency(axes: Axes, found: Results) -> bool:
    """Share of questions answered within a time, a line a system and timing."""
    values: dict[str, list[float]] = defaultdict(list)
    for key, timing in results.read_timings(found.folder).items():
        for name, value in timing.items():
            if name.endswith("_ms"):
                values[f"{key.system} {name.removesuffix('_ms')}"].append(value)
    for label, listed in values.items():
        axes.ecdf(listed, label=label)
    axes.set(xlabel="ms", ylabel="share of questions", title="Latency", xscale="log")
    _legend(axes, values)
    return bool(values)


def _ablation(axes: Axes, found: Results) -> bool:
    """Difference from the baseline with its interval, a line a system."""
    metric = found.main_metric or ""
    listed = {system: own[metric] for system, own in found.summary.get("differences", {}).items()
              if metric in own}  # fmt: skip
    names = list(reversed(listed))
    for row, system in enumerate(names):
        value = listed[system]
        axes.plot([value["low"], value["high"]], [row, row], color="C0", linewidth=2)
        axes.plot(value["mean"], row, marker="o", color="C0")
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel=f"{metric} minus that of {found.summary.get('baseline')} (95% interval)",
             title="Differences from the baseline")  # fmt: skip
    return bool(listed)


def _legend(axes: Axes, listed: Mapping[str, Any]) -> None:
    if listed:
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
