"""Short races; ``make torture`` makes the long ones."""

from __future__ import annotations

from pathlib import Path

from torture.locks import write_locks
from torture.race import race
from torture.report import Tally
from torture.talk import talk

from tests.servers import postgres


def test_racing_processes_leave_a_history_that_has_an_order(tmp_path: Path) -> None:
    """On one file, and about two subjects, so that they are in each other's way."""
    raced = race(str(tmp_path / "store.db"), processes=6, calls=10, seed=5, topics=2)
    assert raced.wrong == []
    assert len(raced.calls) + raced.busy == 60


def test_racing_processes_have_an_order_on_postgresql(postgres_url: str) -> None:
    """Likewise."""
    raced = race(postgres_url, processes=4, calls=6, seed=5, topics=2)
    assert raced.wrong == []
    assert len(raced.calls) + raced.busy == 24


def test_talk_that_is_taken_in_while_turns_are_forgotten_tells_nothing_of_them(
    tmp_path: Path,
) -> None:
    """No word of them, in any episode or topic."""
    tally = Tally("talk")
    talk(str(tmp_path / "store.db"), processes=4, rounds=5, seed=1, tally=tally)
    assert tally.violations == []


def test_waits_are_bounded_and_a_dead_process_holds_nothing(tmp_path: Path) -> None:
    """On a file."""
    tally = Tally("locks")
    write_locks(str(tmp_path / "store.db"), tally)
    assert tally.violations == []


def test_the_same_on_postgresql(postgres_server: postgres.Server) -> None:
    """A scope's row is the lock there."""
    tally = Tally("locks")
    with postgres_server.store() as url:
        write_locks(url, tally)
    assert tally.violations == []
