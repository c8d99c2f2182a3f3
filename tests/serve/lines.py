"""Speaking to a server in raw JSON lines: in memory, or over the pipes of a real process."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp.server.lowlevel.server import Server

from hypermnesia.serve.mcp_stdio import Stdio

Message = Mapping[str, Any]

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "lines", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    """A request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def initialize(version: str, number: int = 0) -> dict[str, Any]:
    """The handshake of the revisions before 2026-07-28."""
    info = {"name": "lines", "version": "1"}
    return request(number, "initialize", protocolVersion=version, capabilities={}, clientInfo=info)


def call(number: int, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """A tool call on a connection that began with a handshake."""
    return request(number, "tools/call", name=tool, arguments=arguments)


def enveloped(message: Message) -> dict[str, Any]:
    """The request as 2026-07-28 wants it."""
    return {**message, "params": {**message["params"], "_meta": ENVELOPE}}


def told(answer: Message) -> str:
    """What the answer to a tool call says to a model."""
    return answer["result"]["content"][0]["text"]


def exchange(server: Server[Any], *messages: Message | bytes) -> list[dict[str, Any]]:
    """Send every line, then end the input; the answers, by request id.

    Requests run at the same time: which is answered first, and whether a later one sees what
    an earlier one wrote, is open.
    """
    sent = io.BytesIO(b"".join(map(_line, messages)))
    wire = io.BytesIO()
    anyio.run(Stdio(server, sent, wire).serve)
    answers = [json.loads(line) for line in wire.getvalue().splitlines()]
    return sorted(answers, key=lambda answer: answer["id"] or 0)


class Process:
    """A server in a process of its own."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child
        self.lines: list[bytes] = []

    def send(self, message: Message | bytes) -> None:
        """Write one line."""
        assert self._child.stdin is not None
        self._child.stdin.write(_line(message))
        self._child.stdin.flush()

    def ask(self, message: Message | bytes) -> dict[str, Any]:
        """Write one line and read one."""
        self.send(message)
        assert self._child.stdout is not None
        self.lines.append(self._child.stdout.readline())
        return json.loads(self.lines[-1])

    def finish(self) -> tuple[list[bytes], str, int]:
        """End the input: all lines of standard output, standard error, exit status."""
        rest, errors = self._child.communicate(timeout=60)
        return [*self.lines, *rest.splitlines()], errors.decode(), self._child.returncode


@contextmanager
def running(store: Path, *, before: str = "", scope: str | None = None) -> Generator[Process]:
    """A real server on a store; ``before`` is Python that runs ahead of it."""
    code = f"{before}\nfrom hypermnesia.serve.mcp import run\nrun({str(store)!r}, {scope!r})"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        try:
            yield Process(child)
        finally:
            child.kill()


def _line(message: Message | bytes) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
