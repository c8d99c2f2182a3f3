"""Opening a store file, and the two kinds of connection to it.

One writer per process, guarded by a lock and ``BEGIN IMMEDIATE``; one reader per
thread. The file is in WAL mode, so readers never wait for the writer, and any
number of processes may share it.

A little longer than most modules, because opening, locking and translating errors only make
sense together.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path

import apsw

from hypermnesia.errors import (
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreReadOnly,
    StoreVersion,
)
from hypermnesia.store.sqlite.place import create_private, usable

APPLICATION_ID = 0x48_79_4D_6E
"""``HyMn``: tells a Hypermnesia store from any other SQLite file."""

COUNT_WAIT_MS = 20
"""How long counting a recall may wait for a writer before it is skipped, in milliseconds."""

CACHE_KB = 16384
"""Pages that the writer keeps, in KB. A transaction of an ingest touches several megabytes; with
SQLite's 2 MB it writes and reads many of its pages again and again."""

_ALONE_AGAIN = 0.005
"""Seconds between two attempts to have a new file alone."""

_MIGRATIONS = "hypermnesia.store.sqlite.migrations"


class Connections:
    """Every connection this process has to one store file.

    Args:
        path: the file; created when missing.
        wait: seconds to wait for another writer, in this process or another.

    Raises:
        StoreError: the file cannot be opened; the subclass says why.
    """

    def __init__(self, path: Path, wait: float) -> None:
        self.path = usable(path)
        self._wait = wait
        self._lock = threading.Lock()
        self._local = threading.local()
        self._readers: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._count_lock = threading.Lock()
        self._counter: apsw.Connection | None = None
        self._meter_lock = threading.Lock()
        self._meter: apsw.Connection | None = None
        self._process = os.getpid()
        self._closed = False
        self._immutable = False
        with translated(self.path):
            self._writer, self.read_only = self._open_writer()

    def _open_writer(self) -> tuple[apsw.Connection, bool]:
        create_private(self.path)
        try:
            writer = self._connect(apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
            _prepare(writer, self.path, self._wait)
        except (apsw.ReadOnlyError, apsw.CantOpenError):
            if not self.path.is_file():
                raise
            return self._open_reader(), True
        return writer, False

    def _open_reader(self) -> apsw.Connection:
        """A read-only file, in a folder where SQLite may not even make its shared memory."""
        reader = self._connect(apsw.SQLITE_OPEN_READONLY)
        try:
            _check_version(reader, self.path)
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            if self.path.with_name(self.path.name + "-wal").exists():
                raise  # part of the store is in the log, which cannot be read without it
            self._immutable = True
            reader = self._connect(apsw.SQLITE_OPEN_READONLY)
            _check_version(reader, self.path)
        return reader

    def _connect(self, flags: int) -> apsw.Connection:
        name = str(self.path)
        if self._immutable:
            name, flags = f"{self.path.as_uri()}?immutable=1", flags | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(name, flags=flags)
        connection.set_busy_timeout(int(self._wait * 1000))
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    def guard(self) -> None:
        """Refuse a closed store, and one carried into a forked process.

        Raises:
            StoreError: either is the case. SQLite connections and model sessions do
                not survive a fork.
        """
        if self._closed:
            raise StoreError(f"{self.path} was closed; open it again")
        if os.getpid() != self._process:
            raise StoreError(
                f"{self.path} was opened before this process was forked; open it in the new process"
            )

    def reader(self) -> apsw.Connection:
        """This thread's read connection."""
        self.guard()
        connection: apsw.Connection | None = getattr(self._local, "reader", None)
        if connection is None:
            with translated(self.path):
                connection = self._connect(apsw.SQLITE_OPEN_READONLY)
            self._local.reader = connection
            self._readers.add(connection)
        return connection

    @contextmanager
    def snapshot(self) -> Generator[apsw.Connection]:
        """A read transaction: everything read inside belongs to one moment."""
        connection = self.reader()
        with translated(self.path):
            if connection.in_transaction:  # nested: the outer snapshot holds
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if self._closed:
                    connection.close()
                elif connection.in_transaction:  # a damaged or vanished file has ended it
                    connection.execute("COMMIT")

    @contextmanager
    def transaction(self) -> Generator[apsw.Connection]:
        """The write transaction: committed when the block ends, rolled back on an error.

        Raises:
            StoreBusy: the lock was not had within the wait.
            StoreReadOnly: the file cannot be written.
        """
        self.guard()
        self._writable()
        with self._alone(), translated(self.path):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
            except BaseException:
                if self._writer.in_transaction:  # a full disk has already rolled back
                    self._writer.execute("ROLLBACK")
                raise
            self._writer.execute("COMMIT")

    @contextmanager
    def _alone(self) -> Generator[None]:
        """No other thread writes meanwhile."""
        if not self._lock.acquire(timeout=self._wait):
            raise StoreBusy(
                f"another thread has been writing {self.path} for over {self._wait:g} s"
            )
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def counting(self) -> Generator[apsw.Connection]:
        """A write transaction for statistics: waits little, and does not wait for the disk.

        Raises:
            StoreBusy: someone else is writing.
        """
        self.guard()
        with self._count_lock, translated(self.path):
            if self._counter is None:
                self._counter = self._connect(apsw.SQLITE_OPEN_READWRITE)
                self._counter.set_busy_timeout(COUNT_WAIT_MS)
                self._counter.execute("PRAGMA synchronous = NORMAL")
            self._counter.execute("BEGIN IMMEDIATE")
            try:
                yield self._counter
            finally:
                if self._counter.in_transaction:
                    self._counter.execute("COMMIT")

    @contextmanager
    def metering(self) -> Generator[apsw.Connection]:
        """A write transaction for counters that must be right.

        It waits for its turn as any other does, but not for the disk: a power cut may undo
        the last few.

        Raises:
            StoreBusy: the lock was not had within the wait.
            StoreReadOnly: the file cannot be written.
        """
        self.guard()
        if self.read_only:
            raise StoreReadOnly(f"{self.path} is read-only; make the file and its folder writable")
        if not self._meter_lock.acquire(timeout=self._wait):
            raise StoreBusy(f"another thread has been counting in {self.path} for too long")
        try:
            with translated(self.path):
                if self._meter is None:
                    self._meter = self._connect(apsw.SQLITE_OPEN_READWRITE)
                    self._meter.execute("PRAGMA synchronous = NORMAL")
                self._meter.execute("BEGIN IMMEDIATE")
                try:
                    yield self._meter
                except BaseException:
                    if self._meter.in_transaction:
                        self._meter.execute("ROLLBACK")
                    raise
                self._meter.execute("COMMIT")
        finally:
            self._meter_lock.release()

    @contextmanager
    def exclusive(self) -> Generator[apsw.Connection]:
        """The write connection outside a transaction, for checkpoints and pragmas.

        Raises:
            StoreBusy: another thread wrote all through the wait.
            StoreReadOnly: the file cannot be written.
        """
        self.guard()
        self._writable()
        with self._alone(), translated(self.path):
            yield self._writer

    def _writable(self) -> None:
        if self.read_only:
            raise StoreReadOnly(f"{self.path} is read-only; make the file and its folder writable")

    def close(self) -> None:
        """Close every connection. A second call does nothing."""
        if self._closed or os.getpid() != self._process:
            return
        with self._lock, self._count_lock, self._meter_lock, translated(self.path):
            self._closed = True
            for connection in list(self._readers):
                with suppress(apsw.ThreadingViolationError):  # in use: its own thread closes it
                    connection.close()
            for kept in (self._counter, self._meter):
                if kept is not None:
                    kept.close()
            self._writer.close()


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Raise SQLite's errors as the package's own, with the file and the remedy named."""
    try:
        yield
    except apsw.BusyError as error:
        raise StoreBusy(f"another process keeps {path} locked; try again") from error
    except apsw.ReadOnlyError as error:
        raise StoreReadOnly(
            f"{path} is read-only; make the file and its folder writable"
        ) from error
    except apsw.NotADBError as error:
        raise StoreCorrupt(f"{path} is not a Hypermnesia store; name another file") from error
    except apsw.CorruptError as error:
        raise StoreCorrupt(
            f"{path} is damaged ({error}); restore a backup, or export what can be read"
        ) from error
    except apsw.FullError as error:
        raise StoreError(f"no space left for {path}; nothing of this change was stored") from error
    except (apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StoreError(
            f"{path} cannot be opened ({error}); check that its folder exists and"
            " that you may read and write it"
        ) from error
    except apsw.IOError as error:
        raise StoreError(f"{path} cannot be read or written ({error})") from error
    except (apsw.ConnectionClosedError, apsw.ThreadingViolationError) as error:
        raise StoreError(f"{path} was closed by another thread; open it again") from error


def _migrations() -> list[tuple[int, str]]:
    found = [entry for entry in files(_MIGRATIONS).iterdir() if entry.name.endswith(".sql")]
    return sorted((int(entry.name[:4]), entry.read_text("utf-8")) for entry in found)


def _check_version(connection: apsw.Connection, path: Path) -> int:
    """The file's schema version, 0 for an empty file.

    Raises:
        StoreCorrupt: another application's database.
        StoreVersion: a newer version wrote it.
    """
    # One statement, so that the three belong to one moment: another process may be creating it.
    found: tuple[int, int, int] = connection.execute(
        "SELECT (SELECT application_id FROM pragma_application_id),"
        " (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)"
    ).get
    application, version, tables = found
    if application != APPLICATION_ID and (application or version or tables):
        raise StoreCorrupt(f"{path} is a SQLite database of another application; name another file")
    newest = _migrations()[-1][0]
    if version > newest:
        raise StoreVersion(
            f"{path} was written by a newer Hypermnesia (schema {version}, this one knows"
            f" {newest}); upgrade the package. The file was left untouched"
        )
    return version


def _enter_wal(connection: apsw.Connection, wait: float) -> None:
    """Switch to write-ahead logging, however many processes create the file at once.

    The switch needs the file alone, and SQLite's own busy wait does not cover it.

    Raises:
        apsw.BusyError: the file was not had alone within ``wait`` seconds.
    """
    deadline = time.monotonic() + wait
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_ALONE_AGAIN)
        else:
            return


def _prepare(connection: apsw.Connection, path: Path, wait: float) -> None:
    """Bring a new or older file to the current schema."""
    _check_version(connection, path)
    _enter_wal(connection, wait)
    # FULL: an add that returned survives a power cut, not only a killed process.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _check_version(connection, path)  # again: another process may have migrated
        for number, script in _migrations():
            if number > version:
                connection.execute(script)
                connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
