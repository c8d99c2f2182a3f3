"""Pages that scripts write in part: the part is what the script makes of its published values."""

from __future__ import annotations

from pathlib import Path

from bench import privacy
from training import evaluate

from hypermnesia.evals.results import read_json

ROOT = Path(__file__).parents[2]


def test_the_page_on_secrets_is_what_its_results_give() -> None:
    """Below its mark, the prose between the tables included."""
    page = (ROOT / "docs" / "privacy.md").read_text("utf-8")
    _, mark, generated = page.partition(privacy.MARK)
    assert mark
    assert generated.strip() == privacy.report(read_json(ROOT / privacy.RESULTS)).strip()


def test_the_page_on_the_judge_is_what_its_results_give() -> None:
    """Between the markers of the project's own cases; the other part is left alone."""
    page = (ROOT / "docs" / "explanation" / "local-judge.md").read_text("utf-8")
    made = evaluate.report(read_json(ROOT / evaluate.RESULTS))
    assert evaluate.replaced(page, evaluate.OWN, made) == page
    other = evaluate.replaced(page, evaluate.PUBLIC, "new")
    assert f"<!-- {evaluate.PUBLIC}: begin -->\n\nnew\n\n<!--" in other
    assert made in other
