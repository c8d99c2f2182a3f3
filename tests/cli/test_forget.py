"""forget: what goes is shown first, and nothing goes unasked."""

from __future__ import annotations

import hashlib

import pytest

from hypermnesia.cli import forget
from hypermnesia.store.sqlite import erasure
from hypermnesia.types import Absence
from tests.cli.conftest import NEW, OLD, Terminal


def _left(hm: Terminal, scope: str = "default") -> list[str]:
    return sorted(item["content"] for item in hm.json("list", "--scope", scope)["items"])


def _asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forget, "can_ask", lambda: True)


def test_ids_are_erased_and_counted(hm: Terminal) -> None:
    """Several at once; the others stay."""
    first, second = hm.add("one fact"), hm.add("another fact")
    hm.add("a third")
    result = hm.run("forget", "--id", first, "--id", second, "--yes")
    assert result.exit_code == 0
    assert "one fact" in result.stdout
    assert result.stderr == "2 memories forgotten\n"
    assert _left(hm) == ["a third"]


def test_a_dry_run_erases_nothing(hm: Terminal) -> None:
    """It shows the text of what would go, and needs no consent."""
    hm.add("one fact")
    result = hm.run("forget", "--query", "one fact", "--dry-run")
    assert "one fact" in result.stdout
    assert result.stderr == "1 memory would be forgotten\n"
    assert _left(hm) == ["one fact"]


def test_a_query_erases_what_is_alike(hm: Terminal) -> None:
    """Down to a similarity that can be set."""
    hm.add("one fact")
    hm.add("something else")
    assert hm.json("forget", "--query", "one", "--min-similarity", "1", "--yes")["ids"] == []
    assert len(hm.json("forget", "--query", "one fact", "--yes")["ids"]) == 1
    assert _left(hm) == ["something else"]


def test_a_whole_scope_is_erased_only_by_its_name(hm: Terminal) -> None:
    """--all without --scope is a usage error, whatever the default is."""
    hm.add("one fact", "--scope", "acme")
    hm.add("elsewhere")
    assert hm.run("forget", "--all", "--yes").exit_code == 2
    assert hm.run("forget", "--all", "--scope", "acme", "--yes").exit_code == 0
    assert (_left(hm, "acme"), _left(hm)) == ([], ["elsewhere"])


def test_of_many_only_the_first_are_listed(hm: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the number of the others is told."""
    monkeypatch.setattr(forget, "SHOWN", 2)
    for number in range(5):
        hm.add(f"fact number {number}")
    result = hm.run("forget", "--all", "--scope", "default", "--yes")
    assert len(result.stdout.splitlines()) == 2
    assert result.stderr == "... and 3 more\n5 memories forgotten\n"


def test_without_a_terminal_consent_must_be_given(hm: Terminal) -> None:
    """A usage error, and nothing is erased."""
    result = hm.run("forget", "--id", hm.add("one fact"))
    assert result.exit_code == 2
    assert "--yes" in result.stderr
    assert _left(hm) == ["one fact"]


@pytest.mark.parametrize(("answer", "status", "left"), [("y", 0, 0), ("n", 1, 1), ("", 1, 1)])
def test_on_a_terminal_a_person_is_asked(
    hm: Terminal, monkeypatch: pytest.MonkeyPatch, answer: str, status: int, left: int
) -> None:
    """No is the default; the question stands on stderr."""
    _asked(monkeypatch)
    result = hm.run("forget", "--id", hm.add("one fact"), stdin=f"{answer}\n")
    assert result.exit_code == status
    assert "Erase 1 memory for good?" in result.stderr
    assert "Erase" not in result.stdout
    assert len(_left(hm)) == left


def test_an_unknown_id_erases_nothing(hm: Terminal) -> None:
    """Not even the known one beside it."""
    known = hm.add("one fact")
    other = "01890a5d-ac96-774b-bcce-b302099a8057"
    assert hm.run("forget", "--id", known, "--id", other, "--yes").exit_code == 1
    assert _left(hm) == ["one fact"]


@pytest.mark.parametrize("selection", [[], ["--query", "a", "--all"], ["--id", "x", "--query", ""]])
def test_exactly_one_selection_is_wanted(hm: Terminal, selection: list[str]) -> None:
    """None or two are usage errors."""
    assert hm.run("forget", *selection, "--yes", "--scope", "default").exit_code == 2


def test_a_receipt_is_printed_and_passes_as_json(hm: Terminal) -> None:
    """A line for each place, with what was found there; digests instead of ids."""
    one, two = hm.add("one fact of some length"), hm.add("another fact of some length")
    result = hm.run("forget", "--erase", "--id", one, "--yes")
    assert result.exit_code == 0, result.output
    assert "0\tdatabase file\tevery byte searched\tpieces of their texts" in result.stdout
    assert hashlib.sha256(one.encode()).hexdigest() in result.stdout
    receipt = hm.json("forget", "--erase", "--id", two, "--yes")["receipt"]
    assert receipt["complete"] is True
    assert receipt["erased"] == [hashlib.sha256(two.encode()).hexdigest()]
    assert all(place["found"] == 0 for place in receipt["places"])


def test_erasing_goes_over_what_was_forgotten_already(hm: Terminal) -> None:
    """Which is how an interrupted one is finished; without --erase it stays an error."""
    gone = hm.add("one fact")
    hm.out("forget", "--id", gone, "--yes")
    assert hm.run("forget", "--id", gone, "--yes").exit_code == 1
    assert hm.json("forget", "--erase", "--id", gone, "--yes")["receipt"]["complete"] is True


def test_a_dry_run_of_erasing_shows_earlier_versions(hm: Terminal) -> None:
    """They would go too; there is no receipt of what did not happen."""
    hm.add(OLD)
    new = hm.add(NEW)
    found = hm.json("forget", "--erase", "--id", new, "--dry-run")
    assert len(found["ids"]) == 2
    assert found["receipt"] is None
    assert OLD in hm.out("forget", "--erase", "--id", new, "--dry-run")


def test_what_is_left_is_a_failure(hm: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit status 1, and a line that says so."""
    gone = hm.add("one fact of some length")

    def left(*_: object) -> list[Absence]:
        return [Absence("database file", "pieces of their texts", "every byte searched", 1)]

    monkeypatch.setattr(erasure, "purge", left)
    result = hm.run("forget", "--erase", "--id", gone, "--yes")
    assert result.exit_code == 1
    assert "something of them is left" in result.stderr
