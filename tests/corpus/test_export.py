"""Exports: the whole queue or a scope of it, scanned, whole or not at all."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from pathlib import Path

import pytest

from hypermnesia.corpus import export, files
from hypermnesia.corpus.files import read_rows
from hypermnesia.engine import RowFormat
from hypermnesia.errors import CorpusError, InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.store.sqlite.store import SqliteStore
from tests.conftest import OpenMemory
from tests.corpus.queues import KEY, agreeing, lines, rows


@pytest.fixture
def memory(open_memory: OpenMemory, tmp_path: Path) -> Memory:
    """A memory with three rows."""
    memory = agreeing(open_memory, tmp_path / "out")
    memory.add_many(["alpha one", "alpha two"])
    return memory


@pytest.mark.parametrize(
    ("name", "asked", "kind"),
    [
        ("rows.jsonl", None, "jsonl"),
        ("rows", None, "jsonl"),
        ("rows.parquet", None, "parquet"),
        ("rows.bin", "parquet", "parquet"),
        ("rows.parquet", "jsonl", "jsonl"),
    ],
)
def test_an_export_holds_every_row(
    memory: Memory,
    tmp_path: Path,
    name: str,
    asked: str | None,
    kind: RowFormat,
) -> None:
    """In the format that is asked for, or that its name tells."""
    done = memory.corpus_export(tmp_path / name, format=asked)
    assert (done.rows, done.withheld) == (3, 0)
    assert list(read_rows(tmp_path / name, kind)) == rows(memory)


def test_an_export_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    """What was exported still leaves, and what left is still exported."""
    memory.corpus_export(tmp_path / "one.jsonl")
    assert memory.corpus_flush().rows == 3
    memory.add("beta")
    memory.corpus_export(tmp_path / "two.jsonl")
    assert lines(tmp_path / "two.jsonl")[:3] == lines(tmp_path / "one.jsonl")
    assert len(lines(tmp_path / "two.jsonl")) > 3


def test_only_scopes_that_agree_are_exported(memory: Memory, tmp_path: Path) -> None:
    """And of them the one that is named."""
    memory.corpus_consent(given=True, scope="b")
    memory.add("beta", scope="b")
    assert memory.corpus_export(tmp_path / "b.jsonl", scope="b").rows == 1
    memory.corpus_consent(given=False)
    assert memory.corpus_export(tmp_path / "all.jsonl").rows == 1


def test_consent_withdrawn_meanwhile_is_heeded(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is written anew before it appears."""
    write = export.write

    def withdrawing(path: Path, *rest: object) -> object:
        found = write(path, *rest)  # type: ignore[arg-type]
        memory.corpus_consent(given=False)
        return found

    monkeypatch.setattr(export, "write", withdrawing)
    assert memory.corpus_export(tmp_path / "rows.jsonl").rows == 0
    assert (tmp_path / "rows.jsonl").read_text("utf-8") == ""


def test_a_row_in_which_the_scan_finds_something_is_left_out(
    memory: Memory, tmp_path: Path
) -> None:
    """Whatever got it there."""
    store = memory._engine.store
    assert isinstance(store, SqliteStore)
    with store._connections.transaction() as connection:
        connection.execute("UPDATE outbox SET body = replace(body, 'alpha two', ?)", (KEY,))
    done = memory.corpus_export(tmp_path / "rows.jsonl")
    assert (done.rows, done.withheld) == (1, 2)
    assert KEY not in (tmp_path / "rows.jsonl").read_text("utf-8")


def test_a_failed_export_leaves_the_old_file(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing half-written beside it."""
    target = tmp_path / "rows.jsonl"
    target.write_text("old", "utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(CorpusError, match="No space left on device"):
        memory.corpus_export(target)
    assert target.read_text("utf-8") == "old"
    assert list(tmp_path.glob(".*")) == []


@pytest.mark.parametrize("name", ["missing/rows.jsonl", "."])
def test_a_target_that_cannot_be_written_is_told(memory: Memory, tmp_path: Path, name: str) -> None:
    """With what to do."""
    with pytest.raises((CorpusError, InvalidInput), match="name another"):
        memory.corpus_export(tmp_path / name)


def test_a_database_is_not_replaced(memory: Memory, tmp_path: Path) -> None:
    """A slip would cost everything."""
    with pytest.raises(InvalidInput, match="is a database"):
        memory.corpus_export(tmp_path / "memory.db")
    assert memory.check().ok


def test_an_unknown_format_is_refused(memory: Memory, tmp_path: Path) -> None:
    """The known ones are named."""
    with pytest.raises(InvalidInput, match="jsonl, parquet"):
        memory.corpus_export(tmp_path / "rows", format="csv")
