"""Whether the service lives, whether it is ready, and its numbers: for what watches over it."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from hypermnesia.errors import HypermnesiaError, ServiceError
from hypermnesia.identity import new_id
from hypermnesia.memory import Memory
from hypermnesia.serve.http import metrics
from hypermnesia.serve.http.caller import Caller
from hypermnesia.serve.http.problem import PROBLEMS
from hypermnesia.serve.http.replies import Outcome
from hypermnesia.serve.http.workers import Pool

router = APIRouter(tags=["operation"], responses={503: PROBLEMS[503]})

FRESH = 1.0
"""Seconds for which one probe answers for all: whoever asks need not be known."""
END_OF_TIME = "9999-12-31"
"""A day that no event is after."""


class Status(BaseModel):
    """It is well."""

    status: str = "ok"


class Probe:
    """Proves that the store can be written, by writing; and that the models are loaded."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._at = 0.0
        self._failure: HypermnesiaError | None = None
        self.ready = False

    def write(self) -> None:
        """Write something and take it back, durably, if that was not done just now.

        Raises:
            StoreError: it cannot be written; the message says why.
        """
        with self._lock:
            if time.monotonic() - self._at > FRESH:
                self._failure = self._tried()
                self._at = time.monotonic()
            if self._failure is not None:
                raise self._failure

    def _tried(self) -> HypermnesiaError | None:
        key, now = f"probe {new_id()}", datetime.now(UTC)
        try:
            self._memory.service.reserve_reply(key, b"", now, now + timedelta(minutes=1))
            self._memory.service.drop_reply(key)
        except HypermnesiaError as error:
            return error
        return None

    def warm(self) -> None:
        """Load what a search needs; one that can find nothing touches no memory."""
        self._memory.search("warm up", since=END_OF_TIME)
        self.ready = True


@router.get("/healthz", response_model=Status, operation_id="healthz")
async def healthz(request: Request, workers: Pool) -> Response:
    """Whether it lives: the store was written, just now."""
    probe: Probe = request.app.state.probe
    await workers.run(probe.write)
    return Outcome({"status": "ok"}).response()


@router.get("/readyz", response_model=Status, operation_id="readyz")
async def readyz(request: Request, workers: Pool) -> Response:
    """Whether to send it requests: the models are loaded, and it is not overloaded or leaving."""
    probe: Probe = request.app.state.probe
    if not probe.ready:
        raise ServiceError("the models are still being loaded")
    if workers.full:
        raise ServiceError("the service has more to do than it can")
    return Outcome({"status": "ok"}).response()


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        401: PROBLEMS[401],
        403: PROBLEMS[403],
    },
    operation_id="metrics",
)
async def numbers(request: Request, access: Caller) -> Response:
    """Numbers for Prometheus (administrators)."""
    access.must_own()
    counted: metrics.Metrics = request.app.state.metrics
    return Response(counted.text(), media_type=metrics.MEDIA_TYPE)
