"""list, get, history, profile."""

from __future__ import annotations

from tests.cli.conftest import CHATTER, NEW, OLD, Terminal


def test_list_shows_the_newest_first_and_the_oldest_on_request(hm: Terminal) -> None:
    """One tab-separated line each."""
    first = hm.add("one fact", "--at", "2026-01-01")
    second = hm.add("another fact", "--at", "2026-02-01")
    rows = [row.split("\t") for row in hm.out("list").splitlines()]
    assert rows[0] == ["2026-02-01", "active", "fact", "3.00", second, "another fact"]
    assert rows[1][4] == first
    assert hm.out("list", "--oldest").splitlines()[0].split("\t")[4] == first


def test_list_pages_by_cursor_without_losing_or_repeating(hm: Terminal) -> None:
    """The text names the next cursor on stderr, the document inside."""
    ids = {hm.add(f"fact number {number}") for number in range(5)}
    seen: list[str] = []
    page = hm.json("list", "--limit", "2")
    while True:
        seen += [item["id"] for item in page["items"]]
        if page["cursor"] is None:
            break
        page = hm.json("list", "--limit", "2", "--cursor", page["cursor"])
    assert sorted(seen) == sorted(ids)
    assert "next page: --cursor " in hm.run("list", "--limit", "2").stderr
    assert "cursor" not in hm.run("list", "--limit", "5").stderr


def test_an_empty_list_is_a_note(hm: Terminal) -> None:
    """And no failure."""
    result = hm.run("list")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "nothing found\n")


def test_get_shows_everything_about_a_memory(hm: Terminal) -> None:
    """Fields without a value are left out."""
    added = hm.add("Billing uses NATS", "--tag", "infra", "--metadata", "n=1", "--turn-id", "t7")
    fields = dict(line.split(None, 1) for line in hm.out("get", added).splitlines())
    assert fields["id"] == added
    assert fields["memory"] == "Billing uses NATS"
    assert (fields["tags"], fields["metadata"], fields["turn_id"]) == ("infra", '{"n": 1}', "t7")
    assert "source" not in fields


def test_get_masks_secrets_unless_told_otherwise(hm: Terminal) -> None:
    """A spoken password is stored, and shown only to who asks for it."""
    added = hm.add("The wifi password is Blue-Tram-4821")
    assert "Blue-Tram-4821" not in hm.out("get", added)
    assert "Blue-Tram-4821" in hm.out("get", added, "--reveal")


def test_get_of_an_unknown_id_is_a_reported_failure(hm: Terminal) -> None:
    """As is an id of another scope."""
    added = hm.add("Billing uses NATS")
    assert hm.run("get", "no-id").exit_code == 1
    assert hm.run("get", added, "--scope", "other").exit_code == 1


def test_history_shows_the_chain_and_the_events(hm: Terminal) -> None:
    """Oldest version first, from either end."""
    old = hm.add(OLD, "--at", "2026-01-19")
    new = hm.add(NEW, "--at", "2026-03-30")
    document = hm.json("history", new)
    assert [version["id"] for version in document["versions"]] == [old, new]
    assert "add" in [event["kind"] for event in document["events"]]
    shown = hm.out("history", old)
    assert shown.index("versions") < shown.index(OLD) < shown.index(NEW) < shown.index("events")
    assert "superseded" in shown


def test_profile_counts_and_highlights(hm: Terminal) -> None:
    """Of the scope alone."""
    hm.add("Billing uses NATS", "--at", "2026-05-03", "--type", "decision")
    hm.add(CHATTER)
    hm.add("elsewhere", "--scope", "other")
    shown = hm.out("profile")
    assert "1 active, 1 low_signal" in shown
    assert "Billing uses NATS" in shown
    assert "elsewhere" not in shown
    assert hm.json("profile", "--scope", "other")["counts"] == {"active": 1}


def test_an_empty_profile_is_shown_too(hm: Terminal) -> None:
    """With dashes instead of dates."""
    assert "- to -" in hm.out("profile")
