"""The block in LlamaIndex's own memory; run by ``make adapters``, which installs the library."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hypermnesia import Memory

pytest.importorskip("llama_index.core", reason="make adapters installs it")


def _chat(memory: Memory, scope: str) -> Any:
    from llama_index.core.memory import Memory as Chat

    from hypermnesia.adapters.llama_index import MemoryBlock

    return Chat.from_defaults(
        session_id=scope,
        token_limit=60,
        chat_history_token_ratio=0.5,
        token_flush_size=10,
        tokenizer_fn=str.split,
        memory_blocks=[MemoryBlock(memory=memory, scope=scope, max_tokens=200)],
    )


def test_what_leaves_the_chat_is_recalled_in_its_scope(memory: Memory) -> None:
    """By the memory of the library, which calls the block."""
    from llama_index.core.base.llms.types import ChatMessage

    async def talk() -> tuple[str, str]:
        chat, other = _chat(memory, "a"), _chat(memory, "b")
        await chat.aput(ChatMessage(role="user", content="The staging API listens on port 9090."))
        for number in range(12):
            await chat.aput(ChatMessage(role="assistant", content=f"filler words {number} " * 4))
        question = ChatMessage(role="user", content="Which port does the staging API listen on?")
        await chat.aput(question)
        await other.aput(question)
        answers = str(await chat.aget()), str(await other.aget())
        for one in (chat, other):  # the library leaves the connection of its own store open
            await one.sql_store._async_engine.dispose()
        return answers

    ours, theirs = asyncio.run(talk())
    assert "port 9090" in ours
    assert "9090" not in theirs
    turns = memory.list(scope="a", levels=("turn",)).items
    assert turns[-1].provenance.session_id == "a"


def test_messages_without_text_are_passed_over(memory: Memory) -> None:
    """Calls of tools have none."""
    from llama_index.core.base.llms.types import ChatMessage

    from hypermnesia.adapters.llama_index import MemoryBlock

    block = MemoryBlock(memory=memory, scope="a")
    assert asyncio.run(block.aget([])) == ""
    asyncio.run(block.aput([ChatMessage(role="tool", content="x"), ChatMessage(role="user")]))
    assert memory.list(scope="a").items == ()
