"""What is to be seen of the service from outside: health, numbers, spans and lines."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from hypermnesia import __version__
from hypermnesia.errors import StoreError
from hypermnesia.memory import Memory
from hypermnesia.models.http import tls_context
from hypermnesia.serve.http import logs
from hypermnesia.serve.http.app import create_app
from tests.serve.http.running import PATIENCE, running, settings_of

API = "/api/v1"
TEXT = "the vault opens at dawn"


def test_it_is_healthy_when_the_store_was_written(http: httpx2.Client) -> None:
    """And ready when the models are loaded."""
    assert http.get("/healthz").json() == {"status": "ok"}
    tries = 0
    while http.get("/readyz").status_code != 200:
        tries += 1
        assert tries < 10_000


def test_it_is_not_healthy_when_the_store_cannot_be_written(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although everything can be read; the reason is told."""

    def fail(*_args: object) -> None:
        raise StoreError("no space left for memory.db; nothing of this change was stored")

    monkeypatch.setattr(memory.service, "reserve_reply", fail)
    with running(create_app(memory, settings_of(), open_to_all=True)) as address:
        reply = httpx2.get(f"{address}/healthz", timeout=PATIENCE)
        assert reply.status_code == 503
        assert "no space left" in reply.json()["detail"]
        assert httpx2.get(f"{address}{API}/profile", timeout=PATIENCE).status_code == 200


def test_probes_need_no_credential_and_numbers_do(memory: Memory) -> None:
    """Probes say nothing of anybody."""
    with running(create_app(memory, settings_of())) as address:
        assert httpx2.get(f"{address}/healthz", timeout=PATIENCE).status_code == 200
        assert httpx2.get(f"{address}/metrics", timeout=PATIENCE).status_code == 401


def test_requests_are_counted_by_route_and_never_by_path(http: httpx2.Client) -> None:
    """Whatever a client asks for, it adds no series."""
    http.post(f"{API}/memories", json={"content": TEXT})
    http.get(f"{API}/memories/01890a5d-ac96-774b-bcce-b302099a8057")
    http.get("/made-up/by/a/client")
    numbers = http.get("/metrics").text
    for series in (
        'hypermnesia_requests_total{method="POST",route="/api/v1/memories",status="201"} 1.0',
        'method="GET",route="/api/v1/memories/{memory_id}",status="404"} 1.0',
        'method="GET",route="other",status="404"} 1.0',
        "hypermnesia_requests_under_way 1.0",
        "hypermnesia_calls_under_way",
        "process_resident_memory_bytes",
    ):
        assert series in numbers, series
    assert "made-up" not in numbers
    assert "vault" not in numbers


@pytest.fixture(scope="module")
def provider() -> TracerProvider:
    """An SDK for the process: it can be set once."""
    provider = TracerProvider()
    trace.set_tracer_provider(provider)
    return provider


@pytest.fixture
def spans(provider: TracerProvider) -> Iterator[InMemorySpanExporter]:
    """Spans that end while the test runs."""
    exporter = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield exporter
    exporter.shutdown()


def test_a_request_is_a_span_of_the_trace_it_belongs_to(
    spans: InMemorySpanExporter, memory: Memory
) -> None:
    """Named by its route, and without its content."""
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with running(create_app(memory, settings_of(), open_to_all=True)) as address:
        reply = httpx2.post(
            f"{address}{API}/memories",
            json={"content": TEXT},
            headers={"traceparent": parent},
            timeout=PATIENCE,
        )
        assert reply.status_code == 201
    named = [s for s in spans.get_finished_spans() if s.name == f"POST {API}/memories"]
    assert len(named) == 1, [s.instrumentation_scope for s in named]
    context = named[0].context
    assert context is not None
    assert f"{context.trace_id:x}".zfill(32) in parent
    assert named[0].attributes is not None
    assert named[0].attributes["http.response.status_code"] == 201
    assert TEXT not in named[0].to_json()


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """The log of the process."""
    root = logging.getLogger()
    level, stream = root.level, io.StringIO()
    handler = logs.install(stream)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


def test_a_line_tells_who_did_what_and_never_the_content(
    lines: io.StringIO, app: FastAPI, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even when something breaks with the content in its hands."""

    def broken(*_args: object, **_more: object) -> None:
        raise ValueError(TEXT)

    monkeypatch.setattr(memory, "suggest", broken)
    with (
        running(app) as address,
        httpx2.Client(verify=tls_context(), base_url=address, timeout=PATIENCE) as http,
    ):
        http.post(f"{API}/memories", json={"content": TEXT, "tags": ["vault"]})
        http.post(f"{API}/search", json={"query": TEXT})
        http.get(f"{API}/memories", params={"tags": "vault"})
        failed = http.post(f"{API}/suggest", json={"content": TEXT})
    assert failed.status_code == 500
    assert "vault" not in failed.text
    records = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert "vault" not in lines.getvalue()
    seen = [(r["method"], r["route"], r["status"]) for r in records if r["message"] == "request"]
    assert ("POST", f"{API}/memories", 201) in seen
    assert ("POST", f"{API}/suggest", 500) in seen
    bugs = [record for record in records if record.get("exception") == "ValueError"]
    assert any("broken" in place for place in bugs[0]["place"])
    assert all(r["principal"] == "owner" for r in records if r["message"] == "request")


def test_an_answer_names_the_line_that_belongs_to_it(lines: io.StringIO, app: FastAPI) -> None:
    """So that whoever has a problem can say which."""
    with running(app) as address:
        reply = httpx2.get(f"{address}{API}/profile", timeout=PATIENCE)
    records = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert reply.headers["x-request-id"] in [record.get("request") for record in records]


def test_the_registry_entry_is_that_of_this_version() -> None:
    """And its name is where the registry looks for it."""
    root = Path(__file__).parents[3]
    entry = json.loads((root / "server.json").read_text("utf-8"))
    assert entry["version"] == __version__
    assert {package["version"] for package in entry["packages"]} == {__version__}
    assert f"mcp-name: {entry['name']}" in (root / "README.md").read_text("utf-8")
