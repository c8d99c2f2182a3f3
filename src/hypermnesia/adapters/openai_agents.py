"""Tools for the OpenAI Agents SDK: ``Agent(tools=tools(memory, scope))``."""

from __future__ import annotations

import asyncio
from functools import wraps

from agents import FunctionTool, function_tool

from hypermnesia.adapters.tools import Tool, functions
from hypermnesia.memory import Memory


def tools(
    memory: Memory, scope: str | None = None, *, max_tokens: int = 2000
) -> list[FunctionTool]:
    """``recall`` and ``remember`` for an agent; see :func:`.tools.functions`."""
    return [
        function_tool(_in_a_thread(one)) for one in functions(memory, scope, max_tokens=max_tokens)
    ]


def _in_a_thread(tool: Tool):  # noqa: ANN202 - the wrapper has the signature of what it wraps
    @wraps(tool)
    async def call(text: str) -> str:
        return await asyncio.to_thread(tool, text)

    return call
