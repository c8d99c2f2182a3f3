"""Reports: every form, self-contained, repeatable, harmless whatever a system is called."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from hypermnesia.errors import InvalidInput
from hypermnesia.evals import plots, results
from hypermnesia.evals.publish import publish
from hypermnesia.evals.report import write_report
from hypermnesia.evals.tables import Results
from tests.evals import runs

EVIL = '<script>alert("x")</script> & |'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a finished run."""
    return runs.make(tmp_path_factory.mktemp("results") / "small")


@pytest.fixture(scope="module")
def report(run: Path) -> Path:
    """Folder of its report."""
    output = run.parent / "report"
    write_report([Results.load(run)], output)
    return output


class _Page(HTMLParser):
    """What a browser would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note tags and what they point to."""
        self.tags.append(tag)
        self.loaded += [
            value or ""
            for name, value in attrs
            if name in {"src", "href", "xlink:href"} or name.startswith("on")
        ]


def _page(folder: Path) -> _Page:
    page = _Page()
    page.feed((folder / "report.html").read_text("utf-8"))
    return page


def test_a_report_has_every_form_and_plot(report: Path) -> None:
    """The Markdown one shows the plots that were written."""
    names = {path.name for path in report.iterdir()}
    drawn = {f"small-{name}.svg" for name in ("recall-curves", "classes", "latency", "ablation")}
    assert names == {"report.md", "report.tex", "report.html", *drawn}
    shown = re.findall(r"\]\((.*?)\)", (report / "report.md").read_text("utf-8"))
    assert set(shown) == drawn


def test_the_page_loads_and_runs_nothing(report: Path) -> None:
    """Links stay within the page; dark and light are the reader's choice."""
    page = _page(report)
    assert page.tags.count("svg") == 4
    assert page.tags.count("table") == 4
    assert "script" not in page.tags
    assert [target for target in page.loaded if not target.startswith("#")] == []
    text = (report / "report.html").read_text("utf-8")
    assert "color-scheme: light dark" in text
    assert "@import" not in text
    assert re.findall(r"url\((?!#)", text) == []


def test_plots_are_sound_and_take_the_colour_of_their_page(report: Path) -> None:
    """No black on black."""
    for path in report.glob("*.svg"):
        svg = path.read_text("utf-8")
        ET.fromstring(svg)
        assert "currentColor" in svg
        assert "#000000" not in svg


def test_the_ids_of_plots_on_one_page_do_not_meet(report: Path) -> None:
    """Or one plot would be clipped by another's frame."""
    clips = [
        set(re.findall(r'<clipPath id="([^"]+)"', path.read_text("utf-8")))
        for path in report.glob("*.svg")
    ]
    assert sum(map(len, clips)) == len(set().union(*clips))


def test_the_same_results_give_the_same_report(run: Path, report: Path, tmp_path: Path) -> None:
    """Byte for byte, plots included."""
    for path in write_report([Results.load(run)], tmp_path):
        assert path.read_bytes() == (report / path.name).read_bytes(), path.name


def test_a_recall_curve_is_drawn_from_a_published_run_too(run: Path, tmp_path: Path) -> None:
    """Which has no rankings any more, but the means."""
    publish(run, tmp_path / "small")
    curves = plots.recall_curves(Results.load(tmp_path / "small"))
    whole = plots.recall_curves(Results.load(run))
    assert {system: list(curve) for system, curve in curves.items()} == {
        "plain": [1, 5, 10],
        "good": [1, 5, 10],
    }
    assert list(whole["good"]) == list(range(1, 13))
    assert curves["good"][5] == pytest.approx(whole["good"][5])


def test_a_recall_curve_counts_what_was_not_found(tmp_path: Path) -> None:
    """Short and empty rankings go as deep as the others; who ranks nothing has no curve."""
    with results.Run.open(tmp_path, runs.manifest()) as run:
        for record in runs.records():
            kept = 0 if record.id == "q1" else 4
            short = replace(record, system="short", ranked=record.ranked[:kept])
            for each in (record, short, replace(record, system="reader", ranked=())):
                if record.system == "good":
                    run.record(each)
        run.finish()
    curves = plots.recall_curves(Results.load(tmp_path))
    assert {system: len(curve) for system, curve in curves.items()} == {"good": 12, "short": 12}
    found = [("d3" in record.ranked[:4]) and record.id != "q1"
             for record in runs.records() if record.system == "good"]  # fmt: skip
    assert curves["short"][12] == pytest.approx(sum(found) / len(found))
    assert 0 < curves["short"][12] < curves["good"][12] == 1


def test_several_runs_share_a_report(run: Path, tmp_path: Path) -> None:
    """One section each."""
    other = runs.make(tmp_path / "other")
    write_report([Results.load(run), Results.load(other)], tmp_path / "r", drawn=False)
    text = (tmp_path / "r" / "report.md").read_text("utf-8")
    assert [line for line in text.split("\n") if line.startswith("# ")] == ["# small", "# other"]


def test_names_are_text_and_never_markup(tmp_path: Path) -> None:
    """A system of any name, in tables and plots."""
    folder = tmp_path / "evil"
    with results.Run.open(folder, replace(runs.manifest(), baseline=EVIL)) as run:
        for record in runs.records():
            system = EVIL if record.system == "plain" else record.system
            run.record(replace(record, system=system, kind=f"{EVIL}{record.kind}"))
        run.finish()
    write_report([Results.load(folder)], tmp_path / "r")
    page = _page(tmp_path / "r")
    assert "script" not in page.tags
    for path in (tmp_path / "r").glob("*.svg"):
        ET.fromstring(path.read_text("utf-8"))


def test_without_matplotlib_the_extra_is_named(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables come without it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = [Results.load(run)]
    with pytest.raises(InvalidInput, match=r"pip install 'hypermnesia\[eval\]'"):
        write_report(found, tmp_path / "r")
    assert not (tmp_path / "r").exists()
    assert len(write_report(found, tmp_path / "r", drawn=False)) == 3
