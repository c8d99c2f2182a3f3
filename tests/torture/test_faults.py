"""A short run of each fault; ``make torture`` is the long one."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import apsw
import pytest
from torture.clocks import clock_jumps
from torture.disks import FAILURES, failing, failing_writes, full_disk, read_only_disk
from torture.endpoints import nonsense
from torture.faults import Round
from torture.kills import Kills, files
from torture.logs import damaged_logs
from torture.opening import Reading, open_memory
from torture.power import power_cuts
from torture.report import Tally
from torture.servers import Crashing, crashing, network_cuts, server_restarts
from torture.steps import VERBS, Verb

from hypermnesia.store.sqlite import connection
from tests.servers.postgres import OWN_SERVER

SEED = 11


@pytest.fixture
def tally() -> Iterator[Tally]:
    """Counts rounds; there must be some, and nothing wrong in any."""
    tally = Tally("a test")
    yield tally
    assert tally.violations == []
    assert tally.total or tally.notes


@pytest.fixture(scope="module")
def server() -> Iterator[Crashing]:
    """A server of this module's own, which may be crashed."""
    with crashing() as server:
        yield server


@pytest.mark.parametrize("verb", VERBS)
def test_a_killed_process_loses_nothing(tmp_path: Path, tally: Tally, verb: Verb) -> None:
    """In the middle of any verb."""
    Kills(files(tmp_path), tmp_path, Random(f"{SEED} {verb}")).round(verb, tally)


@pytest.mark.parametrize(
    "one",
    [damaged_logs, power_cuts, failing_writes, full_disk, read_only_disk, clock_jumps],
)
def test_a_fault_loses_nothing(tmp_path: Path, tally: Tally, one: Round) -> None:
    """Of the machine under a file."""
    one(tmp_path, Random(SEED), tally)


def test_nonsense_loses_nothing(tmp_path: Path, tally: Tally) -> None:
    """From a judge on a server."""
    nonsense(tmp_path, Random(3), tally, ways=3)


@OWN_SERVER
@pytest.mark.long
def test_a_network_cut_loses_nothing(tmp_path: Path, tally: Tally, server: Crashing) -> None:
    """Between a process and PostgreSQL."""
    with server.store() as url:
        network_cuts(url, tmp_path, Random(SEED), tally, number=3)


@OWN_SERVER
def test_a_crash_of_the_server_loses_nothing(
    tmp_path: Path, tally: Tally, server: Crashing
) -> None:
    """PostgreSQL comes back with everything that it acknowledged."""
    with server.store() as url:
        server_restarts(url, server, tmp_path, Random(SEED), tally, number=1)


def test_a_store_that_does_not_wait_for_the_disk_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The power cuts are real enough to lose what was not synced."""
    prepare = connection._prepare

    def careless(writer: apsw.Connection, path: Path, wait: float) -> None:
        prepare(writer, path, wait)
        writer.execute("PRAGMA synchronous = OFF")

    monkeypatch.setattr(connection, "_prepare", careless)
    tally = Tally("careless")
    for number in range(10):
        (folder := tmp_path / str(number)).mkdir()
        power_cuts(folder, Random(number), tally)
        if tally.violations:
            break
    assert tally.violations


@pytest.mark.parametrize("failure", FAILURES)
def test_what_is_forgotten_is_forgotten_though_the_log_cannot_be_emptied(
    tmp_path: Path, failure: str
) -> None:
    """The error of a disk comes too late to say that nothing was changed; the next write tries."""
    place = tmp_path / "store.db"
    log = tmp_path / "store.db-wal"
    with failing() as shim, open_memory(str(place)) as memory, Reading(str(place)) as reading:
        gone = memory.add("a note of zebracorn").id
        shim.fails, shim.left, shim.only = FAILURES[failure], 0, place.suffix
        memory.forget(ids=[gone])
        shim.left = None
        assert reading.fetch("SELECT status FROM memory") == [("deleted",)]
        assert b"zebracorn" in log.read_bytes()
        memory.add("another note")
        assert b"zebracorn" not in log.read_bytes() + place.read_bytes()
        assert memory.check().problems == ()
