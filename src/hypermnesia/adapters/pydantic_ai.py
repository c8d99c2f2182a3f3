"""A toolset for Pydantic AI: ``Agent(model, toolsets=[toolset(memory, scope)])``."""

from __future__ import annotations

from typing import Any

from pydantic_ai import FunctionToolset

from hypermnesia.adapters.tools import functions
from hypermnesia.memory import Memory


def toolset(
    memory: Memory, scope: str | None = None, *, max_tokens: int = 2000
) -> FunctionToolset[Any]:
    """``recall`` and ``remember`` for an agent; see :func:`.tools.functions`."""
    return FunctionToolset(functions(memory, scope, max_tokens=max_tokens), id="hypermnesia")
