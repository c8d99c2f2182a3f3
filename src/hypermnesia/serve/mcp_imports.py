"""Importing the server half of the MCP SDK without the rest of it.

``import mcp.server.lowlevel`` loads the client, HTTP, OAuth and the decorator server as well,
and builds a pydantic validator for each of some six hundred messages: most of the time that
a stdio server would take to start, and none of it used. Here the packages on the way stand
for their folders alone, what serves HTTP is stood in for, and validators are built when they
are first used. Should a release of the SDK be built so that this fails, all of it is
imported in the ordinary way: that is slower and otherwise the same.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType

_FOLDERS = ("mcp", "mcp.server", "mcp.server.lowlevel")
_NEEDED = ("mcp.server.lowlevel.server", "mcp.shared.message")
_HTTP_HALF = (
    "mcp.server.auth.middleware.auth_context",
    "mcp.server.auth.middleware.bearer_auth",
    "mcp.server.auth.provider",
    "mcp.server.auth.routes",
    "mcp.server.auth.settings",
    "mcp.server.streamable_http",
    "mcp.server.streamable_http_manager",
    "mcp.server.transport_security",
    "starlette.applications",
    "starlette.middleware",
    "starlette.middleware.authentication",
    "starlette.routing",
)
"""What ``mcp.server.lowlevel.server`` imports for ``streamable_http_app`` alone."""


def import_server_half() -> None:
    """Load what serving stdio needs; once only, and only in a process that does nothing else.

    The packages stay without their contents for the life of the process.
    """
    if "mcp" in sys.modules:
        return
    try:
        for name in _FOLDERS:
            _stand_for_folder(name)
        with _without_http(), _deferred_validators():
            _import_needed()
    except (ImportError, AttributeError, TypeError):
        for name in [n for n in sys.modules if n == "mcp" or n.startswith("mcp.")]:
            del sys.modules[name]
        _import_needed()


def _import_needed() -> None:
    for name in _NEEDED:
        import_module(name)


def _stand_for_folder(name: str) -> None:
    spec = find_spec(name)
    if spec is None:
        raise ImportError(f"{name} is missing; reinstall mcp", name=name)
    sys.modules[name] = module_from_spec(spec)


class _StandIn(ModuleType):
    """A module that has every name asked of it, each an empty class."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


@contextmanager
def _without_http() -> Generator[None]:
    absent = [name for name in _HTTP_HALF if name not in sys.modules]
    sys.modules.update({name: _StandIn(name) for name in absent})
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


@contextmanager
def _deferred_validators() -> Generator[None]:
    """Models defined meanwhile inherit ``defer_build``; adapters of them act as if they did."""
    from pydantic import BaseModel, TypeAdapter  # noqa: PLC0415 - slow to import

    # Private, but the only way to reach adapters that the SDK makes without a configuration.
    adapters = TypeAdapter._defer_build  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    BaseModel.model_config["defer_build"] = True
    setattr(TypeAdapter, "_defer_build", True)  # noqa: B010 - a property, in pyright's eyes
    try:
        yield
    finally:
        setattr(TypeAdapter, "_defer_build", adapters)  # noqa: B010 - the same
        del BaseModel.model_config["defer_build"]
