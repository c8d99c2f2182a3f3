"""The reasoning corpus of a scope: whether it agreed, what waits to leave, what left."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from hypermnesia.serve.console.visit import Visit


def show(visit: Visit) -> Response:
    """Consent and queue."""
    return visit.page("corpus.html", asks=False, **_shown(visit))


def ask_withdraw(visit: Visit) -> Response:
    """Say what withdrawing does, and ask."""
    visit.access.must_write()
    return visit.page("corpus.html", asks=True, **_shown(visit))


def give(visit: Visit) -> Response:
    """Let the scope's judgements be queued and leave."""
    visit.memory.corpus_consent(True, scope=visit.access.write_scope(visit.scope))
    return visit.go("/corpus", "consented")


def withdraw(visit: Visit) -> Response:
    """Let nothing more be queued or leave, and drop what waits."""
    visit.memory.corpus_consent(False, scope=visit.access.write_scope(visit.scope))
    return visit.go("/corpus", "withdrawn")


def flush(visit: Visit) -> Response:
    """Hand over what waits, to where the settings say."""
    visit.access.must_own()
    visit.memory.corpus_flush(scope=visit.scope)
    return visit.go("/corpus", "flushed")


def export(visit: Visit) -> Response:
    """The rows of the scope as a file, exactly as they leave."""
    folder = Path(tempfile.mkdtemp(prefix="hypermnesia-corpus-"))
    remove = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    try:
        visit.memory.corpus_export(folder / "corpus.jsonl", scope=visit.scope)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(
        folder / "corpus.jsonl",
        media_type="application/x-ndjson",
        filename="corpus.jsonl",
        background=remove,
    )


def _shown(visit: Visit) -> dict[str, Any]:
    stats = visit.memory.corpus_stats(scope=visit.scope)
    return {"consent": visit.memory.corpus_consent(scope=visit.scope), "stats": stats}
