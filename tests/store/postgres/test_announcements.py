"""Change numbers are asked for once, and kept by what writers announce."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus

from hypermnesia.errors import StoreError
from hypermnesia.store.postgres import announcements
from hypermnesia.store.postgres.address import address_of
from hypermnesia.store.postgres.announcements import Announcements, channel_of
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.statements import Link
from hypermnesia.store.postgres.store import PostgresStore
from tests.servers.postgres import PATIENCE, Server
from tests.store.bench import Bench, node

Admin = psycopg.Connection[Any]
Opening = Callable[[str], Announcements]
UNSENDABLE = "x" * 64  # no name of a channel has as many bytes


@pytest.fixture
def opening() -> Iterator[Opening]:
    """Opens what announces and listens as a process of its own would."""
    with ExitStack() as stack:

        def opened(url: str) -> Announcements:
            connections = Connections(address_of(url, connect_timeout=10), 10, 4)
            stack.callback(connections.close)
            found = Announcements(connections)
            stack.callback(found.close)
            return found

        yield opened


@pytest.fixture
def here(opening: Opening, postgres_url: str) -> Announcements:
    """A process that searches."""
    return opening(postgres_url)


@pytest.fixture
def there(opening: Opening, postgres_url: str) -> Announcements:
    """Another process, that writes."""
    return opening(postgres_url)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listen again without a pause."""
    monkeypatch.setattr(announcements, "RETRY_SECONDS", 0)


def refuse() -> int:
    """The primary must not be asked."""
    raise AssertionError


def write(where: Announcements, scope: int, number: int) -> None:
    """Commit a transaction that took a change number."""
    with where.transaction({scope: number}):
        pass


def heard(where: Announcements, scope: int, number: int) -> None:
    """Wait until a number was delivered, while the primary is not asked."""
    deadline = time.monotonic() + PATIENCE
    while where.latest(scope, refuse) != number:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def listeners(admin: Admin, where: Announcements) -> list[int]:
    """Sessions of the server whose last statement was to listen."""
    rows = admin.execute(
        "SELECT pid FROM pg_stat_activity WHERE query = %s", (f'LISTEN "{where._channel}"',)
    )
    return [row[0] for row in rows]


def end_listening(admin: Admin, where: Announcements) -> None:
    """End the session that listens, and wait until it is gone."""
    (pid,) = listeners(admin, where)
    admin.execute("SELECT pg_terminate_backend(%s, 60000)", (pid,))


def test_a_scope_is_asked_for_once_and_announced_from_then_on(
    here: Announcements, there: Announcements
) -> None:
    """Of a scope that is not searched nothing is kept."""
    assert here.latest(1, lambda: 3) == 3
    write(there, 2, 9)
    write(there, 1, 4)
    heard(here, 1, 4)
    assert list(here._numbers) == [1]
    assert here.latest(2, lambda: 9) == 9


def test_an_announcement_that_comes_late_lowers_nothing(
    here: Announcements, there: Announcements
) -> None:
    """Writers announce after they committed, in whatever order."""
    here.latest(1, lambda: 0)
    here.latest(2, lambda: 0)
    write(there, 1, 4)
    write(there, 1, 3)
    write(there, 2, 1)
    heard(here, 2, 1)
    assert here.latest(1, refuse) == 4


def test_what_is_changed_here_is_known_without_an_announcement(
    here: Announcements, caplog: pytest.LogCaptureFixture
) -> None:
    """One that cannot be sent fails no write, and the log says so."""
    here.latest(1, lambda: 3)
    here._channel = UNSENDABLE
    with caplog.at_level(logging.WARNING, "hypermnesia"):
        write(here, 1, 4)
    assert "not announced" in caplog.text
    assert here.latest(1, refuse) == 4


def test_a_write_whose_announcement_fails_is_stored(
    postgres_url: str, store: PostgresStore, bench: Bench, admin: Admin
) -> None:
    """And the connection works on."""
    store._announcements._channel = UNSENDABLE
    bench.put(node("alpha"))
    bench.put(node("beta"))
    assert store.counts("a")["status"] == {"active": 2}
    assert store.check().problems == ()


def test_an_announcement_that_is_lost_is_made_up_for_by_the_next(
    here: Announcements, opening: Opening, postgres_url: str, there: Announcements
) -> None:
    """Until then the number is the one before; nobody is asked, and nothing fails."""
    here.latest(1, lambda: 3)
    here.latest(2, lambda: 0)
    silent = opening(postgres_url)
    silent._channel = UNSENDABLE
    write(silent, 1, 4)
    write(there, 2, 1)
    heard(here, 2, 1)
    assert here.latest(1, refuse) == 3
    write(there, 1, 5)
    heard(here, 1, 5)


