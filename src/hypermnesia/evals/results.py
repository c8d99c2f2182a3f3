"""A run's folder: what was run, every raw record, and what they add up to.

::

    results/<name>/manifest.json    command, version, seed, settings, data, machine, encoder, start
                   records.jsonl    one record a question and system; same seed, same bytes
                   timings.jsonl    how long each took; never the same twice
                   summary.json     means, spreads, differences: made of the records alone
                   speed.json       medians and percentiles: made of the timings alone
                   findings.json    of a simulation, what the records say of published findings
                   writing.json     of a simulation, how well its memories were stored

Records are appended as they come, so that an interrupted run keeps what is finished and goes on
from there when it is started again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hypermnesia import __version__
from hypermnesia.errors import Conflict, InvalidInput, NotFound
from hypermnesia.evals.machine import machine, now
from hypermnesia.evals.records import (
    Key,
    Record,
    json_line,
    key_fields,
    key_of,
    read_lines,
    record_of,
)
from hypermnesia.evals.summary import summarise, summarise_timings

MANIFEST, RECORDS, TIMINGS = "manifest.json", "records.jsonl", "timings.jsonl"
SUMMARY, SPEED = "summary.json", "speed.json"
FINDINGS, WRITING = "findings.json", "writing.json"
FILES = (MANIFEST, RECORDS, TIMINGS, SUMMARY, SPEED, FINDINGS, WRITING)
OUTCOME = ("machine", "started")
"""Fields of a manifest that may differ between the parts of a resumed run."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What was run, on what.

    Attributes:
        command: as it can be run again.
        settings: everything that decides the records, as plain JSON.
        encoder: identity of the text encoder.
        seed: of all random choices, or ``None`` if there are none.
        data: name and sha256 of every data file, see :func:`digests`.
        baseline: the system that the others are compared with, or ``None``.
        version: of this package.
        machine: see :func:`hypermnesia.evals.machine.machine`.
        started: ISO 8601, UTC.
    """

    command: str
    settings: Mapping[str, Any]
    encoder: str
    seed: int | None
    data: Mapping[str, str]
    baseline: str | None
    version: str
    machine: Mapping[str, Any]
    started: str

    @classmethod
    def of(
        cls,
        command: str,
        *,
        settings: Mapping[str, Any] | None = None,
        encoder: str = "",
        seed: int | None = None,
        data: Sequence[Path] = (),
        baseline: str | None = None,
    ) -> Self:
        """The manifest of a run that starts now, on this machine.

        Raises:
            InvalidInput: a data file cannot be read.
        """
        return cls(command, settings or {}, encoder, seed, digests(data), baseline,
                   __version__, machine(), now())  # fmt: skip


class Run(AbstractContextManager["Run"]):
    """A run in progress: records what is finished, and knows what was finished before.

    Not for several threads or processes at once. Use it as a context manager::

        with Run.open(folder(results, name), Manifest.of("eval simulate", seed=11)) as run:
            for question in questions:
                if not run.done(Key("default", question.id)):
                    run.record(Record(...), timing={"search_ms": 3.2})
            summary = run.finish()
    """

    __slots__ = ("_baseline", "_done", "_folder", "_records", "_timings")

    def __init__(self, folder: Path, baseline: str | None) -> None:
        self._folder = folder
        self._baseline = baseline
        self._done = {key_of(line) for line in read_lines(folder / RECORDS)}
        self._records = _appending(folder / RECORDS)
        self._timings = _appending(folder / TIMINGS)

    @classmethod
    def open(cls, folder: Path, manifest: Manifest, *, fresh: bool = False) -> Self:
        """Start a run in a folder, or go on with the one that was interrupted there.

        Args:
            folder: made if it is not there.
            manifest: what is run.
            fresh: remove what an earlier run left in the folder.

        Raises:
            Conflict: the folder holds a run of another command, seed, setting, data or version.
            InvalidInput: the folder cannot be written, or holds damaged records.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if fresh:
                for name in FILES:
                    (folder / name).unlink(missing_ok=True)
            if (folder / MANIFEST).exists():
                _refuse_other(read_json(folder / MANIFEST), asdict(manifest), folder)
            else:
                write_json(folder / MANIFEST, asdict(manifest))
            for name in (RECORDS, TIMINGS):
                _drop_torn_line(folder / name)
            return cls(folder, manifest.baseline)
        except OSError as error:
            raise InvalidInput(f"{folder} cannot be written ({error.strerror})") from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._records.close()
        self._timings.close()

    def done(self, key: Key) -> bool:
        """Whether this record was made before."""
        return key in self._done

    def record(self, record: Record, timing: Mapping[str, float] | None = None) -> None:
        """Keep a record for good.

        Args:
            record: what a system answered.
            timing: durations by name, the unit in the name: ``search_ms``.

        Raises:
            Conflict: there is a record of this key.
            InvalidInput: a value is not plain JSON.
        """
        if record.key in self._done:
            raise Conflict(f"the run has a record of {'/'.join(map(str, record.key))} already")
        line = record.line()
        if timing:  # first, so that no record lacks the timing it came with
            timed = json_line({**key_fields(record.key), "timing": dict(timing)})
            self._timings.write(timed.encode())
        self._records.write(line.encode())
        self._done.add(record.key)

    def finish(self) -> dict[str, Any]:
        """Write ``summary.json`` and ``speed.json`` from what is recorded; the summary."""
        summary = summarise(read_records(self._folder), self._baseline)
        write_json(self._folder / SUMMARY, summary)
        write_json(self._folder / SPEED, summarise_timings(read_timings(self._folder)))
        return summary


