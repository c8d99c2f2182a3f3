"""Tables: what they show, and that names cannot break out of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput, NotFound
from hypermnesia.evals import results, tables
from hypermnesia.evals.chosen import chosen
from hypermnesia.evals.stored import storable, stored
from hypermnesia.evals.tables import Results, Table
from tests.evals import runs


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A finished run."""
    return Results.load(runs.make(tmp_path_factory.mktemp("results") / "small"))


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The same, with what a simulation says of it."""
    return Results.load(runs.make_simulated(tmp_path_factory.mktemp("results") / "simulated"))


def test_the_table_of_all_questions_has_means_and_deviations(found: Results) -> None:
    """One row a system, one column a metric."""
    table = tables.overall(found, ["recall@1", "mrr@10"])
    assert table.columns == ["system", "recall@1", "mrr@10"]
    assert [row[0] for row in table.rows] == ["plain", "good"]
    mean = found.systems["good"]["all"]["mrr@10"]
    assert table.rows[1][2] == f"{mean['mean']:.3f} ± {mean['sd']:.3f}"


def test_a_class_is_a_column(found: Results) -> None:
    """In one metric."""
    table = tables.by_class(found, "recall@5")
    assert table.columns == ["system", "lexical", "temporal"]
    value = found.systems["plain"]["classes"]["temporal"]["recall@5"]
    assert table.rows[0][2].startswith(f"{value['mean']:.3f}")


def test_differences_are_signed_and_have_an_interval(found: Results) -> None:
    """Against the baseline of the run, which itself is left out."""
    (row,) = tables.differences(found, "mrr@10").rows
    assert row[0] == "good"
    assert row[1].startswith("+0.")
    assert " to +0." in row[2]


def test_a_document_may_choose_rows_and_columns(found: Results) -> None:
    """By name, in the order it names them."""
    table = chosen(
        found, "overall", {"metrics": "mrr@10,recall@1", "systems": "good", "digits": "2"}
    )
    assert table.columns == ["system", "mrr@10", "recall@1"]
    assert [row[0] for row in table.rows] == ["good"]
    assert len(table.rows[0][2].split(" ± ")[0]) == len("0.50")


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("all", {}),
        ("overall", {"metrics": "recal@1"}),
        ("overall", {"metric": "recall@1"}),
        ("classes", {"metric": "recall@3"}),
        ("speed", {"digits": "1"}),
        ("overall", {"systems": "best"}),
        ("overall", {"digits": "9"}),
        ("compared", {"against": "best"}),
        ("compared", {}),
        ("findings", {"systems": "good"}),
        ("writing", {}),
    ],
)
def test_an_unknown_choice_is_refused(found: Results, kind: str, options: dict[str, str]) -> None:
    """A misspelt column must not come out empty."""
    with pytest.raises(InvalidInput):
        chosen(found, kind, options)


def test_a_simulation_is_compared_both_ways(simulated: Results) -> None:
    """The sign is the row's, whichever of the two came first in the run."""
    (down,) = chosen(simulated, "compared", {"against": "good", "metric": "ndcg@10"}).rows
    (up,) = chosen(simulated, "compared", {"against": "plain", "metric": "ndcg@10"}).rows
    assert (down[0], up[0]) == ("plain", "good")
    assert down[1] == up[1].replace("+", "-")
    low, high = (float(value) for value in down[2].split(" to "))
    assert low < high < 0
    assert up[2] == f"+{-high:.3f} to +{-low:.3f}"


def test_published_findings_stand_beside_what_was_measured() -> None:
    """With the interval that decides between them."""
    one = {
        "text": "reranking costs", "metric": "mrr@10", "published": -0.006,
        "difference": {"mean": 0.0584, "low": 0.031, "high": 0.087}, "verdict": "does not hold",
    }  # fmt: skip
    run = Results("run", Path(), {}, {"systems": {}}, findings={"findings": [one]})
    assert tables.published(run).rows == [
        ["reranking costs", "mrr@10", "-0.006", "+0.058", "+0.031 to +0.087", "does not hold"]
    ]


