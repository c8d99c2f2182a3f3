"""The stdio transport: one JSON-RPC message a line, and nothing else on standard output.

The SDK's own transport drops a line it cannot parse without a word, so that a client waits
for ever, and cancels what is still running when standard input ends. Here a bad line is
answered, and requests that were read are answered before the server leaves.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, BinaryIO, TypeAlias, cast

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel.server import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
)
from mcp_types.jsonrpc import jsonrpc_message_adapter
from pydantic import ValidationError

LAST_WORDS = 60.0
"""Seconds that requests under way have to finish once standard input has ended."""

Inbox: TypeAlias = MemoryObjectSendStream[SessionMessage | Exception]
Outbox: TypeAlias = MemoryObjectReceiveStream[SessionMessage]


async def serve(server: Server[Any], wire: BinaryIO) -> None:
    """Answer until standard input ends and what was asked is answered."""
    await Stdio(server, sys.stdin.buffer, wire).serve()


class Stdio:
    """One client on a pair of pipes."""

    def __init__(self, server: Server[Any], source: BinaryIO, wire: BinaryIO) -> None:
        self._server = server
        self._source = source
        self._wire = wire
        self._open: set[RequestId] = set()
        self._idle = anyio.Event()

    async def serve(self) -> None:
        """Run the server on the pipes."""
        inbox, requests = anyio.create_memory_object_stream[SessionMessage | Exception]()
        answers, outbox = anyio.create_memory_object_stream[SessionMessage]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, inbox, answers.clone())
            tasks.start_soon(self._write, outbox)
            await self._server.run(requests, answers, self._server.create_initialization_options())

    async def _read(self, inbox: Inbox, answers: MemoryObjectSendStream[SessionMessage]) -> None:
        async with inbox, answers:
            while line := await self._next_line():
                if not line.strip():
                    continue
                message = parsed(line)
                if isinstance(message, JSONRPCError):
                    await answers.send(SessionMessage(message))
                    continue
                self._note(message)
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await inbox.send(SessionMessage(message))
            if self._open:
                with anyio.move_on_after(LAST_WORDS):
                    await self._idle.wait()

    async def _next_line(self) -> bytes:
        return await anyio.to_thread.run_sync(self._source.readline, abandon_on_cancel=True)

    async def _write(self, outbox: Outbox) -> None:
        async with outbox:
            async for item in outbox:
                line = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                with suppress(BrokenPipeError):  # the client is gone; its EOF is on the way
                    await anyio.to_thread.run_sync(self._send, line.encode() + b"\n")
                self._settle(getattr(item.message, "id", None))

    def _send(self, line: bytes) -> None:
        view = memoryview(line)
        while view:
            view = view[self._wire.write(view) :]

    def _note(self, message: JSONRPCMessage) -> None:
        """Keep track of what has to be answered before leaving."""
        match message:
            case JSONRPCRequest():
                self._open.add(message.id)
            case JSONRPCNotification(method="notifications/cancelled"):
                self._settle((message.params or {}).get("requestId"))
            case _:
                pass

    def _settle(self, request_id: RequestId | None) -> None:
        self._open.discard(cast("RequestId", request_id))
        if not self._open:
            self._idle.set()
            self._idle = anyio.Event()


def parsed(line: bytes) -> JSONRPCMessage:
    """The message on a line, or the error to answer it with."""
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        pass
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "the line is not JSON")
    request_id = cast("Mapping[str, Any]", value).get("id") if isinstance(value, dict) else None
    known = isinstance(request_id, int | str) and not isinstance(request_id, bool)
    return _error(
        request_id if known else None,
        INVALID_REQUEST,
        "the line is not a JSON-RPC 2.0 message in valid Unicode (half a surrogate pair?)",
    )


def _error(request_id: RequestId | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message))
