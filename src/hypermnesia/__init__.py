"""Hypermnesia: long-term memory for LLM agents, judged, hybrid, offline, reversible.

>>> from hypermnesia import Memory
>>> with Memory.open("memory.db") as memory:
...     memory.add("We chose NATS over Kafka for billing")
...     hits = memory.search("what does billing use now?")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypermnesia.config import Settings
    from hypermnesia.memory import Memory
    from hypermnesia.privacy import redact

__version__ = "0.1.0"

__all__ = ["Memory", "Settings", "__version__", "redact"]

_HOMES = {"Memory": "memory", "Settings": "config", "redact": "privacy"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package costs nothing."""
    from importlib import import_module  # noqa: PLC0415 - the same reason

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
