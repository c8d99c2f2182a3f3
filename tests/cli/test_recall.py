"""search, context, suggest."""

from __future__ import annotations

import pytest

from tests.cli.conftest import CHATTER, NEW, OLD, Terminal


def test_search_prints_tab_separated_rows_when_piped(hm: Terminal) -> None:
    """Rank, score, date, type, id, text on one line, whatever is in the text."""
    added = hm.add("Billing\nuses\tNATS", "--at", "2026-05-03", "--type", "decision")
    (row,) = hm.out("search", "what does billing use?").splitlines()
    rank, score, *rest = row.split("\t")
    assert (rank, rest) == ("1", ["2026-05-03", "decision", added, "Billing uses NATS"])
    assert 0 < float(score) <= 1


def test_search_explains_every_component(hm: Terminal) -> None:
    """Ranks and raw values by channel, then the blend."""
    hm.add("Billing uses NATS")
    shown = hm.out("search", "billing", "--explain")
    for part in ("dense #1", "lexical #1", "late -", "fused", "judge 0.500 (scripted)", "salience"):
        assert part in shown
    final = hm.json("search", "billing")[0]["explain"]["final"]
    assert f"final {final:.3f}" in shown


def test_search_reads_the_query_from_stdin(hm: Terminal) -> None:
    """As ``-``."""
    hm.add("Billing uses NATS")
    assert "Billing uses NATS" in hm.out("search", "-", stdin="billing\n")


def test_finding_nothing_is_a_note_and_no_failure(hm: Terminal) -> None:
    """Stdout stays empty, so that a pipe sees no rows."""
    for verb in ("search", "context"):
        result = hm.run(verb, "anything")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "nothing found\n")
    assert hm.json("search", "anything") == []
    assert hm.run("suggest", "anything").stderr == "nothing known\n"


@pytest.mark.parametrize("verb", [("search", "port of the API"), ("list",)])
@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), {NEW, "Port API of Ana"}),
        (("--level", "fact"), {NEW, "Port API of Ana"}),
        (("--level", "turn", "--level", "topic"), set[str]()),
        (("--type", "preference"), {"Port API of Ana"}),
        (("--type", "preference", "--type", "fact"), {NEW, "Port API of Ana"}),
        (("--tag", "team"), {"Port API of Ana"}),
        (("--tag", "team", "--tag", "other"), set[str]()),
        (("--metadata", "n=1"), {"Port API of Ana"}),
        (("--metadata", 'n="1"'), set[str]()),
        (("--status", "low_signal"), {CHATTER}),
        (("--status", "superseded", "--status", "active"), {OLD, NEW, "Port API of Ana"}),
        (("--since", "2026-02-01"), {NEW}),
        (("--until", "2026-01-31"), {"Port API of Ana"}),
        (("--as-of", "2026-01-31"), {OLD, "Port API of Ana"}),
    ],
)
def test_filters_restrict_search_and_list_alike(
    hm: Terminal, verb: tuple[str, ...], options: tuple[str, ...], found: set[str]
) -> None:
    """Every filter, alone and repeated."""
    hm.add(OLD, "--at", "2026-01-19")
    hm.add("Port API of Ana", "--at", "2026-01-21", "--type", "preference", "--tag", "team",
           "--metadata", "n=1")  # fmt: skip
    hm.add(CHATTER, "--at", "2026-02-04")
    hm.add(NEW, "--at", "2026-03-30")
    answer = hm.json(*verb, *options)
    rows = answer["items"] if verb[0] == "list" else answer
    assert {row["content"] for row in rows} == found


def test_search_takes_a_number_and_a_lowest_score(hm: Terminal) -> None:
    """Both cut the tail."""
    for number in range(4):
        hm.add(f"Billing service {number} uses NATS")
    assert len(hm.json("search", "billing", "-k", "2")) == 2
    assert hm.json("search", "billing", "--min-score", "1") == []


def test_context_is_ready_for_a_prompt(hm: Terminal) -> None:
    """Dated and cited, and the document says where each line comes from."""
    added = hm.add("Billing uses NATS", "--at", "2026-05-03")
    assert "[1] 2026-05-03, fact: Billing uses NATS" in hm.out("context", "billing")
    block = hm.json("context", "billing", "--max-tokens", "60")
    assert block["citations"][0]["id"] == added
    assert 0 < block["tokens"] <= 60


def test_suggest_tells_repeats_from_related_ones(hm: Terminal) -> None:
    """By heading, or by key."""
    hm.add("Billing uses NATS")
    hm.add("Billing uses NATS in Dublin and in Cork")
    suggestion = hm.json("suggest", "billing uses nats")
    assert [hit["content"] for hit in suggestion["repeats"]] == ["Billing uses NATS"]
    assert len(suggestion["related"]) == 1
    shown = hm.out("suggest", "billing uses nats", "-k", "5")
    assert shown.index("says the same") < shown.index("related")
