"""A system under comparison in a process of its own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest

from hypermnesia.evals.adapters.protocol import Item
from hypermnesia.evals.worker import Stopped, Worker

ITEMS = [Item("a", "Billing uses NATS."), Item("b", "The cat is called Miso.")]


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    """Plain FTS5 in another process."""
    worker = Worker("fts5", tmp_path)
    yield worker
    worker.close()


def test_answers_across_the_process_boundary(worker: Worker) -> None:
    """Items go there, hits and times come back; warming up left nothing behind."""
    refused, seconds = worker.add(ITEMS)
    found, searched = worker.search("what is the cat called? the kettle?", 10)

    assert refused == 0
    assert [item.id for item in found] == ["b"]
    assert min(seconds, searched) > 0
    assert worker.delete(["b"]) > 0
    assert worker.search("cat", 10)[0] == []


def test_tells_what_the_system_takes(worker: Worker) -> None:
    """Its own memory, not that of this process, and its own files."""
    usage = worker.usage()

    assert usage.disk_mb > 0
    assert usage.peak_mb is None or 10 < usage.peak_mb < 1000


def test_a_failure_names_the_system_and_the_reason(worker: Worker) -> None:
    """Whatever a system raises becomes one error; the process can still be asked."""
    with pytest.raises(Stopped, match="fts5 failed: TypeError"):
        worker.delete([["no id"]])  # pyright: ignore[reportArgumentType] - it has to fail
    assert worker.usage().disk_mb > 0


def test_a_system_that_cannot_be_opened_is_a_failure(tmp_path: Path) -> None:
    """The folder is not there."""
    with pytest.raises(Stopped, match=r"fts5 failed: .*CantOpenError"):
        Worker("fts5", tmp_path / "missing" / "folder")


def test_a_process_that_died_is_a_failure(worker: Worker) -> None:
    """Not a hang and not a broken pipe."""
    (process,) = multiprocessing.active_children()
    process.kill()

    with pytest.raises(Stopped, match="fts5 ended with exit status -9"):
        worker.search("cat", 1)


def test_a_worker_whose_answer_nobody_waited_for_is_closed_at_once(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C nobody wants to wait for an ingest; the process gets no time to end."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(worker, "_answer", interrupt)
    monkeypatch.setattr("hypermnesia.evals.worker._PATIENCE", None)  # for ever
    (process,) = multiprocessing.active_children()
    with pytest.raises(KeyboardInterrupt):
        worker.add(ITEMS)
    worker.close()

    assert not process.is_alive()
    assert process.exitcode == -9


def test_a_closed_worker_leaves_no_process(tmp_path: Path) -> None:
    """Closing ends the process."""
    Worker("fts5", tmp_path).close()

    assert multiprocessing.active_children() == []
