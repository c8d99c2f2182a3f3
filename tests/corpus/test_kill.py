"""A flush that is killed at any point is finished by the next: no row twice, none lost."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import pytest

from hypermnesia.corpus import files
from hypermnesia.corpus import flush as flushing
from hypermnesia.corpus.flush import LEASE, flush
from hypermnesia.engine import CorpusPolicy, Engine
from hypermnesia.errors import Conflict
from hypermnesia.judge.chain import Chain
from hypermnesia.memory import Memory
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.store.sqlite.writer import SqliteWriter
from tests.faults.forking import finish, spawn
from tests.store.embedders import HashEmbedder
from tests.write.judges import ScriptedJudge

ROWS = 15
BATCH = 4


def opened(folder: Path) -> Memory:
    """A memory as any process would open it."""
    embedder = HashEmbedder()
    store = SqliteStore(folder / "memory.db", embedder.identity, embedder.dimension)
    policy = CorpusPolicy(folder=folder / "out", repo="me/mine")
    return Memory(Engine(store, embedder, Chain([ScriptedJudge()]), corpus=policy), "default")


def filled(folder: Path) -> set[str]:
    """Queue rows; their ids."""
    with opened(folder) as memory:
        memory.corpus_consent(given=True)
        memory.add_many([f"alpha {word}" for word in ("one", "two", "three", "four", "five")])
        found = {row.id for row in memory._engine.store.queued(None)}
    assert len(found) == ROWS
    return found


def to_folder(folder: Path) -> Callable[..., None]:
    """An upload to a folder that stands for the hub: whole files, replaced by name."""

    def upload(_policy: CorpusPolicy, parcel: dict[str, bytes], _message: str) -> None:
        for name, content in parcel.items():
            path = folder / "hub" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    return upload


def die(*_: object, **__: object) -> NoReturn:
    """SIGKILL to oneself."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def before(owner: Any, name: str, upon: int) -> None:
    """Die at the n-th call of a function, before it does anything."""
    _dying(owner, name, upon, first=True)


def after(owner: Any, name: str, upon: int) -> None:
    """Die at the n-th call of a function, when it has done its work."""
    _dying(owner, name, upon, first=False)


def _dying(owner: Any, name: str, upon: int, *, first: bool) -> None:
    original, calls = getattr(owner, name), Counter[str]()

    def dying(*args: Any, **kwargs: Any) -> Any:
        calls[name] += 1
        if first and calls[name] == upon:
            die()
        result = original(*args, **kwargs)
        if calls[name] == upon:
            die()
        return result

    setattr(owner, name, dying)


POINTS: dict[str, Callable[[int], None]] = {
    "holding the queue": lambda n: after(SqliteWriter, "hold_queue", n),
    "claiming a batch": lambda n: after(SqliteWriter, "claim_batch", n),
    "having claimed one": lambda n: before(SqliteWriter, "batch_rows", n),
    "writing a file": lambda n: before(files.os, "fsync", n),
    "having written one": lambda n: after(flushing, "write", n),
    "putting it in place": lambda n: before(Path, "replace", n),
    "having put it in place": lambda n: after(Path, "replace", n),
    "uploading it": lambda n: before(flushing, "upload", n),
    "having uploaded it": lambda n: after(flushing, "upload", n),
    "closing the batch": lambda n: before(SqliteWriter, "close_batch", n),
    "having closed it, uncommitted": lambda n: after(SqliteWriter, "close_batch", n),
}


def killed(folder: Path, sabotage: Callable[[], None]) -> None:
    """Flush in a child that does not survive it."""

    def work(_tell: Callable[[str], None]) -> None:
        flushing.BATCH = BATCH
        flushing.upload = to_folder(folder)
        sabotage()
        opened(folder).corpus_flush()

    child, pipe = spawn(work)
    with os.fdopen(pipe, encoding="utf-8") as told:
        output = told.read()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), output
    assert os.WTERMSIG(status) == signal.SIGKILL


def rows_in(folder: Path) -> list[str]:
    """Ids of all rows in all files."""
    return [
        json.loads(line)["id"]
        for path in folder.rglob("*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]


@pytest.mark.parametrize("upon", [1, 2])
@pytest.mark.parametrize("point", POINTS)
def test_a_killed_flush_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, upon: int
) -> None:
    """In the first batch or a later one; another process takes over when its time has run out."""
    queued = filled(tmp_path)
    killed(tmp_path, lambda: POINTS[point](upon))
    monkeypatch.setattr(flushing, "BATCH", BATCH)
    monkeypatch.setattr(flushing, "upload", to_folder(tmp_path))
    with opened(tmp_path) as memory:
        flush(memory._engine, clock=lambda: datetime.now(UTC) + LEASE)
        stats = memory.corpus_stats()
        assert memory.check().problems == ()
    assert (stats.pending, stats.uploaded) == (0, ROWS)
    for place in ("out", "hub"):
        found = rows_in(tmp_path / place)
        assert len(found) == ROWS, place
        assert set(found) == queued, place
    assert list((tmp_path / "out").glob(".*")) == []
    (totals,) = (tmp_path / "out").glob("*.json")
    assert json.loads(totals.read_text("utf-8"))["rows"] == ROWS


def test_a_memory_forgotten_after_the_kill_leaves_no_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from the file that was in place already."""
    filled(tmp_path)
    killed(tmp_path, lambda: POINTS["having put it in place"](1))
    assert any("alpha one" in p.read_text("utf-8") for p in (tmp_path / "out").glob("*.jsonl"))
    monkeypatch.setattr(flushing, "upload", to_folder(tmp_path))
    with opened(tmp_path) as memory:
        (gone,) = [node.id for node in memory.list() if node.content == "alpha one"]
        memory.forget(ids=[gone])
        flush(memory._engine, clock=lambda: datetime.now(UTC) + LEASE)
    for place in ("out", "hub"):
        for path in (tmp_path / place).rglob("*.jsonl"):
            assert "alpha one" not in path.read_text("utf-8")


def test_processes_that_flush_at_once_hand_over_every_row_once(tmp_path: Path) -> None:
    """Whoever comes second is told so, or finds nothing left."""
    queued = filled(tmp_path)

    def work(_tell: Callable[[str], None]) -> None:
        flushing.BATCH = BATCH
        flushing.upload = to_folder(tmp_path)
        with suppress(Conflict):
            opened(tmp_path).corpus_flush()

    for child in [spawn(work) for _ in range(4)]:
        finish(*child)
    with opened(tmp_path) as memory:
        assert memory.corpus_stats().uploaded == ROWS
    found = rows_in(tmp_path / "out")
    assert len(found) == ROWS
    assert set(found) == queued
