"""What each kind of job does; every one of them continues when it is begun again."""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from hypermnesia.config import Settings, store_path
from hypermnesia.errors import InvalidInput
from hypermnesia.folders import expanded
from hypermnesia.memory import Memory
from hypermnesia.serve.jobs import Progress, Work
from hypermnesia.store.service import Job, JobKind


def works(settings: Settings) -> Mapping[JobKind, Work]:
    """What a service with these settings can do in the background."""
    return {
        "ingest": ingest,
        "import": import_,
        "reindex": reindex,
        "backup": partial(backup, settings),
    }


def ingest(memory: Memory, job: Job, payload: bytes, progress: Progress) -> Any:
    """Remember a conversation; the payload is the request's body."""
    asked: dict[str, Any] = json.loads(payload)
    document = asked.pop("document", None)
    source = asked.pop("messages", None) if document is None else io.StringIO(document)
    return memory.ingest(source, **asked, scope=job.scope, progress=_summed(progress, job.total))


def import_(memory: Memory, job: Job, payload: bytes, progress: Progress) -> Any:
    """Store an export; the payload is the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "import.jsonl"
        path.write_bytes(payload)
        return memory.import_(path, progress=_summed(progress, job.total))


def reindex(memory: Memory, job: Job, payload: bytes, progress: Progress) -> Any:
    """Rebuild what is derived; lexical search goes on meanwhile."""
    del job, payload
    return {"embedded": memory.reindex(progress)}


def backup(settings: Settings, memory: Memory, job: Job, payload: bytes, progress: Progress) -> Any:
    """Copy the store into the folder for backups, and drop the oldest copies."""
    del job, payload
    if settings.serve_backup_folder is None:
        raise InvalidInput("no folder for backups is configured; set serve_backup_folder")
    folder = expanded(settings.serve_backup_folder)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be made ({error.strerror})") from error
    store = store_path(settings)
    target = folder / f"{store.stem}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}Z.db"
    memory.backup(target, progress)
    for old in backups(folder, store)[: -settings.serve_backup_keep]:
        old.unlink(missing_ok=True)
    return {"file": target.name, "bytes": target.stat().st_size}


def backups(folder: Path, store: Path) -> list[Path]:
    """The copies of a store in a folder, oldest first."""
    stamped = re.compile(rf"{re.escape(store.stem)}-[0-9]{{8}}T[0-9]{{12}}Z\.db")
    try:
        return sorted(path for path in folder.iterdir() if stamped.fullmatch(path.name))
    except OSError:
        return []


def _summed(progress: Progress, total: int | None) -> Any:
    done = 0

    def step(more: int) -> None:
        nonlocal done
        done += more
        progress(done, total)

    return step
