"""Moving a store to another place by name: a file, or a PostgreSQL URL."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from hypermnesia.config import is_postgres
from hypermnesia.errors import InvalidInput, StoreError
from hypermnesia.folders import expanded
from hypermnesia.store.moving import Movable, Report, move


def migrate(
    source: str,
    target: str,
    progress: Callable[[int, int], None],
    *,
    wait: float = 10.0,
) -> Report:
    """Move everything that one store holds to another, and compare them.

    Ids, times, history, vectors and tombstones are kept, and so are accounts and the queue of the
    corpus; jobs of a service, and answers that it keeps for repeated requests, stay behind. An
    interrupted move goes on where it stopped.

    Args:
        source: an existing store; it stays as it is.
        target: an empty store, or one that an earlier move from the same source left unfinished.
        progress: called with (rows done, rows in all).
        wait: seconds to wait for another writer.

    Raises:
        InvalidInput: both are the same, or cannot be named so.
        Conflict: the target holds something else.
        StoreError: a store cannot be used, or they differ at the end.
    """
    with _opened(source, wait, new=False) as here, _opened(target, wait, new=True) as there:
        if here.identity() == there.identity() and there.noted() is None:
            raise InvalidInput(f"{there.place} is {here.place}, or was moved from it already")
        return move(here, there, progress)


@contextmanager
def _opened(name: str, wait: float, *, new: bool) -> Generator[Movable]:
    if is_postgres(name):
        try:
            from hypermnesia.store.postgres.moving import PostgresMovable  # noqa: PLC0415
        except ImportError as error:
            raise StoreError(
                "a PostgreSQL store needs packages that are not installed; run"
                " `pip install 'hypermnesia[postgres]'`"
            ) from error
        store = PostgresMovable(name, wait)
    elif "://" in name:
        raise InvalidInput("a store is a file or a postgresql:// URL; this is neither")
    else:
        from hypermnesia.store.sqlite.moving import SqliteMovable  # noqa: PLC0415 - as needed

        path = expanded(name)
        if not new and not path.is_file():
            raise StoreError(f"{path} does not exist; name the store that is to be moved")
        store = SqliteMovable(path, wait)
    try:
        yield store
    finally:
        store.close()
