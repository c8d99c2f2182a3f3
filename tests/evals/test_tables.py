"""Tables: what they show, and that names cannot break out of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput, NotFound
from hypermnesia.evals import results, tables
from hypermnesia.evals.stored import stored
from hypermnesia.evals.tables import Results, Table
from tests.evals import runs


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A finished run."""
    return Results.load(runs.make(tmp_path_factory.mktemp("results") / "small"))


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
    table = tables.chosen(
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
    ],
)
def test_an_unknown_choice_is_refused(found: Results, kind: str, options: dict[str, str]) -> None:
    """A misspelt column must not come out empty."""
    with pytest.raises(InvalidInput):
        tables.chosen(found, kind, options)


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


@pytest.mark.parametrize(
    "document",
    [
        [],
        {"columns": ["a"], "rows": [["x"]]},
        {"columns": ["a"], "rows": [["x", 1]], "format": ".1f"},
        {"columns": ["a"], "rows": [["x"]], "format": "{}"},
        {"columns": ["a"], "rows": [["x"]], "format": []},
    ],
)
def test_a_broken_stored_table_is_refused(document: object) -> None:
    """Instead of a table with holes."""
    with pytest.raises(InvalidInput):
        stored(document)
