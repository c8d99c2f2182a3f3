"""Answers of a language model kept in a file, so that the same question costs nothing again.

The file holds what models wrote about users' texts: its owner alone may read it, answers expire,
and forgetting a memory empties it. It never holds a prompt, and keys are digests.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from hypermnesia.errors import InvalidInput, StoreError

LIFETIME = 30 * 86_400.0
"""Seconds after which an answer is forgotten."""
MOST_ANSWERS = 20_000
"""Answers kept at most; the oldest give way."""
LONGEST = 64_000
"""Characters of an answer that is kept: with the number of answers the bound of the file."""
WAIT = 5.0
"""Seconds to wait for another process that writes."""

_APPLICATION = 0x48_79_41_6E
"""``HyAn`` in the file's header, so that no other database is taken for a cache."""
_NEW = (
    f"PRAGMA application_id = {_APPLICATION}",
    "CREATE TABLE answer (key TEXT PRIMARY KEY, at REAL NOT NULL, text TEXT NOT NULL)",
    "CREATE INDEX answer_at ON answer (at)",
)
_FOR_WRITING = "BEGIN IMMEDIATE"
"""A writer takes its lock first: SQLite does not wait for one who already reads."""

logger = logging.getLogger("hypermnesia")


class AnswerCache:
    """A file of answers by key. Threads and processes may share it: nothing stays open.

    A file that cannot be read or written just now (locked, full disk) costs the saving, not the
    work: that is logged.

    Args:
        path: the file; created with its folder when the first answer is kept.
        clock: seconds since the epoch.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock

    def get(self, key: str) -> str | None:
        """The answer kept under a key, unless it has expired.

        Raises:
            InvalidInput: the file is something else than a cache.
        """
        if not self.path.exists():
            return None
        with self._tolerant("read"), self._opened("BEGIN") as file:
            if not self._is_cache(file):
                return None
            found = file.execute(
                "SELECT text FROM answer WHERE key = ? AND at > ?",
                (key, self._clock() - LIFETIME),
            ).fetchone()
            return None if found is None else str(found[0])
        return None

    def put(self, key: str, text: str) -> None:
        """Keep an answer; the oldest and the expired ones give way.

        Raises:
            InvalidInput: the file is something else than a cache.
        """
        if len(text) > LONGEST:
            return
        now = self._clock()
        with self._tolerant("written"):
            self._create()
            with self._opened(_FOR_WRITING) as file:
                if not self._is_cache(file):
                    for statement in _NEW:
                        file.execute(statement)
                file.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?)", (key, now, text))
                file.execute("DELETE FROM answer WHERE at <= ?", (now - LIFETIME,))
                file.execute(
                    "DELETE FROM answer WHERE key IN"
                    " (SELECT key FROM answer ORDER BY at DESC LIMIT -1 OFFSET ?)",
                    (MOST_ANSWERS,),
                )

    def clear(self) -> None:
        """Erase every answer; the freed bytes are overwritten.

        Raises:
            StoreError: they could not be erased.
            InvalidInput: the file is something else than a cache.
        """
        if not self.path.exists():
            return
        try:
            with self._opened(_FOR_WRITING) as file:
                if self._is_cache(file):
                    file.execute("DELETE FROM answer")
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"the cached answers in {self.path} could not be erased ({error}); delete the file"
            ) from None

    def _create(self) -> None:
        """Make a missing file private from its first moment; SQLite's own would follow the umask.

        Raises:
            OSError: its folder cannot be made, or the file.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))

    @contextmanager
    def _opened(self, begin: str) -> Generator[sqlite3.Connection]:
        """The file in one transaction, so that another's half-made file is never seen.

        Raises:
            InvalidInput: the file is something else than a cache.
        """
        connection = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)
        try:
            with closing(connection) as file, file:
                file.execute("PRAGMA secure_delete = ON")
                file.execute(begin)
                yield file
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            raise self._foreign() from None

    def _is_cache(self, file: sqlite3.Connection) -> bool:
        """Whether the open file is a cache already; else it is empty.

        Raises:
            InvalidInput: it is something else.
        """
        (mark,) = file.execute("PRAGMA application_id").fetchone()
        (tables,) = file.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and mark != _APPLICATION:
            raise self._foreign()
        return bool(tables)

    def _foreign(self) -> InvalidInput:
        return InvalidInput(f"llm_cache: {self.path} is not a cache of answers; name another file")

    @contextmanager
    def _tolerant(self, what: str) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            logger.warning("the cached answers in %s cannot be %s (%s)", self.path, what, error)
