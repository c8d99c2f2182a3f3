"""Files of corpus rows: written whole or not at all, and read back before they go anywhere."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from hypermnesia.corpus.row import COLUMNS
from hypermnesia.engine import RowFormat
from hypermnesia.errors import CorpusError, InvalidInput

NESTED = ("state", "questions", "answers")
"""Columns that are objects in JSON lines, and JSON text in Parquet, whose columns have one type."""
GROUP = 1000
"""Rows of one row group of a Parquet file; so many are in memory at a time."""


def format_of(path: Path) -> RowFormat:
    """The format that a file's name asks for."""
    return "parquet" if path.suffix == ".parquet" else "jsonl"


def write_rows(path: Path, bodies: Iterable[str], kind: RowFormat) -> None:
    """Write rows, given as JSON text, to a new or empty file, down to the disk.

    Raises:
        InvalidInput: Parquet is asked for and not installed.
        CorpusError: the file cannot be written.
    """
    write = _write_parquet if kind == "parquet" else _write_lines
    with _told(path):
        write(path, bodies)
        with path.open("rb") as file:
            os.fsync(file.fileno())


def read_rows(path: Path, kind: RowFormat) -> Iterator[dict[str, Any]]:
    """The rows of a file, each as an object.

    Raises:
        CorpusError: the file cannot be read.
    """
    with _told(path):
        if kind == "parquet":
            yield from _read_parquet(path)
            return
        with path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                yield json.loads(line)


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """A file beside ``path`` that takes its place when the block ends without an error.

    Raises:
        InvalidInput: the target is no file that may be replaced.
        CorpusError: it cannot be written.
    """
    with _told(path):
        _refuse_target(path)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with _told(path):
            temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """Replace a file by a JSON document.

    Raises:
        CorpusError: it cannot be written.
    """
    with replacing(path) as temporary, _told(path):
        temporary.write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def _refuse_target(path: Path) -> None:
    if not path.exists():
        return
    if not path.is_file():
        raise InvalidInput(f"{path} cannot be written: it is no regular file; name another")
    with path.open("rb") as file:
        if file.read(15) == b"SQLite format 3":
            raise InvalidInput(f"{path} is a database, which must not be replaced; name another")


@contextmanager
def _told(path: Path) -> Generator[None]:
    """Say which file it is that cannot be read or written."""
    try:
        yield
    except OSError as error:
        raise CorpusError(
            f"{path} cannot be read or written ({error.strerror or type(error).__name__});"
            " name another file, or another corpus_folder"
        ) from error


def _write_lines(path: Path, bodies: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{body}\n" for body in bodies)


def _write_parquet(path: Path, bodies: Iterable[str]) -> None:
    arrow, parquet = _pyarrow()
    schema = arrow.schema([(name, arrow.string()) for name in COLUMNS])
    remaining = iter(bodies)
    with parquet.ParquetWriter(path, schema) as writer:
        while group := [_flat(json.loads(body)) for body in islice(remaining, GROUP)]:
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))


def _read_parquet(path: Path) -> Iterator[dict[str, Any]]:
    _, parquet = _pyarrow()
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(GROUP):
            for row in batch.to_pylist():
                yield {**row, **{name: json.loads(row[name]) for name in NESTED}}


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, **{name: json.dumps(row[name], ensure_ascii=False) for name in NESTED}}


def _pyarrow() -> tuple[Any, Any]:
    """Both modules; ``Any``, because type checkers may not have them."""
    return needed("pyarrow"), needed("pyarrow.parquet")


def needed(module: str) -> Any:
    """A module of the extra ``corpus``.

    Raises:
        InvalidInput: it is not installed; the message says what to install.
    """
    if find_spec(module.partition(".")[0]) is None:
        raise InvalidInput(f"{module} is not installed; pip install 'hypermnesia[corpus]'")
    return import_module(module)