def test_writing_has_a_column_a_seed() -> None:
    """Counts as counts, shares as shares, nothing for what cannot be said."""
    run = Results("run", Path(), {}, {"systems": {}},
                  writing={"11": {"rows": 1880, "lost": 0.05}, "12": {"rows": 870}})  # fmt: skip
    table = tables.written(run)
    assert table.columns == ["", "seed 11", "seed 12"]
    assert table.rows == [["rows", "1,880", "870"], ["lost", "0.050", ""]]


def test_an_unfinished_run_has_no_tables(tmp_path: Path) -> None:
    """Its means would be of some of the questions."""
    with results.Run.open(tmp_path, runs.manifest()):
        pass
    with pytest.raises(NotFound):
        Results.load(tmp_path)


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_name_breaks_out_of_its_cell(first: str, second: str) -> None:
    """Whatever a system is called, the Markdown table has its rows and columns."""
    text = tables.markdown(Table("", ["system", "value"], [[first, second]]))
    lines = text.split("\n")
    assert len(lines) == 4
    assert lines[2].replace("\\\\", "").replace("\\|", "").count("|") == 3
    assert "<" not in lines[2].replace("\\<", "")


def test_latex_escapes_what_is_special() -> None:
    """All ten characters, and the sign of deviations."""
    text = tables.latex(Table("50% & more", ["a_b", "c"], [["#1 {x}", "$1 ± ~^\\"]]), "Run 1")
    assert r"\caption{50\% \& more}" in text
    assert r"a\_b & c \\" in text
    assert r"\#1 \{x\} & \$1 $\pm$ \textasciitilde{}\textasciicircum{}\textbackslash{} \\" in text
    assert r"\label{tab:run-1}" in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.6244, "0.624"), (1, "1.000"), (12.34, "12.3"), (7612.4, "7,612"), (-0.0042, "-0.004")],
)
def test_large_values_have_fewer_decimals(value: float, shown: str) -> None:
    """Three decimals of a token count would be noise."""
    assert tables.number(value) == shown


def test_a_stored_table_is_shown_in_its_own_format() -> None:
    """A format a row, text as it is, and nothing for what was not measured."""
    table = stored({
        "columns": ["", "1,000", "10,000"],
        "rows": [["rate", 123.4, None], ["share", 0.556, "n/a"]],
        "format": [".1f", ".0%"],
    })  # fmt: skip
    assert table.rows == [["rate", "123.4", ""], ["share", "56%", "n/a"]]


def test_what_is_storable_is_read_back_as_it_was() -> None:
    """Numbers of any kind become floats, what is missing stays missing."""
    document = storable("C", ("name", "a", "b"), [("x", 1, None)], {"columns": [".1f", ".0%"]})
    assert stored(document) == Table("C", ["name", "a", "b"], [["x", "1.0", ""]])


def test_a_stored_table_may_have_a_format_a_column() -> None:
    """Shares beside numbers; the names in the first column are as they are."""
    table = stored({
        "columns": ["family", "found", "of"],
        "rows": [["url", 0.5, 1234], ["jwt", None, 0]],
        "format": {"columns": [".1%", ",.0f"]},
    })  # fmt: skip
    assert table.rows == [["url", "50.0%", "1,234"], ["jwt", "", "0"]]


@pytest.mark.parametrize(
    "document",
    [
        [],
        {"columns": ["a"], "rows": [["x"]]},
        {"columns": ["a"], "rows": [["x", 1]], "format": ".1f"},
        {"columns": ["a"], "rows": [["x"]], "format": "{}"},
        {"columns": ["a"], "rows": [["x"]], "format": []},
        {"columns": ["a"], "rows": [["x"]], "format": 3},
        {"columns": ["a", "b"], "rows": [["x", 1]], "format": {"columns": []}},
        {"columns": ["a", "b"], "rows": [["x", 1]], "format": {"columns": [1]}},
        {"columns": ["a", "b"], "rows": [["x", 1]], "format": {"rows": [".1f"]}},
    ],
)
def test_a_broken_stored_table_is_refused(document: object) -> None:
    """Instead of a table with holes."""
    with pytest.raises(InvalidInput):
        stored(document)
