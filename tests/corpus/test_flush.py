"""Queued rows leave oldest first, once, scanned, by one writer, and with consent alone."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.corpus import flush as flushing
from hypermnesia.corpus import outgoing
from hypermnesia.corpus.files import read_rows, write_rows
from hypermnesia.corpus.flush import LEASE, flush, flush_due
from hypermnesia.engine import CorpusPolicy, RowFormat
from hypermnesia.errors import Conflict, CorpusError, InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.store.outbox import Queued
from hypermnesia.store.sqlite.store import SqliteStore
from tests.conftest import OpenMemory
from tests.corpus.queues import KEY, agreeing, lines, queue, rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where batches go; not there yet."""
    return tmp_path / "a" / "out"


@pytest.fixture
def memory(open_memory: OpenMemory, folder: Path) -> Memory:
    """A memory that agreed, with five memories and ten comparisons."""
    memory = agreeing(open_memory, folder)
    memory.add_many([f"alpha {word}" for word in ("one", "two", "three", "four", "five")])
    return memory


def left(folder: Path) -> list[Any]:
    """Rows of all files, in the order of their names, which is that of their making."""
    return [row for path in sorted(folder.glob("*.jsonl")) for row in lines(path)]


def tampered(memory: Memory, sql: str, *values: object) -> None:
    """Change the queue behind the product's back."""
    store = memory._engine.store
    assert isinstance(store, SqliteStore)
    with store._connections.transaction() as connection:
        connection.execute(sql, values)


def test_everything_queued_leaves_once_in_its_order(memory: Memory, folder: Path) -> None:
    """Into one file of JSON lines; a second flush has nothing to do."""
    expected = rows(memory)
    done = memory.corpus_flush()
    assert (done.rows, done.withheld, done.pending) == (15, 0, 0)
    assert left(folder) == expected
    again = memory.corpus_flush()
    assert (again.rows, again.files) == (0, [])
    assert len(left(folder)) == 15


