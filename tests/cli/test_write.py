"""add, update, restore."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import CHATTER, NEW, OLD, Terminal


def test_add_says_what_became_of_the_text(hm: Terminal) -> None:
    """Status with its reason, type, salience, durability, judge."""
    shown = hm.out("add", "We chose NATS over Kafka")
    for part in ("active: salience 3.00 reaches", "fact", "3.00 of 4", "0.50", "scripted"):
        assert part in shown


def test_add_shows_the_text_that_it_replaced(hm: Terminal) -> None:
    """With the id that would undo it."""
    old = hm.add(OLD, "--at", "2026-01-19")
    shown = hm.out("add", NEW)
    assert f"supersedes  {old} (2026-01-19) {OLD}" in shown


def test_add_keeps_every_option(hm: Terminal) -> None:
    """Each lands in its own field."""
    origins = ("source", "client", "user_id", "agent_id", "session_id", "turn_id")
    added = hm.add(
        "Prices are cached", "--at", "2026-05-03T10:00:00+02:00", "--tag", "shop", "--tag", "redis",
        "--metadata", "minutes=5", "--metadata", "by=Ana", "--metadata", "odd=NaN",
        "--type", "decision", "--pin",
        *(part for name in origins for part in (f"--{name.replace('_', '-')}", f"the {name}")),
    )  # fmt: skip
    node = hm.json("get", added)
    assert node["valid_from"] == "2026-05-03T10:00:00+02:00"
    assert node["tags"] == ["shop", "redis"]
    assert node["metadata"] == {"minutes": 5, "by": "Ana", "odd": "NaN"}
    assert (node["memory_type"], node["pinned"]) == ("decision", True)
    assert node["provenance"] == {name: f"the {name}" for name in origins}


def test_add_reads_one_memory_from_stdin(hm: Terminal) -> None:
    """Line breaks are part of it, a byte order mark is not."""
    added = hm.json("add", "-", stdin="\ufeffFirst line.\nSecond line: café.\n")
    assert hm.json("get", added["id"])["content"] == "First line.\nSecond line: café."


def test_stdin_that_is_not_utf8_is_reported(hm: Terminal) -> None:
    """With the place."""
    result = hm.run("add", "-", stdin=b"caf\xe9")
    assert result.exit_code == 1
    assert "not UTF-8 at byte 3" in result.stderr


def test_add_reads_one_memory_per_line(hm: Terminal) -> None:
    """Blank lines are no memories; the options hold for every line."""
    shown = hm.out(
        "add", "-", "--lines", "--tag", "notes", stdin="one fact\n\n  \nanother fact\r\n"
    )
    assert [row.split("\t")[1:] for row in shown.splitlines()] == [["active", "fact"]] * 2
    listed = hm.json("list", "--tag", "notes")["items"]
    assert {item["content"] for item in listed} == {"one fact", "another fact"}


def test_a_bad_line_fails_alone(hm: Terminal) -> None:
    """It is named on stderr, the others are stored, and the status tells."""
    lines = b"one fact\n\ncaf\xe9\nanother fact\n"
    result = hm.run("add", "-", "--lines", "--json", stdin=lines)
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert len(document["added"]) == 2
    assert [(f["line"], f["error"]) for f in document["failed"]] == [(3, "InvalidInput")]
    assert "line 3: " in result.stderr
    assert "2 memories added, 1 failed" in result.stderr


def test_lines_go_with_stdin_alone(hm: Terminal) -> None:
    """Anything else is a usage error."""
    assert hm.run("add", "text", "--lines").exit_code == 2


@pytest.mark.parametrize("pair", ["novalue", "=5"])
def test_metadata_without_a_key_or_a_value_is_a_usage_error(hm: Terminal, pair: str) -> None:
    """The message shows what was given."""
    result = hm.run("add", "text", "--metadata", pair)
    assert result.exit_code == 2
    assert pair in result.stderr


def test_a_refused_text_is_a_reported_failure(hm: Terminal) -> None:
    """The rule is named, the secret is not repeated."""
    secret = "sk" + "_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    result = hm.run("add", f"the key is {secret}")
    assert result.exit_code == 1
    assert "Refused" in result.stderr
    assert secret not in result.output
    assert hm.json("list")["items"] == []


def test_update_changes_what_is_named(hm: Terminal) -> None:
    """Text, time, labels, type and judgement; from stdin as well."""
    added = hm.add("Prices are cached", "--tag", "shop", "--metadata", "a=1")
    hm.out(
        "update", added, "--content", "-", "--at", "2026-02-02", "--tag", "redis",
        "--metadata", "b=2", "--type", "decision", "--salience", "4", "--durable", "0.9", "--pin",
        stdin="Prices are cached in Redis",
    )  # fmt: skip
    node = hm.json("get", added)
    assert node["content"] == "Prices are cached in Redis"
    assert node["valid_from"].startswith("2026-02-02")
    assert (node["tags"], node["metadata"]) == (["redis"], {"b": 2})
    assert (node["salience"], node["durable"], node["pinned"]) == (4, 0.9, True)


def test_update_can_remove_labels(hm: Terminal) -> None:
    """And leaves the rest."""
    added = hm.add("Prices are cached", "--tag", "shop", "--metadata", "a=1", "--pin")
    hm.out("update", added, "--no-tags", "--no-metadata", "--no-pin")
    node = hm.json("get", added)
    assert (node["tags"], node["metadata"], node["pinned"]) == ([], {}, False)
    assert node["content"] == "Prices are cached"


@pytest.mark.parametrize(
    "options", [[], ["--tag", "a", "--no-tags"], ["--metadata", "a=1", "--no-metadata"]]
)
def test_an_update_that_makes_no_sense_is_a_usage_error(hm: Terminal, options: list[str]) -> None:
    """Nothing to change, or two contradicting wishes."""
    assert hm.run("update", hm.add("Prices are cached"), *options).exit_code == 2


def test_restore_undoes_a_supersession(hm: Terminal) -> None:
    """The old memory is recalled again."""
    old = hm.add(OLD)
    hm.add(NEW)
    assert hm.json("get", old)["status"] == "superseded"
    assert "active" in hm.out("restore", old)
    assert hm.json("get", old)["status"] == "active"


def test_restore_lifts_chatter_over_the_gate(hm: Terminal) -> None:
    """It is pinned from then on."""
    added = hm.add(CHATTER)
    assert hm.json("list")["items"] == []
    assert hm.json("restore", added)["pinned"] is True
    assert [item["id"] for item in hm.json("list")["items"]] == [added]
