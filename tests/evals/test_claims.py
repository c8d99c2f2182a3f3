"""Claims: what is a figure, what is a reference, and which belong together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.evals.claims import read_page


def _figures(text: str) -> list[str]:
    return [each.text for each in read_page(text).figures if each.needs_reference]


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("recall is .62 or 0.62.", [".62", "0.62"]),
        ("55% of it, -3 % less", ["55%", "-3 %"]),
        ("took 12 ms, 1,024 MB, 64 memories/s", ["12 ms", "1,024 MB", "64 memories/s"]),
        ("from 10-20% to (0.5/0.6)", ["20%", "0.5", "0.6"]),
        ("\u22120.04 and +0.1", ["\u22120.04", "+0.1"]),
        ("three of 12 questions, 2026-05-03, 10:30", []),
        ("version 3.11.7, v2.5, MiniLM-L6, R@10, 192.168.0.1", []),
        ("`0.5` and ``0.6 ` 0.7``", []),
        ("[page](docs/v0.5/a.md) https://example.org/0.5", []),
        ("<!-- 0.5 -->", []),
        ("```\n0.5\n```\n0.6\n~~~~ toml\n0.7\n~~~~\n", ["0.6"]),
        ("````\n```\n0.5\n```\n````\n0.6", ["0.6"]),
    ],
)
def test_what_is_a_figure(text: str, figures: list[str]) -> None:
    """Fractions, percentages and quantities, outside code and links."""
    assert _figures(text) == figures


def test_a_number_alone_in_a_cell_is_a_figure() -> None:
    """Headings and names of rows are not."""
    text = "| size | 1000 | 2000 |\n|---|---:|---:|\n| 10 | 123 | **44** |\n| 20 | 7 of 8 | -5 |\n"
    assert _figures(text) == ["123", "44", "-5"]


def test_a_reference_belongs_to_the_figure_before_it() -> None:
    """Over punctuation, emphasis and a line break, never over words."""
    text = (
        "It is **0.62**. <!-- eval: a.json#/x tol=0.005 -->\nOr 55%\n"
        "<!-- eval: a.json#/y tol=0.5 --> in 0.7 words <!-- eval: a.json#/z tol=0.05 -->"
    )
    found = read_page(text).references
    assert [each.figure and each.figure.text for each in found] == ["0.62", "55%", None]
    assert [each.scale for each in found] == [1, 100, 1]
    assert [each.pointer for each in found] == ["/x", "/y", "/z"]


def test_a_file_may_be_named_once() -> None:
    """Until another is named."""
    text = (
        "<!-- eval:file a.json -->\n0.5 <!-- eval: #/x tol=0.05 -->\n"
        "0.5 <!-- eval: b.json#/x tol=0.05 -->"
    )
    assert [each.path for each in read_page(text).references] == ["a.json", "b.json"]


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- eval: a.json#/x -->",
        "<!-- eval: a.json tol=1 -->",
        "<!-- eval: #/x tol=1 -->",
        "<!-- eval: a.json#/x tol=much -->",
        "<!-- eval: a.json#/x tol=-1 -->",
        "<!-- eval: a.json#/x tol=0.1 round=2 -->",
        "<!-- eval: a.json#/x tol -->",
        "<!-- eval a.json#/x tol=0.1 -->",
        "<!--eval:-->",
        "<!-- eval:tabel results/x overall -->",
        "<!-- eval:table results/x overall -->",
        "<!-- /eval -->",
        "<!-- eval:table results/x overall digits -->\n<!-- /eval -->",
    ],
)
def test_a_misspelt_reference_is_not_passed_over(comment: str) -> None:
    """It means to be one; silence would leave its figure unchecked."""
    page = read_page(f"0.5 {comment}")
    assert len(page.unreadable) == 1
    assert not page.references
    assert not page.blocks


def test_a_reference_shown_as_code_is_an_example() -> None:
    """And so is a table."""
    text = (
        "```\n0.5 <!-- eval: a.json#/x tol=0.05 -->\n<!-- eval:table x overall -->\n```\n"
        "`<!-- eval -->`"
    )
    page = read_page(text)
    assert [*page.references, *page.blocks, *page.unreadable, *_figures(text)] == []


def test_the_figures_of_a_made_table_need_no_reference_of_their_own() -> None:
    """The table is compared as a whole."""
    text = (
        "<!-- eval:table results/x overall digits=2 -->\n\n"
        "| a | b |\n|---|---|\n| x | 0.5 |\n\n<!-- /eval -->\n0.6"
    )
    page = read_page(text)
    (block,) = page.blocks
    assert (block.path, block.kind, block.options) == ("results/x", "overall", {"digits": "2"})
    assert text[block.body].strip().startswith("| a | b |")
    assert _figures(text) == ["0.6"]


@given(st.text(alphabet="0123456789.,%- |`<>!\n#eval:*ms()[]", max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    """And every figure stands where it says."""
    for figure in read_page(text).figures:
        assert text[figure.start : figure.end] == figure.text


@given(st.integers(0, 99999), st.integers(1, 6))
def test_half_a_digit_is_what_rounding_may_change(number: int, digits: int) -> None:
    """A neighbouring figure is always further away."""
    text = f"{number / 10**digits:.{digits}f}"
    (figure,) = read_page(text).figures
    assert figure.value == float(text)
    assert figure.half_digit == pytest.approx(0.5 * 10**-digits)
