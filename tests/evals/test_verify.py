"""Verification: a changed digit, a missing reference and an empty check all fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hypermnesia.errors import InvalidInput
from hypermnesia.evals import verify as claims
from hypermnesia.evals.publish import publish
from hypermnesia.evals.results import read_json, write_json
from hypermnesia.evals.tables import Results
from tests.evals import runs

ROOT = Path(__file__).parents[2]
SUMMARY = "results/published/small/summary.json"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose page refers to a published run in every way there is."""
    published = tmp_path / "results" / "published" / "small"
    publish(runs.make_simulated(tmp_path / "results" / "small"), published)
    good = Results.load(published).systems["good"]["all"]
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("Works with Python 3.11.\n")
    (tmp_path / "docs" / "page.md").write_text(
        f"nDCG is {good['ndcg@10']['mean']:.3f}\n"
        f"<!-- eval: {SUMMARY}#/systems/good/all/ndcg@10/mean tol=0.0005 -->, recall@5\n"
        f"{good['recall@5']['mean']:.1%} <!-- eval: {SUMMARY}#/systems/good/all/recall@5/mean"
        " tol=0.05 -->.\n\n"
        "<!-- eval:table results/published/small overall metrics=mrr@10,recall@1 -->\n"
        "<!-- /eval -->\n\n"
        "<!-- eval:table results/published/small compared against=plain metric=ndcg@10 -->\n"
        "<!-- /eval -->\n\n"
        "<!-- eval:table results/published/small writing -->\n"
        "<!-- /eval -->\n"
    )
    (tmp_path / claims.ALLOWED).write_text(
        "[[allow]]\npages = ['README.md']\npattern = 'Python 3\\.\\d+'\nreason = 'a version'\n"
    )
    claims.rewrite(tmp_path)
    return tmp_path


def _problems(project: Path) -> list[str]:
    return [f"{each.where} {each.what}" for each in claims.verify(project).problems]


def _edit(path: Path, change: Callable[[str], str]) -> None:
    text = path.read_text("utf-8")
    changed = change(text)
    assert changed != text
    path.write_text(changed, "utf-8")


def test_a_sound_project_passes(project: Path) -> None:
    """Two figures and three tables are derived again, one figure is allowed."""
    found = claims.verify(project)
    assert (found.checked, found.allowed, found.problems) == (5, 1, [])


