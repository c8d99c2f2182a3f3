"""Answers kept in a private file."""

from __future__ import annotations

import logging
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from hypermnesia.errors import InvalidInput, StoreError
from hypermnesia.models import answer_cache
from hypermnesia.models.answer_cache import LIFETIME, LONGEST, AnswerCache


class Clock:
    """Time that stands still until it is moved."""

    now = 1_000_000.0

    def __call__(self) -> float:
        """Seconds since the epoch."""
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in a folder that does not exist yet."""
    return tmp_path / "cache" / "answers.db"


def test_an_answer_is_found_under_its_key(path: Path) -> None:
    """By another instance, too; the latest counts."""
    cache = AnswerCache(path)
    assert cache.get("k") is None
    cache.put("k", "old")
    cache.put("k", "n\u00e9w")
    cache.put("other", "x")
    assert AnswerCache(path).get("k") == "n\u00e9w"


def test_nothing_is_created_before_there_is_something_to_keep(path: Path) -> None:
    """Looking and clearing leave no file behind."""
    cache = AnswerCache(path)
    cache.get("k")
    cache.clear()
    assert not path.parent.exists()


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_the_file_is_its_owners_alone(path: Path) -> None:
    """It holds what was made of users' texts."""
    before = os.umask(0)
    try:
        AnswerCache(path).put("k", "text")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_an_answer_expires(path: Path) -> None:
    """It is no longer given, and goes with the next one that is kept."""
    clock = Clock()
    cache = AnswerCache(path, clock=clock)
    cache.put("k", "unforgotten")
    clock.now += LIFETIME - 1
    assert cache.get("k") == "unforgotten"
    clock.now += 1
    assert cache.get("k") is None
    cache.put("l", "text")
    assert b"unforgotten" not in path.read_bytes()


def test_the_oldest_answers_give_way(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is bounded."""
    monkeypatch.setattr(answer_cache, "MOST_ANSWERS", 3)
    clock = Clock()
    cache = AnswerCache(path, clock=clock)
    for i in range(5):
        clock.now += 1
        cache.put(str(i), "text")
    assert [cache.get(str(i)) for i in range(5)] == [None, None, "text", "text", "text"]


def test_an_overlong_answer_is_not_kept(path: Path) -> None:
    """For the same reason."""
    cache = AnswerCache(path)
    cache.put("k", "x" * (LONGEST + 1))
    cache.put("l", "x" * LONGEST)
    assert (cache.get("k"), len(cache.get("l") or "")) == (None, LONGEST)


def test_clearing_leaves_no_byte_of_an_answer(path: Path) -> None:
    """What was forgotten cannot be read from the file either."""
    cache = AnswerCache(path)
    for i in range(50):
        cache.put(str(i), f"unforgettable {i} " * 50)
    assert b"unforgettable" in path.read_bytes()
    cache.clear()
    assert cache.get("1") is None
    assert [f.name for f in path.parent.iterdir()] == ["answers.db"]
    assert b"unforgettable" not in path.read_bytes()


@pytest.mark.parametrize("kind", ["text", "database"])
def test_another_file_is_never_taken_for_a_cache(path: Path, kind: str) -> None:
    """A store named by mistake is neither read, written nor cleared."""
    path.parent.mkdir()
    if kind == "text":
        path.write_text("not a database, but quite long enough for a header " * 20, "utf-8")
    else:
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE answer (key, at, text)")
            other.commit()
    before = path.read_bytes()
    cache = AnswerCache(path)
    for use in (lambda: cache.get("k"), lambda: cache.put("k", "x"), cache.clear):
        with pytest.raises(InvalidInput, match="not a cache of answers"):
            use()
    assert path.read_bytes() == before


def test_a_locked_file_costs_the_saving_but_not_the_work(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What could not be kept is logged; what could not be erased is an error."""
    monkeypatch.setattr(answer_cache, "WAIT", 0.0)
    cache = AnswerCache(path)
    cache.put("k", "text")
    with closing(sqlite3.connect(path)) as other, caplog.at_level(logging.WARNING, "hypermnesia"):
        other.execute("BEGIN EXCLUSIVE")
        assert cache.get("k") is None
        cache.put("l", "more")
        with pytest.raises(StoreError, match="delete the file"):
            cache.clear()
    assert [record.args[1:2] for record in caplog.records if isinstance(record.args, tuple)] == [
        ("read",),
        ("written",),
    ]
    assert (cache.get("k"), cache.get("l")) == ("text", None)


def test_a_folder_that_cannot_be_made_costs_the_saving_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Construction goes on without a cache."""
    (tmp_path / "file").write_text("", "utf-8")
    cache = AnswerCache(tmp_path / "file" / "answers.db")
    with caplog.at_level(logging.WARNING, "hypermnesia"):
        cache.put("k", "text")
    assert cache.get("k") is None
    assert "cannot be written" in caplog.text


@pytest.mark.parametrize("attempt", range(10))
def test_many_threads_share_a_new_file(path: Path, attempt: int) -> None:
    """Each finds what it kept; none takes another's half-made file for something else."""
    cache = AnswerCache(path)

    def use(i: int) -> str | None:
        cache.put(str(i), f"answer {attempt}.{i}")
        return cache.get(str(i))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(use, range(16))) == [f"answer {attempt}.{i}" for i in range(16)]
