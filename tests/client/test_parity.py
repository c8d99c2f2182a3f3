"""The clients have the verbs of the facade, and say of them what it says."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from hypermnesia.client import AsyncClient, Client
from hypermnesia.memory import Memory

OWN = {"open", "close", "backup", "corpus_flush_due"}
"""Verbs that are about files where the store is, or about the life of the object itself."""
VERBS = sorted(
    name
    for name, _ in inspect.getmembers(Memory, inspect.isfunction)
    if not name.startswith("_") and name not in OWN
)


def arguments(verb: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    """Names, kinds and defaults; ``self`` left out."""
    parameters = inspect.signature(verb).parameters.values()
    return [(p.name, p.kind, p.default) for p in parameters if p.name != "self"]


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_a_verb_takes_the_same_arguments(client: type, name: str) -> None:
    """By the same names, with the same defaults."""
    assert arguments(getattr(client, name)) == arguments(getattr(Memory, name))


def test_both_clients_have_the_same_verbs() -> None:
    """Neither lags behind."""
    names = [
        {name for name in vars(client) if not name.startswith("_")}
        for client in (Client, AsyncClient)
    ]
    assert names[0] == names[1]