def test_a_file_holds_at_most_a_batch(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest rows in the first; progress is told file by file."""
    assert flushing.BATCH == 200
    monkeypatch.setattr(flushing, "BATCH", 6)
    expected, told = rows(memory), list[int]()
    done = memory.corpus_flush(progress=told.append)
    assert [len(lines(path)) for path in done.files] == [6, 6, 3] == told
    assert left(folder) == expected


def test_the_files_are_the_owners_alone(memory: Memory) -> None:
    """Like the store."""
    (path,) = memory.corpus_flush().files
    assert path.stat().st_mode & 0o077 == 0


def test_one_scope_can_leave_alone(memory: Memory, folder: Path) -> None:
    """The others wait."""
    memory.corpus_consent(given=True, scope="b")
    memory.add("beta", scope="b")
    done = memory.corpus_flush(scope="b")
    assert (done.rows, done.pending) == (1, 0)
    assert memory.corpus_stats().pending == 15
    assert [row["state"]["memory"] for row in left(folder)] == ["beta"]


def test_parquet_holds_the_same_rows(open_memory: OpenMemory, folder: Path) -> None:
    """Objects are JSON text there, because a column has one type."""
    from pyarrow import parquet

    memory = agreeing(open_memory, corpus=CorpusPolicy(folder=folder, format="parquet"))
    memory.add_many(["alpha one", "alpha two"])
    (path,) = memory.corpus_flush().files
    assert path.suffix == ".parquet"
    table: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    assert [json.loads(row["answers"]) for row in table] == [row["answers"] for row in rows(memory)]
    assert list(read_rows(path, "parquet")) == rows(memory)


def test_withdrawn_consent_keeps_everything_here(memory: Memory, folder: Path) -> None:
    """What was queued is dropped, and what is added later is not queued."""
    assert memory.corpus_consent(given=False).dropped == 15
    memory.add("beta")
    assert memory.corpus_flush().rows == 0
    assert left(folder) == []
    assert queue(memory) == []


def test_consent_withdrawn_while_a_file_is_written_keeps_it_here(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked again before the file takes its place."""
    write = flushing.write

    def withdrawing(path: Path, queued: list[Queued], kind: RowFormat) -> object:
        memory.corpus_consent(given=False)
        return write(path, queued, kind)

    monkeypatch.setattr(flushing, "write", withdrawing)
    assert memory.corpus_flush().rows == 0
    assert list(folder.glob("*.jsonl")) == []


def test_a_memory_forgotten_while_a_file_is_written_is_not_in_it(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is written anew without its rows."""
    write, gone = flushing.write, memory.list().items[0]

    def forgetting(path: Path, queued: list[Queued], kind: RowFormat) -> object:
        found = write(path, queued, kind)
        monkeypatch.setattr(flushing, "write", write)
        memory.forget(ids=[gone.id])
        return found

    monkeypatch.setattr(flushing, "write", forgetting)
    assert memory.corpus_flush().rows == 10
    assert gone.content not in json.dumps(left(folder))


def test_a_row_in_which_the_scan_finds_something_stays_here(
    memory: Memory, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """For good, counted, with the rule named and nothing else."""
    tampered(memory, "UPDATE outbox SET body = replace(body, 'alpha three', ?)", KEY)
    with caplog.at_level(logging.WARNING):
        done = memory.corpus_flush()
    assert done.withheld == 5  # its analysis and its comparisons
    assert done.rows == 10
    assert KEY not in json.dumps(left(folder)) + caplog.text
    assert "the scan found stripe-key" in caplog.text
    assert sum(tally.error for tally in memory.corpus_stats().tallies) == 5
    assert memory.corpus_flush().rows == 0


def test_a_damaged_row_stays_here(memory: Memory, folder: Path) -> None:
    """And keeps no other from leaving."""
    first, second, third = (item.id for item in queue(memory)[:3])
    tampered(memory, "UPDATE outbox SET body = '{' WHERE id = ?", first)
    tampered(memory, "UPDATE outbox SET body = '{}' || char(10) || '{}' WHERE id = ?", second)
    tampered(memory, "UPDATE outbox SET body = replace(body, id, 'other') WHERE id = ?", third)
    done = memory.corpus_flush()
    assert (done.rows, done.withheld) == (12, 3)
    assert len(left(folder)) == 12


def test_the_whole_file_is_read_back_before_it_leaves(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is what is in the file, not what was meant to be."""

    def spoiling(path: Path, bodies: list[str], kind: RowFormat) -> None:
        write_rows(path, [body.replace("alpha two", KEY) for body in bodies], kind)

    monkeypatch.setattr(outgoing, "write_rows", spoiling)
    done = memory.corpus_flush()
    assert (done.rows, done.withheld) == (10, 5)
    assert KEY not in json.dumps(left(folder))


def test_one_process_hands_over_at_a_time(memory: Memory, folder: Path) -> None:
    """Another is refused until the first is done, or has given no sign of life for long."""
    now = datetime.now(UTC)
    with memory._engine.store.write() as writer:
        assert writer.hold_queue("someone else", now, now + LEASE)
    with pytest.raises(Conflict, match="another process is handing over"):
        flush(memory._engine, clock=lambda: now + LEASE - timedelta(seconds=1))
    assert left(folder) == []
    assert flush(memory._engine, clock=lambda: now + LEASE).rows == 15


def test_a_flush_that_was_taken_over_closes_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was away for so long that another began; the rows are in one file all the same."""
    now = datetime.now(UTC)
    write = flushing.write

    def slow(path: Path, queued: list[Queued], kind: RowFormat) -> object:
        monkeypatch.setattr(flushing, "write", write)
        with memory._engine.store.write() as writer:
            assert writer.hold_queue("someone else", now + 2 * LEASE, now + 3 * LEASE)
        return write(path, queued, kind)

    monkeypatch.setattr(flushing, "write", slow)
    with pytest.raises(Conflict):
        flush(memory._engine, clock=lambda: now)
    assert memory.corpus_stats().pending == 15
    with memory._engine.store.write() as writer:
        writer.release_queue("someone else")
    done = memory.corpus_flush()
    assert (done.rows, len(done.files)) == (15, 1)


def test_what_was_begun_in_another_scope_is_finished_first(memory: Memory, folder: Path) -> None:
    """Rows that are in a batch would wait for ever otherwise."""
    with memory._engine.store.write() as writer:
        writer.claim_batch("begun.jsonl", 200, None)
    memory.corpus_consent(given=True, scope="b")
    assert memory.corpus_flush(scope="b").rows == 15
    assert len(left(folder)) == 15


def test_a_batch_that_lost_all_its_rows_leaves_no_file(
    memory: Memory, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of the first attempt goes, too."""
    policy = CorpusPolicy(folder=folder, repo="me/mine")
    object.__setattr__(memory._engine, "corpus", policy)

    def failing(*_: object) -> None:
        raise CorpusError("told to fail")

    monkeypatch.setattr(flushing, "upload", failing)
    with pytest.raises(CorpusError, match="told to fail"):
        memory.corpus_flush()
    assert len(left(folder)) == 15
    memory.forget(scope="default")
    object.__setattr__(memory._engine, "corpus", CorpusPolicy(folder=folder))
    assert memory.corpus_flush().rows == 0
    assert left(folder) == []


def test_the_totals_stand_beside_the_files(memory: Memory, folder: Path) -> None:
    """Over all flushes of the store."""
    memory.corpus_flush()
    memory.add("beta")
    tampered(memory, "UPDATE outbox SET body = '{' WHERE state = 'pending'")
    memory.corpus_flush()
    memory.add("gamma")
    pending = memory.corpus_stats().pending
    memory.corpus_consent(given=False)
    memory.corpus_flush()
    (path,) = folder.glob("*.json")
    totals = json.loads(path.read_text("utf-8"))
    assert totals["by_use_case"] == {"analyze": 5, "supersede": 10}
    assert totals["rows"] == 15
    assert (totals["withheld"], totals["unredacted"]) == (0, 0)
    assert totals["dropped"] >= pending
    assert "default" not in path.read_text("utf-8")


def test_stores_can_share_a_folder(open_memory: OpenMemory, memory: Memory, folder: Path) -> None:
    """Their files and totals bear different names."""
    other = agreeing(open_memory, folder, name="other.db")
    other.add("beta")
    memory.corpus_flush()
    other.corpus_flush()
    assert len(list(folder.glob("*.jsonl"))) == len(list(folder.glob("*.json"))) == 2


def test_a_folder_that_cannot_be_made_is_told(open_memory: OpenMemory, tmp_path: Path) -> None:
    """Nothing leaves, everything stays."""
    (tmp_path / "file").touch()
    memory = agreeing(open_memory, tmp_path / "file" / "out")
    memory.add("alpha")
    with pytest.raises(CorpusError, match="name another corpus_folder"):
        memory.corpus_flush()
    assert memory.corpus_stats().pending == 1


def test_without_a_folder_nothing_can_leave(open_memory: OpenMemory) -> None:
    """The setting is named."""
    memory = agreeing(open_memory)
    with pytest.raises(InvalidInput, match="set corpus_folder"):
        memory.corpus_flush()


def due(memory: Memory, hours: float) -> Memory:
    """The memory with an interval."""
    policy = CorpusPolicy(folder=memory._engine.corpus.folder, interval=timedelta(hours=hours))
    object.__setattr__(memory._engine, "corpus", policy)
    return memory


def test_a_service_hands_over_when_it_is_time(memory: Memory) -> None:
    """At first at once, then when the interval has passed and something waits."""
    engine, now = due(memory, 24)._engine, datetime.now(UTC)
    first = flush_due(engine, clock=lambda: now)
    assert first is not None
    assert first.rows == 15
    memory.add("beta")
    assert flush_due(engine, clock=lambda: now + timedelta(hours=23)) is None
    later = flush_due(engine, clock=lambda: now + timedelta(hours=24))
    assert later is not None
    assert later.rows > 0
    assert flush_due(engine, clock=lambda: now + timedelta(hours=72)) is None


def test_a_service_leaves_alone_what_another_hands_over(memory: Memory) -> None:
    """It is no failure."""
    engine, now = due(memory, 24)._engine, datetime.now(UTC)
    with engine.store.write() as writer:
        writer.hold_queue("someone else", now, now + LEASE)
    assert flush_due(engine, clock=lambda: now) is None


def test_without_an_interval_nothing_is_due(memory: Memory) -> None:
    """Only who asks hands over."""
    assert flush_due(memory._engine) is None
    assert memory.corpus_stats().pending == 15
