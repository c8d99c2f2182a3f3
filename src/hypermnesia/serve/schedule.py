"""What a service does of its own accord: backups, handing over the corpus, tidying up."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime, timedelta

from hypermnesia.config import Settings, store_path
from hypermnesia.errors import HypermnesiaError
from hypermnesia.folders import expanded
from hypermnesia.memory import Memory
from hypermnesia.serve.jobs import Runner, submit
from hypermnesia.serve.works import backups

log = logging.getLogger("hypermnesia.serve")

NAME = "schedule"
"""Who asks for the jobs that nobody asked for."""
EVERY = 60.0
"""Seconds between two looks at what is due."""
KEPT = timedelta(days=7)
"""How long a job that is over can be looked at."""


class Schedule:
    """Looks now and then for what is due, in a thread of its own."""

    def __init__(self, memory: Memory, settings: Settings, runner: Runner) -> None:
        self._memory = memory
        self._settings = settings
        self._runner = runner
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="hypermnesia-due", daemon=True)

    def start(self) -> None:
        """Begin with what is due already."""
        self._thread.start()

    def stop(self) -> None:
        """End; what was begun is finished first."""
        self._stopping.set()
        self._thread.join()

    def _serve(self) -> None:
        while not self._stopping.is_set():
            try:
                self.look(datetime.now(UTC))
            except HypermnesiaError as error:  # told, and tried again at the next look
                log.warning("what is due was not done: %s", error)
            self._stopping.wait(EVERY)

    def look(self, now: datetime) -> None:
        """Do, or ask for, everything that is due.

        Raises:
            HypermnesiaError: something could not be done; it stays due.
        """
        self._memory.service.sweep_service(now, now - KEPT)
        if self._backup_is_due(now):
            submit(self._memory, "backup", NAME)
            self._runner.wake()
        done = self._memory.corpus_flush_due()
        if done is not None:
            log.info("%d judgements handed over", done.rows)

    def _backup_is_due(self, now: datetime) -> bool:
        folder = self._settings.serve_backup_folder
        if folder is None or self._waiting():
            return False
        made = backups(expanded(folder), store_path(self._settings))
        if not made:
            return True
        last = datetime.fromtimestamp(made[-1].stat().st_mtime, UTC)
        return now - last >= timedelta(hours=self._settings.serve_backup_hours)

    def _waiting(self) -> bool:
        jobs = self._memory.service.jobs(100)
        return any(job.kind == "backup" and not job.over for job in jobs)