def test_the_project_may_be_the_current_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which is where the command looks; its runs are found wrong there, too."""
    monkeypatch.chdir(project)
    assert claims.verify(Path()).problems == []
    document = read_json(Path(SUMMARY))
    document["systems"]["good"]["all"]["recall@10"]["mean"] += 0.01
    write_json(Path(SUMMARY), document)
    assert [each.where for each in claims.verify(Path()).problems] == [SUMMARY]


def test_any_changed_digit_fails(project: Path) -> None:
    """Whichever digit of whichever figure, in text and tables."""
    page = project / "docs" / "page.md"
    whole = page.read_text("utf-8")
    hidden = False
    tried = 0
    for place, sign in enumerate(whole):
        hidden = (hidden or whole.startswith("<!--", place)) and not whole.startswith("-->", place)
        before = whole[max(place - 7, 0) : place]
        if hidden or not sign.isdigit() or "@" in before:  # names of metrics are no figures
            continue
        page.write_text(f"{whole[:place]}{(int(sign) + 1) % 10}{whole[place + 1 :]}", "utf-8")
        assert _problems(project), whole[place - 5 : place + 5]
        tried += 1
    assert tried >= 20


@pytest.mark.long
def test_the_figures_of_this_project_are_right() -> None:
    """All of them, from its published results."""
    assert _problems(ROOT) == []


def test_a_changed_result_fails_too(project: Path) -> None:
    """A summary is not believed either: its records give other values."""
    document = read_json(project / SUMMARY)
    document["systems"]["good"]["all"]["mrr@10"]["mean"] += 0.01
    write_json(project / SUMMARY, document)
    problems = _problems(project)
    assert any("the table is not what its results give" in each for each in problems)
    assert f"{SUMMARY} its own records give other values" in problems


def test_changed_findings_fail(project: Path) -> None:
    """They are made of the records, the lists in them too."""
    path = project / "results/published/small/findings.json"
    document = read_json(path)
    document["comparisons"]["plain - good"]["ndcg@10"]["low"] -= 0.01
    write_json(path, document)
    assert any("findings.json its own records" in each for each in _problems(project))
    document = read_json(path) | {"findings": [{"text": "made up"}]}
    write_json(path, document)
    assert any("findings.json its own records" in each for each in _problems(project))


def test_a_changed_timing_fails(project: Path) -> None:
    """Speed is made of its timings."""
    path = project / "results/published/small/speed.json"
    document = read_json(path)
    document["good"]["search_ms"]["p50"] -= 1
    write_json(path, document)
    assert any("speed.json" in each for each in _problems(project))


@pytest.mark.parametrize(
    ("name", "message"),
    [("records.jsonl.gz", "there are no records"), ("timings.jsonl.gz", "speed.json its own")],
)
def test_a_run_without_its_raw_results_fails(project: Path, name: str, message: str) -> None:
    """Or a made-up summary would pass by leaving out what it is made of."""
    (project / "results/published/small" / name).unlink()
    assert any(message in each for each in _problems(project))


def test_a_figure_without_a_reference_fails(project: Path) -> None:
    """With page and line."""
    _edit(project / "docs" / "page.md", lambda text: text + "\n\nAnd it is 3.5 times as fast.\n")
    (problem,) = _problems(project)
    assert "3.5 refers to no result" in problem
    line = (
        (project / "docs" / "page.md").read_text().split("\n").index("And it is 3.5 times as fast.")
    )
    assert problem.startswith(f"docs/page.md:{line + 1} ")


def test_nothing_to_check_fails(tmp_path: Path) -> None:
    """A check that checks nothing proves nothing."""
    (tmp_path / "README.md").write_text("No figures at all.\n")
    found = claims.verify(tmp_path)
    assert found.checked == 0
    assert [each.what for each in found.problems] == [
        "nothing to check: no figure refers to a result"
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("summary.json#/systems/good", "absent.json#/systems/good", "there is no"),
        ("#/systems/good/all/ndcg@10/mean", "#/systems/best/all", "leads nowhere at 'best'"),
        ("#/systems/good/all/ndcg@10/mean", "#/systems/good", "not a number"),
        ("tol=0.0005", "tol=0.05", "a changed digit would pass"),
        ("tol=0.0005", "", "states no tolerance"),
        (f"eval: {SUMMARY}", "eval: ../../etc/passwd", "outside the project"),
        ("metrics=mrr@10", "metrics=mrr@9", "no metric mrr@9"),
        ("published/small overall", "published/other overall", "there is no"),
    ],
)
def test_a_reference_that_cannot_be_followed_fails(
    project: Path, old: str, new: str, told: str
) -> None:
    """Each with its reason."""
    _edit(project / "docs" / "page.md", lambda text: text.replace(old, new, 1))
    assert any(told in each for each in _problems(project))


def test_an_allowance_that_covers_nothing_fails(project: Path) -> None:
    """Or the list would grow for ever."""
    _edit(project / "README.md", lambda text: text.replace("3.11", "three"))
    (problem,) = _problems(project)
    assert "covers nothing; remove it" in problem


@pytest.mark.parametrize(
    "entry",
    [
        "pages = ['*.md']",
        "reason = 'because'",
        "pages = ['*.md']\nreason = ''",
        "pages = '*.md'\nreason = 'because'",
        "pages = ['*.md']\nreason = 'because'\npatern = 'x'",
        "pages = ['*.md']\nreason = 'because'\npattern = '('",
        "pages = [",
    ],
)
def test_an_allowance_needs_pages_and_a_reason(project: Path, entry: str) -> None:
    """A list that cannot be read allows nothing, and says so."""
    (project / claims.ALLOWED).write_text(f"[[allow]]\n{entry}\n")
    with pytest.raises(InvalidInput, match=r"unreferenced-figures\.toml"):
        claims.verify(project)


def test_tables_are_made_again(project: Path) -> None:
    """And nothing else of the page is touched."""
    page = project / "docs" / "page.md"
    whole = page.read_text("utf-8")
    _edit(page, lambda text: text.replace("| good | ", "| good | 9"))
    assert claims.rewrite(project) == [page]
    assert page.read_text("utf-8") == whole
    assert claims.rewrite(project) == []


def test_a_pointer_follows_names_and_places() -> None:
    """With the two escapes of RFC 6901."""
    document = json.loads('{"a/b": [{"~": 3}]}')
    assert claims.pointed(document, "/a~1b/0/~0") == 3
    for pointer in ("/a", "/a~1b/1", "/a~1b/-1", "/a~1b/x"):
        with pytest.raises(InvalidInput, match="leads nowhere"):
            claims.pointed(document, pointer)
