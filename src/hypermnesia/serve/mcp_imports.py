"""Importing the server half of the MCP SDK without the rest of it.

``import mcp.server.lowlevel`` runs the ``__init__`` of ``mcp`` and ``mcp.server``, which load
the client, HTTP, OAuth and the decorator server: more than half of the time that a stdio
server takes to start, none of it used. Here these packages stand for their folders alone.
The SDK also defines every message of every protocol revision as a pydantic model, some six
hundred; here a model's validator is built when it is first used, which few ever are.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec

_FOLDERS = ("mcp", "mcp.server", "mcp.server.lowlevel")
_NEEDED = ("mcp.server.lowlevel.server", "mcp.shared.message")


def import_server_half() -> None:
    """Load what serving stdio needs; once only, and only in a process that does nothing else.

    The packages stay without their contents for the life of the process. If this release of
    the SDK is built differently, everything is loaded in the ordinary way instead.
    """
    if "mcp" in sys.modules:
        return
    try:
        for name in _FOLDERS:
            _stand_for_folder(name)
        with _deferred_validators():
            for name in _NEEDED:
                import_module(name)
    except ImportError:
        for name in [n for n in sys.modules if n == "mcp" or n.startswith("mcp.")]:
            del sys.modules[name]
        for name in _NEEDED:
            import_module(name)


def _stand_for_folder(name: str) -> None:
    spec = find_spec(name)
    if spec is None:
        raise ImportError(f"{name} is missing; reinstall mcp", name=name)
    sys.modules[name] = module_from_spec(spec)


@contextmanager
def _deferred_validators() -> Generator[None]:
    """Models defined meanwhile inherit ``defer_build`` from pydantic's own base."""
    from pydantic import BaseModel  # noqa: PLC0415 - slow to import

    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
