"""A block of LlamaIndex's memory: ``Memory.from_defaults(memory_blocks=[MemoryBlock(...)])``."""

# The library is too large to be installed for development, so nothing is known of its types here;
# `make adapters` installs it and runs the tests.
# pyright: reportMissingImports=false, reportUntypedBaseClass=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false, reportMissingTypeArgument=false

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock

from hypermnesia.memory import Memory

SESSION = "session_id"
"""Where LlamaIndex keeps the session of a message."""


class MemoryBlock(BaseMemoryBlock[str]):
    """Takes in what leaves the chat's short-term memory, and recalls what the last message asks.

    Attributes:
        memory: the caller opens and closes it.
        scope: isolation boundary; ``None`` = the default one.
        max_tokens: most that one recall adds to a prompt.
    """

    name: str = "long_term_memory"
    memory: Memory
    scope: str | None = None
    max_tokens: int = 2000

    async def _aget(self, messages: list[ChatMessage] | None = None, **_options: Any) -> str:
        asked = next((text for one in reversed(messages or []) if (text := _text(one))), None)
        if asked is None:
            return ""
        return await asyncio.to_thread(
            self.memory.context, asked, scope=self.scope, max_tokens=self.max_tokens
        )

    async def _aput(self, messages: list[ChatMessage]) -> None:
        said = [
            {"role": str(one.role.value), "content": text, "session": _session(one)}
            for one in messages
            if (text := _text(one)) and one.role.value in {"user", "assistant"}
        ]
        if said:
            await asyncio.to_thread(self.memory.ingest, said, scope=self.scope)


def _text(message: ChatMessage) -> str:
    return (message.content or "").strip()


def _session(message: ChatMessage) -> str | None:
    session = message.additional_kwargs.get(SESSION)
    return session if isinstance(session, str) and session else None