def test_a_change_is_committed_before_it_is_announced(
    store: PostgresStore, bench: Bench, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a transaction of its own, so that commits do not wait for each other's flush."""
    said: list[tuple[dict[int, int], list[Any], TransactionStatus]] = []
    send = store._announcements._announce

    def spy(connection: Link, changes: dict[int, int]) -> None:
        stored = admin.execute("SELECT scope, value FROM change ORDER BY scope").fetchall()
        said.append((dict(changes), stored, connection.info.transaction_status))
        send(connection, changes)

    monkeypatch.setattr(store._announcements, "_announce", spy)
    bench.put(node("alpha"), node("beta", scope="b"))
    ((changes, stored, status),) = said
    assert sorted(changes.items()) == stored
    assert len(stored) == 2
    assert status is TransactionStatus.IDLE


def test_an_announcement_waits_for_no_flush_and_not_long_for_its_turn(
    admin: Admin, here: Announcements
) -> None:
    """The settings end with its transaction."""

    def settings() -> list[object]:
        names = ("synchronous_commit", "lock_timeout")
        query = "SELECT current_setting(%s)"
        return [row[0] for n in names for row in admin.execute(query, (n,)).fetchall()]

    admin.execute("SET synchronous_commit = on")
    with admin.transaction():
        here._announce(admin, {1: 1})
        assert settings() == ["off", "1s"]
    assert settings() == ["on", "0"]


def test_a_change_that_may_have_been_committed_is_asked_for(here: Announcements) -> None:
    """Who lost the connection while it committed does not know."""
    here.latest(1, lambda: 3)
    with pytest.raises(KeyboardInterrupt), here.transaction({1: 4}):
        raise KeyboardInterrupt
    assert here.latest(1, lambda: 4) == 4


def test_a_store_that_was_reindexed_is_asked_for(store: PostgresStore, bench: Bench) -> None:
    """The rebuild takes change numbers of every scope."""
    bench.put(node("alpha"))
    assert store._announcements.latest(1, lambda: 1) == 1
    store.reindex(lambda _texts: [], lambda _done, _total: None)
    assert store._announcements.latest(1, lambda: 2) == 2


def test_a_session_that_was_ended_is_replaced(
    here: Announcements, there: Announcements, admin: Admin, at_once: None
) -> None:
    """What was known is asked for again, since announcements may have been missed."""
    here.latest(1, lambda: 3)
    end_listening(admin, here)
    write(there, 1, 4)
    assert here.latest(1, lambda: 4) == 4
    assert here.latest(1, lambda: 4) == 4
    write(there, 1, 5)
    heard(here, 1, 5)
    assert len(listeners(admin, here)) == 1


def test_the_end_is_seen_behind_the_last_announcements(
    here: Announcements, there: Announcements, admin: Admin
) -> None:
    """A server that goes down says so, then hangs up; both lie unread behind announcements."""
    here.latest(1, lambda: 0)
    for number in range(1, 2000):
        there._primary.fetch("SELECT pg_notify(%s, %s)", (here._channel, f"1 {number}"))
    end_listening(admin, here)
    assert here.latest(1, lambda: 2000) == 2000
    assert here._connection is None


def test_who_cannot_listen_asks_every_time(
    here: Announcements, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And tries again after a while, not at every search."""

    def unreachable() -> Link:
        raise StoreError("no connection")

    monkeypatch.setattr(here._primary, "connect", unreachable)
    with caplog.at_level(logging.WARNING, "hypermnesia"):
        assert [here.latest(1, lambda n=n: n) for n in (3, 4, 5)] == [3, 4, 5]
    assert caplog.text.count("not listened for") == 1
    monkeypatch.undo()
    here._next = 0
    assert here.latest(1, lambda: 6) == 6
    assert here.latest(1, refuse) == 6


def test_a_connection_that_may_not_listen_is_closed(
    here: Announcements, admin: Admin, monkeypatch: pytest.MonkeyPatch, at_once: None
) -> None:
    """As that to a standby is, or through a pooler that forbids it."""
    made: list[Link] = []
    connect = here._primary.connect

    def connected() -> Link:
        made.append(connect())
        return made[-1]

    monkeypatch.setattr(here._primary, "connect", connected)
    here._channel = ""  # which no server listens on
    assert here.latest(1, lambda: 3) == 3
    assert [connection.closed for connection in made] == [True]


def test_two_stores_in_one_database_do_not_hear_each_other(
    here: Announcements, there: Announcements, opening: Opening, postgres_server: Server
) -> None:
    """Their scopes have the same numbers."""
    here.latest(1, lambda: 0)
    with postgres_server.store() as url:
        elsewhere = opening(url)
        write(elsewhere, 1, 9)
        write(there, 1, 3)
        heard(here, 1, 3)
        elsewhere.close()
        elsewhere._primary.close()


def test_a_channel_fits_the_longest_schema() -> None:
    """A name has at most 63 bytes, and so has that of a schema."""
    assert len({channel_of("a" * 63), channel_of("a" * 62), channel_of("b")}) == 3
    assert len(channel_of("a" * 63)) <= 63


def test_what_is_no_announcement_says_nothing(
    here: Announcements, there: Announcements, admin: Admin
) -> None:
    """Everybody who may connect may send on the channel."""
    here.latest(1, lambda: 3)
    for payload in ("", "1", "x y", "1 -9", "1 9 9", "9" * 30 + " 9", "1 9\n"):
        admin.execute("SELECT pg_notify(%s, %s)", (here._channel, payload))
    write(there, 1, 4)
    heard(here, 1, 4)


def test_the_scopes_used_last_are_kept(
    here: Announcements, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others are asked for again."""
    monkeypatch.setattr(announcements, "SCOPES", 2)
    for scope in (1, 2, 1, 3):
        here.latest(scope, lambda: 5)
    assert [here.latest(scope, refuse) for scope in (1, 3)] == [5, 5]
    assert here.latest(2, lambda: 6) == 6


def test_what_changes_while_the_primary_is_asked_is_not_missed(here: Announcements) -> None:
    """Whether it is noted, or what is known is forgotten meanwhile."""

    def overtaken() -> int:
        here.note({1: 5})
        return 4

    def forgotten() -> int:
        here.forget()
        here.note({2: 5})
        return 4

    assert here.latest(1, overtaken) == 5
    assert here.latest(1, refuse) == 5
    assert here.latest(2, forgotten) == 4
    assert here.latest(2, lambda: 5) == 5


def test_one_thread_begins_to_listen_and_the_others_ask(
    here: Announcements, admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for a connection that takes its time."""
    begun, go_on = threading.Event(), threading.Event()
    connect = here._primary.connect

    def slowly() -> Link:
        begun.set()
        assert go_on.wait(PATIENCE)
        return connect()

    monkeypatch.setattr(here._primary, "connect", slowly)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(here.latest, 1, lambda: 3)
        assert begun.wait(PATIENCE)
        assert here.latest(1, lambda: 4) == 4
        go_on.set()
        assert first.result(PATIENCE) == 3
    assert len(listeners(admin, here)) == 1


def test_many_threads_hear_the_same(here: Announcements, there: Announcements) -> None:
    """No announcement is read twice or lost between them, and no number falls."""
    here.latest(1, lambda: 0)

    def follow() -> list[int]:
        seen = [0]
        deadline = time.monotonic() + PATIENCE
        while seen[-1] < 50:
            assert time.monotonic() < deadline
            seen.append(here.latest(1, refuse))
        return seen

    with ThreadPoolExecutor(4) as pool:
        followers = [pool.submit(follow) for _ in range(3)]
        for number in range(1, 51):
            write(there, 1, number)
        for each in followers:
            seen = each.result(PATIENCE)
            assert seen == sorted(seen)


def test_closing_ends_the_session(
    here: Announcements, admin: Admin, opening: Opening, postgres_url: str
) -> None:
    """For good, even if it was just being made; closing twice is no error."""
    here.latest(1, lambda: 3)
    (pid,) = listeners(admin, here)
    here.close()
    here.close()
    assert here.latest(1, lambda: 4) == 4
    gone(admin, pid)
    late = opening(postgres_url)
    connection = late._listening()
    late.close()
    late._begin(connection)
    assert connection.closed


def gone(admin: Admin, pid: int) -> None:
    """Wait until the server has ended a session."""
    deadline = time.monotonic() + PATIENCE
    query = "SELECT 1 FROM pg_stat_activity WHERE pid = %s"
    while admin.execute(query, (pid,)).fetchone():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@contextmanager
def forked(connections: Connections) -> Generator[None]:
    """As if another process had opened them."""
    own, connections._process = connections._process, -1
    yield
    connections._process = own


def test_a_forked_process_leaves_the_session_alone(
    here: Announcements, there: Announcements
) -> None:
    """It can neither write nor end what its parent listens on."""
    here.latest(1, lambda: 3)
    with forked(here._primary):
        with pytest.raises(StoreError, match="forked"), here.transaction({}):
            pass
        here.close()
    write(there, 1, 4)
    heard(here, 1, 4)


def test_a_peer_that_dies_or_never_reads_is_noticed(here: Announcements) -> None:
    """By the kernel on this side, by the server on the other."""
    here.latest(1, lambda: 3)
    assert here._connection is not None
    assert {"keepalives_idle", "tcp_user_timeout"} <= here._connection.info.get_parameters().keys()
    (row,) = here._connection.execute("SELECT current_setting('idle_session_timeout')").fetchall()
    assert row == ("1h",)