def folder(root: Path, name: str) -> Path:
    """The folder of a run below the results.

    Raises:
        InvalidInput: the name is a path or not portable.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise InvalidInput(
            f"the name {name[:40]!r} cannot name a folder: use up to 100 letters, digits,"
            " '.', '_' and '-', a letter or digit first"
        )
    return root / name


def read_records(folder: Path) -> list[Record]:
    """Every raw record of a run, in the order they were made.

    Raises:
        InvalidInput: a record is damaged.
    """
    records: list[Record] = []
    for number, line in enumerate(read_lines(folder / RECORDS), start=1):
        try:
            records.append(record_of(line))
        except (KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(
                f"{folder / RECORDS}, line {number}: not a record ({error})"
            ) from error
    return records


def read_timings(folder: Path) -> dict[Key, dict[str, float]]:
    """Every timing of a run; of one that was interrupted and repeated, the later."""
    return {key_of(line): line["timing"] for line in read_lines(folder / TIMINGS)}


def read_json(path: Path) -> Any:
    """A file of JSON.

    Raises:
        NotFound: it is not there.
        InvalidInput: it cannot be read or is not JSON.
    """
    try:
        return json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise NotFound(f"there is no {path}") from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON: {error}") from error


def write_json(path: Path, value: Any) -> None:
    """Write JSON that a person can read, whole or not at all."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    write_text(path, text)


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(path.name + ".part")
    draft.write_text(text, "utf-8", newline="\n")
    draft.replace(path)


def digests(paths: Sequence[Path]) -> dict[str, str]:
    """sha256 of every file by its name, without its folder: that is the reader's own affair.

    Raises:
        InvalidInput: a file cannot be read.
    """
    found: dict[str, str] = {}
    for path in paths:
        try:
            with path.open("rb") as file:
                found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read ({error.strerror})") from error
    return found


def _refuse_other(found: Any, wanted: Mapping[str, Any], folder: Path) -> None:
    known = json.loads(json.dumps(wanted))  # tuples as lists, as the file has them
    other = [name for name in known if name not in OUTCOME and found.get(name) != known[name]]
    if other:
        raise Conflict(
            f"{folder} holds a run with other {', '.join(other)}; give this one another --name,"
            " or start it anew with --fresh"
        )


def _drop_torn_line(path: Path) -> None:
    """Cut off what a killed process left of its last line."""
    if not path.exists():
        return
    whole = path.read_bytes()
    end = whole.rfind(b"\n") + 1
    if end < len(whole):
        os.truncate(path, end)


def _appending(path: Path) -> FileIO:
    """Unbuffered: a line that was written survives the process."""
    return FileIO(path, "a")
