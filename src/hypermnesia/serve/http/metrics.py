"""Numbers for Prometheus. Labels come from closed sets, so that no caller can add a series."""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.exposition import generate_latest

from hypermnesia import __version__
from hypermnesia.serve.http.workers import Workers

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """What one application counts."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        GCCollector(registry=registry)
        self._requests = Counter(
            "hypermnesia_requests", "Requests answered.", ("method", "route", "status"),
            registry=registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "hypermnesia_request_seconds", "From the first byte to the last.", ("method", "route"),
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._open = Gauge(
            "hypermnesia_requests_under_way", "Requests not answered yet.", registry=registry
        )
        self._calls = Counter(
            "hypermnesia_tool_calls", "Calls of MCP tools.", ("tool", "outcome"), registry=registry
        )
        self._jobs = Counter(
            "hypermnesia_jobs", "Jobs that came to an end here.", ("kind", "state"),
            registry=registry,
        )  # fmt: skip
        self._waiting = Gauge(
            "hypermnesia_calls_under_way", "Calls that run or wait for a thread.",
            registry=registry,
        )  # fmt: skip
        Gauge(
            "hypermnesia_build", "The version that runs.", ("version",), registry=registry
        ).labels(__version__).set(1)

    def watch(self, workers: Workers) -> None:
        """Show how much the threads have to do."""
        self._waiting.set_function(lambda: workers.under_way)

    def begun(self) -> None:
        """A request came in."""
        self._open.inc()

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._open.dec()
        method = method if method in _METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def called(self, tool: str, *, failed: bool) -> None:
        """An MCP tool was called."""
        self._calls.labels(tool, "error" if failed else "ok").inc()

    def ended(self, kind: str, state: str) -> None:
        """A job came to an end."""
        self._jobs.labels(kind, state).inc()

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self._registry)
