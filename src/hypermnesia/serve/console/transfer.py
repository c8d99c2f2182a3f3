"""Taking memories out and in, and conversations in. What comes in is a job: it may take long."""

from __future__ import annotations

import json
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from hypermnesia.errors import InvalidInput, NotFound
from hypermnesia.serve.console.visit import Visit
from hypermnesia.serve.jobs import submit
from hypermnesia.store.service import Job, JobKind

JOBS = 20
"""Jobs that the page shows."""
LOOKED_THROUGH = 200
"""The latest jobs of the service, among which those are looked for."""
LONGEST_NAME = 200


def show(visit: Visit) -> Response:
    """The forms, and what became of earlier files."""
    return visit.page("transfer.html", jobs=_jobs(visit))


def part(visit: Visit) -> Response:
    """Only the jobs, for the page to follow them."""
    return visit.page("transfer_part.html", jobs=_jobs(visit))


def export(visit: Visit) -> Response:
    """A scope as a file of JSON lines."""
    folder = Path(tempfile.mkdtemp(prefix="hypermnesia-export-"))
    remove = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    try:
        visit.memory.export(folder / "export.jsonl", scope=visit.scope)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    name = f"hypermnesia-{datetime.now(UTC):%Y-%m-%d}.jsonl"
    return FileResponse(
        folder / "export.jsonl", media_type="application/x-ndjson", filename=name, background=remove
    )


def import_(visit: Visit) -> Response:
    """Store what an export wrote. Its records name their scopes, so it is the owner's to do."""
    visit.access.must_own()
    return _begun(visit, "import", None, visit.upload("file").file.read())


def ingest(visit: Visit) -> Response:
    """Take a conversation in."""
    scope = visit.access.write_scope(visit.scope)
    upload = visit.upload("file")
    try:
        document = upload.file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"the file is not UTF-8 (byte {error.start + 1}); save it as UTF-8, or use"
            " `hypermnesia ingest`, which reads other encodings and reports what is broken"
        ) from None
    session = Path(upload.filename or "").stem[:LONGEST_NAME] or None
    payload = json.dumps({"document": document, "session": session}).encode()
    return _begun(visit, "ingest", scope, payload)


def cancel(visit: Visit) -> Response:
    """Stop a job at its next step; what it stored stays."""
    visit.access.must_write()
    wanted = visit.needed("job")
    if not any(job.id == wanted for job in _jobs(visit)):
        raise NotFound("there is no such job")
    visit.memory.service.cancel_job(wanted, datetime.now(UTC))
    return visit.go("/transfer", "cancelled")


def _begun(visit: Visit, kind: JobKind, scope: str | None, payload: bytes) -> Response:
    submit(visit.memory, kind, visit.access.principal.name, scope=scope, payload=payload)
    runner: Any = visit.request.app.state.runner
    runner.wake()
    return visit.go("/transfer", "begun")


def _jobs(visit: Visit) -> list[Job]:
    """The visitor's own, or for who looks after the store everyone's; of this scope, or of all."""
    principal = visit.access.principal
    found = [
        job
        for job in visit.memory.service.jobs(LOOKED_THROUGH)
        if job.kind in {"ingest", "import"}
        and (principal.admin or job.principal == principal.name)
        and job.scope in {None, visit.scope}
    ]
    return found[:JOBS]
