"""Pages that scripts write in part: the part is what the script makes of its published values."""

from __future__ import annotations

from pathlib import Path

from bench import privacy

from hypermnesia.evals.results import read_json

ROOT = Path(__file__).parents[2]


def test_the_page_on_secrets_is_what_its_results_give() -> None:
    """Below its mark, the prose between the tables included."""
    page = (ROOT / "docs" / "privacy.md").read_text("utf-8")
    _, mark, generated = page.partition(privacy.MARK)
    assert mark
    assert generated.strip() == privacy.report(read_json(ROOT / privacy.RESULTS)).strip()


def test_the_page_on_the_judge_is_what_its_results_give() -> None:
    """Between the markers of either part; replacing one leaves the other alone."""
    from training import evaluate

    page = (ROOT / "docs" / "explanation" / "local-judge.md").read_text("utf-8")
    made: list[str] = []
    for name, part in evaluate.PARTS.items():
        results = evaluate.PUBLISHED / f"{name}.json"
        made.append(evaluate.report(results, read_json(ROOT / results)["tables"]))
        assert evaluate.replaced(page, part, made[-1]) == page
    other = evaluate.replaced(page, evaluate.PARTS["local-judge-public"], "new")
    assert "begin -->\n\nnew\n\n<!--" in other
    assert made[0] in other
    assert made[1] not in other


def test_the_curves_of_growth_are_drawn_from_all_that_was_measured() -> None:
    """A row that was renamed would leave its curve out without a word."""
    from bench import scale_curves

    measured = {
        store: read_json(ROOT / scale_curves.RESULTS / f"scale-{store.lower()}.json")["tables"]
        for store in scale_curves.STORES
    }
    drawn = scale_curves.curves({store: found["growth"] for store, found in measured.items()})
    for _, rows in scale_curves.PANELS:
        for name in rows.values():
            assert all(f"{store}, {name}<" in drawn for store in scale_curves.STORES)
