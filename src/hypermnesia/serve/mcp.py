"""The MCP server: a thin adapter from the protocol to :class:`~hypermnesia.memory.Memory`.

One server speaks every revision that the SDK knows: 2026-07-28, where each request carries
its own envelope, and those with an ``initialize`` handshake, from 2024-11-05 on.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

    from hypermnesia.memory import Memory


_SHARED = ("asyncio", "pydantic.main", "pydantic.type_adapter")
"""What both threads of the start need and what imports itself in circles: loaded by one first."""


def build_server(memory: Memory | Callable[[], Memory], *, scope: str | None = None) -> Server[Any]:
    """A server of the MCP SDK, to be run on any of its transports.

    Args:
        memory: what it serves; or a function that opens it, called at the first request and
            again after a failure. The caller closes it.
        scope: the one scope that clients may see and change; ``None`` = any, and the
            configured one where a call names none.

    Raises:
        InvalidInput: the scope is not a name.
    """
    from hypermnesia import validate  # noqa: PLC0415 - `run` imports in an order of its own
    from hypermnesia.serve.mcp_desk import Desk  # noqa: PLC0415 - the same

    only = None if scope is None else validate.scope(scope)
    opened = memory if callable(memory) else lambda: memory
    return Desk(opened, only).server()


def run(store: str | None = None, scope: str | None = None) -> None:
    """Serve a store over standard input and output until the client closes them; blocks.

    Standard output carries the protocol alone: whatever else is printed there goes to
    standard error. A store that cannot be opened is reported by every tool call, and tried
    again at the next, so that a client sees why instead of a server that died.

    Args:
        store: the store; ``None`` = the configured one.
        scope: the one scope to serve; ``None`` = any, see :func:`build_server`.

    Raises:
        InvalidInput: the scope is not a name.
    """
    from hypermnesia import validate  # noqa: PLC0415 - only servers pay for these imports

    if scope is not None:
        validate.scope(scope)  # while it can still be reported as a matter of usage
    wire = _claim_stdout()
    # Every acknowledged change is durable, so that dying at once loses nothing; waiting for
    # the thread that reads standard input would take until the client's next line.
    with suppress(ValueError):  # not the main thread: signals are someone else's
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.disable()  # imports make half a million objects, and none of them is garbage
    serving = _prepared(store, scope)
    gc.freeze()
    gc.enable()
    serving(wire)


def _prepared(store: str | None, scope: str | None) -> Callable[[BinaryIO], None]:
    """What serves; the store opens meanwhile."""
    for name in _SHARED:
        import_module(name)

    from hypermnesia.serve.mcp_opening import Opening  # noqa: PLC0415

    opening = Opening(store)
    # Called when every thread has ended, those included that finish what nobody waits for.
    atexit.register(opening.close)
    threading.Thread(target=opening.warm, name="hypermnesia-warm").start()

    from hypermnesia.serve.mcp_imports import import_server_half  # noqa: PLC0415

    import_server_half()

    import anyio  # noqa: PLC0415

    from hypermnesia.serve.mcp_stdio import serve  # noqa: PLC0415

    server = build_server(opening, scope=scope)
    return lambda wire: anyio.run(serve, server, wire)


def _claim_stdout() -> BinaryIO:
    """Standard output as it was, for the protocol.

    From now on whatever else is written there, by this process, a library or a child, goes
    to standard error.
    """
    sys.stdout.flush()
    wire = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return wire
