"""Store paths that cannot be a store, and files that cannot be written."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from hypermnesia.engine import Engine
from hypermnesia.errors import (
    HypermnesiaError,
    StoreCorrupt,
    StoreError,
    StoreVersion,
)
from hypermnesia.judge.chain import Chain
from hypermnesia.memory import Memory
from hypermnesia.store.sqlite.store import SqliteStore
from tests.conftest import OpenMemory
from tests.faults.forking import finish, spawn
from tests.store.embedders import HashEmbedder


def opened(path: Path) -> SqliteStore:
    """A store on this path."""
    return SqliteStore(path, "hash@32", 32)


def memory_on(path: Path) -> Memory:
    """A memory on this path, without a judge."""
    return Memory(Engine(opened(path), HashEmbedder(), Chain([])), "default")


def test_a_folder_is_not_a_store(tmp_path: Path) -> None:
    """The message proposes a file in it."""
    with pytest.raises(StoreError, match=r"is a folder; name a file, such as .*memory\.db"):
        opened(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """It is not created behind the user's back."""
    with pytest.raises(StoreError, match="does not exist; create it"):
        opened(tmp_path / "missing" / "memory.db")
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("name", ["a\0b", "half\ud800", "x" * 300, "x/" * 3000 + "y"])
def test_an_impossible_file_name_is_refused(tmp_path: Path, name: str) -> None:
    """With an error that can be printed."""
    with pytest.raises(StoreError) as refused:
        opened(tmp_path / name)
    str(refused.value).encode("utf-8")


def test_a_store_in_memory_is_refused() -> None:
    """Connections would each see another one."""
    with pytest.raises(StoreError, match="must be a file"):
        opened(Path(":memory:"))


@pytest.mark.parametrize(
    "content",
    [b"plain text, not a database\n" * 100, b"{}", b"SQLite format 3\0" + b"\xff" * 5000],
    ids=["text", "short", "only the magic"],
)
def test_a_file_of_another_kind_is_left_alone(tmp_path: Path, content: bytes) -> None:
    """Refused, and not a byte of it changed."""
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt, match=r"notes\.txt"):
        opened(path)
    assert path.read_bytes() == content


def test_a_database_of_another_application_is_left_alone(tmp_path: Path) -> None:
    """Refused, and not a byte of it changed."""
    path = tmp_path / "app.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE memory (id)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreCorrupt, match="another application"):
        opened(path)
    assert path.read_bytes() == before


