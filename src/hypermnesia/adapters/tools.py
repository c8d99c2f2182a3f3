"""The memory as plain functions that a model can call, for any framework that reads signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from hypermnesia.errors import HypermnesiaError
from hypermnesia.memory import Memory

Tool: TypeAlias = Callable[[str], str]


def functions(memory: Memory, scope: str | None = None, *, max_tokens: int = 2000) -> list[Tool]:
    """Two tools, ``recall`` and ``remember``, that work in one scope and never raise.

    Args:
        memory: the caller opens and closes it; the tools may be called from any thread.
        scope: isolation boundary; the model cannot name another. ``None`` = the default one.
        max_tokens: most that one recall answers.
    """

    def recall(question: str) -> str:
        """Look up what is remembered from earlier conversations, with dates and citations.

        Args:
            question: What you want to know, as a full question.
        """
        try:
            return memory.context(question, scope=scope, max_tokens=max_tokens) or "nothing found"
        except HypermnesiaError as error:
            return f"error: {error}"

    def remember(fact: str) -> str:
        """Keep a decision, preference or fact for later conversations.

        Args:
            fact: One self-contained statement, with its reason.
        """
        try:
            added = memory.add(fact, scope=scope)
        except HypermnesiaError as error:
            return f"error: {error}"
        replaced = f", replaces {len(added.superseded)} older" if added.superseded else ""
        return f"{added.status}{replaced}: {added.reason}"

    return [recall, remember]
