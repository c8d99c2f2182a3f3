"""Nobody holds the service up by sending too much, too slowly, or too often."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from hypermnesia.memory import Memory
from hypermnesia.models.http import tls_context
from hypermnesia.serve.http.app import create_app
from tests.serve.http.running import PATIENCE, running, settings_of

API = "/api/v1"


@pytest.fixture
def narrow(memory: Memory) -> Iterator[str]:
    """A service that takes little, and waits for little."""
    settings = settings_of(serve_body=2000, serve_upload=4000, serve_body_timeout=0.5)
    with running(create_app(memory, settings, open_to_all=True)) as address:
        yield address


def raw(address: str, *pieces: bytes) -> bytes:
    """What comes back when these bytes are sent and no more, until the connection is closed."""
    parts = urlsplit(address)
    answer = b""
    with (
        socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE) as peer,
        suppress(ConnectionError),  # it closes with some of what was sent unread
    ):
        for piece in pieces:
            peer.sendall(piece)
        while piece := peer.recv(65_536):
            answer += piece
    return answer


def head(path: str, *headers: str) -> bytes:
    """The beginning of a request that carries JSON."""
    kind = "application/x-ndjson" if path.endswith("import") else "application/json"
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Type: {kind}", *headers]
    return "\r\n".join([*lines, "", ""]).encode()


@pytest.mark.parametrize(
    ("path", "size", "status"),
    [
        (f"{API}/memories", 1500, 201),
        (f"{API}/memories", 2100, 413),
        (f"{API}/ingest", 3000, 202),
        (f"{API}/ingest", 4100, 413),
        ("/mcp", 2100, 413),
    ],
)
def test_a_body_has_a_bound(narrow: str, path: str, size: int, status: int) -> None:
    """A wider one where conversations arrive."""
    filler = "x " * (size // 2 - 40)
    body: dict[str, Any] = {"content": filler}
    if path.endswith("ingest"):
        body = {"messages": [{"role": "user", "content": filler}]}
    reply = httpx2.post(f"{narrow}{path}", json=body, timeout=PATIENCE)
    assert reply.status_code == status


def test_a_body_of_unknown_length_has_the_same_bound(narrow: str) -> None:
    """It is counted as it comes."""

    def pieces() -> Iterator[bytes]:
        yield from [b'{"content": "'] + [b"x " * 500] * 5 + [b'"}']

    headers = {"Content-Type": "application/json"}
    reply = httpx2.post(
        f"{narrow}{API}/memories", content=pieces(), headers=headers, timeout=PATIENCE
    )
    assert reply.status_code == 413
    assert reply.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", [f"{API}/memories", f"{API}/import", "/mcp"])
def test_a_body_that_does_not_come_is_not_waited_for(narrow: str, path: str) -> None:
    """The connection ends with an answer that says so."""
    answer = raw(narrow, head(path, "Content-Length: 100", "Accept: */*"), b'{"content"')
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize(
    "headers",
    [
        ("Content-Length: 10", "Content-Length: 20"),
        ("Content-Length: -1",),
        ("Content-Length: 5, 6",),
        ("Transfer-Encoding: chunked", "Content-Length: 5"),
        ("Transfer-Encoding: gzip",),
    ],
)
def test_a_length_that_could_mean_two_things_is_refused(
    narrow: str, headers: tuple[str, ...]
) -> None:
    """Something in front of the service may read it the other way (request smuggling)."""
    answer = raw(narrow, head(f"{API}/memories", *headers, "Connection: close"), b"0\r\n\r\n")
    assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 413", b"HTTP/1.1 501")), answer[:80]


def test_a_header_without_end_is_refused(narrow: str) -> None:
    """However long it grows."""
    answer = raw(narrow, b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4")


def test_what_takes_too_long_is_told_and_goes_on(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write may still complete; the key of the request says whether it did."""
    release, done = threading.Event(), threading.Event()
    add = memory.add

    def slow(*args: Any, **kwargs: Any) -> Any:
        assert release.wait(PATIENCE)
        added = add(*args, **kwargs)
        done.set()
        return added

    monkeypatch.setattr(memory, "add", slow)
    app = create_app(memory, settings_of(serve_timeout=0.2), open_to_all=True)
    with running(app) as address:
        reply = httpx2.post(f"{address}{API}/memories", json={"content": "alpha"}, timeout=PATIENCE)
        assert reply.status_code == 504
        release.set()
    assert done.is_set(), "the service left before the write was done"
    assert [node.content for node in memory.list()] == ["alpha"]


def test_more_calls_than_can_wait_are_turned_away(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a time to try again; and what was let in is answered."""
    release = threading.Event()
    profile = memory.profile

    def slow(*args: Any) -> Any:
        assert release.wait(PATIENCE)
        return profile(*args)

    monkeypatch.setattr(memory, "profile", slow)
    app = create_app(memory, settings_of(serve_threads=1), open_to_all=True)
    with (
        running(app) as address,
        httpx2.Client(verify=tls_context(), base_url=address, timeout=PATIENCE) as http,
    ):
        statuses: list[int] = []

        def ask() -> None:
            reply = httpx2.get(f"{address}{API}/profile", timeout=PATIENCE)
            statuses.append(reply.status_code)

        waiting = [threading.Thread(target=ask) for _ in range(17)]
        for thread in waiting:
            thread.start()
        deadline = threading.Event()
        while app.state.workers.under_way < 17:
            assert not deadline.wait(0.01)
        turned_away = http.get(f"{API}/profile")
        assert turned_away.status_code == 503
        assert turned_away.headers["retry-after"] == "1"
        assert http.get("/readyz").status_code == 503
        release.set()
        for thread in waiting:
            thread.join(PATIENCE)
    assert statuses == [200] * 17
