"""What a recall leaves behind, while its memory is erased or consent is withdrawn."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg

from hypermnesia.identity import new_id
from hypermnesia.store.outbox import Queued
from hypermnesia.store.postgres.outbox import enqueue
from hypermnesia.store.postgres.store import PostgresStore
from hypermnesia.store.postgres.writer import count_recall
from hypermnesia.store.protocol import Filter
from tests.store.bench import NOON, Bench, node

Admin = psycopg.Connection[Any]
PATIENCE = 120
WAITING = """SELECT 1 FROM pg_stat_activity
    WHERE application_name = 'hypermnesia' AND wait_event_type = 'Lock'"""


def during_a_recall(
    store: PostgresStore, keys: list[int], row: Queued, act: Callable[[], object], admin: Admin
) -> None:
    """Act while a recall is counted and queued, which is committed once the act waits for it."""
    thread = threading.Thread(target=act)
    with store._connections.transaction() as connection:
        count_recall(connection, "a", keys, {})
        assert enqueue(connection, [row]) == 1
        thread.start()
        deadline = time.monotonic() + PATIENCE
        while not admin.execute(WAITING).fetchall():
            assert time.monotonic() < deadline
            time.sleep(0.02)
    thread.join(PATIENCE)
    assert not thread.is_alive()


def left(admin: Admin) -> list[int]:
    """Rows of counters and of the queue."""
    row = admin.execute(
        "SELECT (SELECT count(*) FROM access), (SELECT count(*) FROM outbox),"
        " (SELECT count(*) FROM outbox_memory)"
    ).fetchone()
    assert row is not None
    return list(row)


def prepared(bench: Bench) -> tuple[str, list[int], Queued]:
    """A memory of a scope that agreed, its key, and a judgement of it."""
    one = node("alpha")
    bench.put(one)
    with bench.store.write() as writer:
        writer.consent("a", given=True)
    keys = list(bench.keys(Filter("a"), "alpha").values())
    return one.id, keys, Queued(new_id(), "a", "rerank", (one.id,), NOON, "{}")


def test_erasing_waits_for_a_recall_and_takes_it_along(
    store: PostgresStore, bench: Bench, admin: Admin
) -> None:
    """No counter and no queued words of an erased memory stay."""
    memory_id, keys, row = prepared(bench)
    during_a_recall(store, keys, row, lambda: bench.erase(memory_id), admin)
    assert left(admin) == [0, 0, 0]
    assert store.check().problems == ()


def test_withdrawing_consent_waits_for_a_recall_and_drops_what_it_queued(
    store: PostgresStore, bench: Bench, admin: Admin
) -> None:
    """Nothing that was judged before stays in the queue."""
    _, keys, row = prepared(bench)

    def withdraw() -> None:
        with store.write() as writer:
            writer.consent("a", given=False)

    during_a_recall(store, keys, row, withdraw, admin)
    assert left(admin) == [1, 0, 0]