def test_a_newer_store_is_left_alone(open_memory: OpenMemory, tmp_path: Path) -> None:
    """The message says which schema and what to do."""
    memory = open_memory()
    memory.add("text")
    memory.close()
    path = tmp_path / "memory.db"
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreVersion, match=r"schema 99.*upgrade"):
        opened(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    """As a temporary file that was made for it."""
    path = tmp_path / "memory.db"
    path.touch()
    store = opened(path)
    assert store.check().ok
    store.close()


def test_a_relative_path_survives_a_change_of_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections opened later find the same file."""
    monkeypatch.chdir(tmp_path)
    store = opened(Path("memory.db"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert store.scopes() == []
    assert store.check().ok
    store.close()


# --- no space --------------------------------------------------------------------------


def full(memory: Memory) -> None:
    """Let the file grow no further."""
    store = memory._engine.store
    assert isinstance(store, SqliteStore)
    with store._connections.exclusive() as connection:
        pages = connection.execute("PRAGMA page_count").get
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")


def test_a_full_disk_stores_nothing_and_loses_nothing(memory: Memory) -> None:
    """The error says so; what was there is found; with space again, writing goes on."""
    kept = memory.add("alpha kept").id
    full(memory)
    with pytest.raises(StoreError, match="no space left"):
        memory.add("alpha lost " + "x y z " * 9000)
    assert [hit.id for hit in memory.search("alpha")] == [kept]
    assert len(memory.list()) == 1
    store = memory._engine.store
    assert isinstance(store, SqliteStore)
    with store._connections.exclusive() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    memory.add("alpha again")
    assert memory.check().problems == ()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    with suppress(OSError):
        if subprocess.run(mount, capture_output=True, check=False).returncode == 0:
            yield folder
            subprocess.run(["umount", "-l", str(folder)], check=True)
            return
    pytest.skip("mounting a small file system is not permitted here")


def test_a_disk_that_runs_full_keeps_every_acknowledged_add(small_disk: Path) -> None:
    """On a real file system: adds fail cleanly, searches go on, the file stays sound."""
    memory = memory_on(small_disk / "memory.db")
    ids = list[str]()

    def fill() -> None:
        for i in range(2000):
            ids.append(memory.add(f"alpha {i} " + "padding " * 200).id)

    with pytest.raises(StoreError, match=r"no space left|cannot be read or written"):
        fill()
    assert len(ids) > 10
    assert memory.search("alpha 3")
    assert {n.id for n in memory.list(limit=1000)} == set(ids)
    assert {problem.kind for problem in memory.check().problems} <= {"write"}
    memory.close()
    again = opened(small_disk / "memory.db")
    assert {n.id for n in again.get(ids)} == set(ids)
    again.close()


# --- no permission ---------------------------------------------------------------------


def use(path: Path, tell: Callable[[str], None]) -> None:
    """Search, add and check a store, and tell what came of each."""

    def attempt(verb: Callable[[], object]) -> None:
        try:
            tell(str(verb()))
        except HypermnesiaError as error:
            tell(f"{type(error).__name__}: {error}")

    def verbs() -> str:
        memory = memory_on(path)
        attempt(lambda: [hit.content for hit in memory.search("alpha")])
        attempt(lambda: memory.add("beta"))
        attempt(lambda: [problem.kind for problem in memory.check().problems])
        memory.close()
        return "closed"

    attempt(verbs)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@pytest.fixture
def unprivileged(open_folder: Path) -> Callable[[], list[str]]:
    """Uses the store ``open_folder/memory.db`` as someone whom permissions bind."""
    path = open_folder / "memory.db"
    memory = memory_on(path)
    memory.add("alpha")
    memory.close()
    path.chmod(0o666)
    use(
        path, lambda _line: None
    )  # everything that is imported late is imported before rights are given up
    memory = memory_on(path)
    memory.forget(ids=[hit.id for hit in memory.search("beta") if hit.content == "beta"])
    memory.close()
    return lambda: finish(*spawn(lambda tell: use(path, tell), bound=True))


def test_a_read_only_file_can_be_searched_but_not_written(
    open_folder: Path, unprivileged: Callable[[], list[str]]
) -> None:
    """Adding says what to do; ``check`` says that writing fails."""
    (open_folder / "memory.db").chmod(0o444)
    hits, refusal, problems, _ = unprivileged()
    assert hits == "['alpha']"
    assert refusal.startswith("StoreReadOnly")
    assert "writable" in refusal
    assert problems == "['write']"


def test_a_store_in_a_read_only_folder_can_be_searched(
    open_folder: Path, unprivileged: Callable[[], list[str]]
) -> None:
    """A backup on a medium that cannot be written, say."""
    (open_folder / "memory.db").chmod(0o444)
    open_folder.chmod(0o555)
    hits, refusal, problems, _ = unprivileged()
    open_folder.chmod(0o777)
    assert hits == "['alpha']"
    assert refusal.startswith("StoreReadOnly")
    assert problems == "['write']"


def test_an_unreadable_file_is_said_to_be_unreadable(
    open_folder: Path, unprivileged: Callable[[], list[str]]
) -> None:
    """With its name and what to check."""
    (open_folder / "memory.db").chmod(0o000)
    (refusal,) = unprivileged()
    assert refusal.startswith("StoreError")
    assert "memory.db cannot be opened" in refusal


def test_an_unreadable_folder_is_said_to_be_unreadable(
    open_folder: Path, unprivileged: Callable[[], list[str]]
) -> None:
    """Not a traceback of the operating system's error."""
    locked = open_folder / "locked"
    locked.mkdir()
    (open_folder / "memory.db").rename(locked / "memory.db")
    (open_folder / "memory.db").symlink_to(locked / "memory.db")
    locked.chmod(0o000)
    (refusal,) = unprivileged()
    locked.chmod(0o777)
    assert refusal.startswith("StoreError")


# --- closing ---------------------------------------------------------------------------


def test_a_closed_memory_says_so(memory: Memory) -> None:
    """Whatever is asked of it; closing it again does nothing."""
    added = memory.add("text")
    memory.search("text")
    memory.close()
    memory.close()
    for use in (
        lambda: memory.add("more"),
        lambda: memory.search("text"),
        lambda: memory.get(added.id),
        memory.list,
        memory.check,
        memory.reindex,
        lambda: memory.forget(ids=[added.id]),
        lambda: memory.export("nowhere"),
        memory.scopes,
    ):
        with pytest.raises(StoreError, match="was closed; open it again"):
            use()


def test_closing_leaves_one_file(memory: Memory, tmp_path: Path) -> None:
    """The write-ahead log is folded in."""
    memory.add("text")
    memory.search("text")
    memory.close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["memory.db"]


def test_a_context_manager_closes(open_memory: OpenMemory) -> None:
    """Also when its block fails."""
    with pytest.raises(ZeroDivisionError), open_memory() as memory:
        _ = 1 / 0
    with pytest.raises(StoreError, match="was closed"):
        memory.list()


def test_a_forked_process_is_told_to_open_its_own(memory: Memory) -> None:
    """And its end does not disturb the parent."""
    memory.add("before")

    def child(tell: Callable[[str], None]) -> None:
        for verb in (lambda: memory.add("child"), lambda: memory.search("x"), memory.list):
            try:
                verb()
            except StoreError as error:
                tell(str(error))
        memory.close()

    lines = finish(*spawn(child))
    assert len(lines) == 3
    assert all("open it in the new process" in line for line in lines)
    memory.add("after")
    assert len(memory.list()) == 2
    assert memory.check().problems == ()
