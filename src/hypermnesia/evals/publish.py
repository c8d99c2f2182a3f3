"""Results that documents cite, small enough to be committed."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hypermnesia.evals.records import json_line, key_fields
from hypermnesia.evals.results import (
    FINDINGS,
    MANIFEST,
    RECORDS,
    SPEED,
    SUMMARY,
    TIMINGS,
    WRITING,
    read_json,
    read_records,
    read_timings,
    write_json,
)


def publish(folder: Path, published: Path) -> None:
    """Copy a finished run to where documents cite it, small enough to be committed.

    The records keep their metrics alone, so that the summary can be made again from them.

    Args:
        folder: of the run.
        published: folder that the copy is written to; made if it is not there.

    Raises:
        NotFound: the run was not finished.
        InvalidInput: a file is damaged.
    """
    published.mkdir(parents=True, exist_ok=True)
    for name in (MANIFEST, SUMMARY, SPEED):
        write_json(published / name, read_json(folder / name))
    for name in (FINDINGS, WRITING):  # of a simulation alone
        if (folder / name).exists():
            write_json(published / name, read_json(folder / name))
    records = [replace(record, gold=(), ranked=(), scores=(), detail={})
               for record in read_records(folder)]  # fmt: skip
    timings = [json_line({**key_fields(key), "timing": timing})
               for key, timing in read_timings(folder).items()]  # fmt: skip
    _pack(published / RECORDS, [record.line() for record in records])
    _pack(published / TIMINGS, timings)


def _pack(path: Path, lines: Sequence[str]) -> None:
    """Compress lines beside the path; no time stamp: the same lines give the same bytes."""
    packed = path.with_name(path.name + ".gz")
    packed.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
