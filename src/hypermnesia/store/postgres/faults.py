"""PostgreSQL's errors as the package's own, with the place and the remedy named.

Server messages can quote values, so no message repeats one; the cause keeps it for developers.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout

from hypermnesia.errors import StoreBusy, StoreError, StoreReadOnly

_BUSY = (
    pg.LockNotAvailable,
    pg.QueryCanceled,
    pg.DeadlockDetected,
    pg.SerializationFailure,
    pg.TooManyConnections,
    pg.IdleInTransactionSessionTimeout,
    PoolTimeout,
)
_FAULTS: tuple[tuple[tuple[type[psycopg.Error], ...], type[StoreError], str], ...] = (
    ((PoolClosed,), StoreError, "{place} was closed; open it again"),
    (
        _BUSY,
        StoreBusy,
        "{place} is busy ({reason}); nothing of this change was stored, try again",
    ),
    (
        (pg.ReadOnlySqlTransaction,),
        StoreReadOnly,
        "{place} is read-only, a standby or a session set to be; name the primary",
    ),
    (
        (pg.DiskFull, pg.OutOfMemory),
        StoreError,
        "no space left for {place}; nothing of this change was stored",
    ),
    (
        (pg.InsufficientPrivilege, pg.InvalidAuthorizationSpecification, pg.InvalidPassword),
        StoreError,
        "{place} refuses this user ({reason}); check name and password, and that the role may use"
        " the schema and its tables",
    ),
    (
        (pg.UndefinedTable, pg.UndefinedColumn, pg.InvalidSchemaName),
        StoreError,
        "{place} lacks a table or column of its schema; restore a backup, or open it with the"
        " version that wrote it",
    ),
    (
        (psycopg.OperationalError,),
        StoreError,
        "the connection to {place} failed ({reason}); check that the server runs and can be"
        " reached. A change that was being committed may or may not be stored",
    ),
    (
        (psycopg.Error,),
        StoreError,
        "{place} refused a statement ({reason}); run `hypermnesia check`",
    ),
)
"""The first that fits counts."""


@contextmanager
def translated(place: str) -> Generator[None]:
    """Raise PostgreSQL's errors as the package's own.

    Args:
        place: how messages name the store.
    """
    try:
        yield
    except psycopg.Error as error:
        for kinds, meant, words in _FAULTS:
            if isinstance(error, kinds):
                raise meant(words.format(place=place, reason=reason(error))) from error


def reason(error: psycopg.Error) -> str:
    """The kind of an error, in words that quote nothing."""
    name = type(error).__name__
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()
    return f"{words}, SQLSTATE {error.sqlstate}" if error.sqlstate else words
