"""Packages that only a comparison needs, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from hypermnesia.errors import InvalidInput


def missing(module: str, extra: str) -> str | None:
    """What to do about a module that cannot be imported; ``None`` if it can be."""
    if find_spec(module) is not None:
        return None
    return f"{module} is not installed; pip install 'hypermnesia[{extra}]'"


def needed(module: str, extra: str) -> Any:
    """A module of an optional extra. ``Any``, because type checkers may not have it either.

    Raises:
        InvalidInput: it is not installed; the message says what to install.
    """
    problem = missing(module, extra)
    if problem:
        raise InvalidInput(problem)
    return import_module(module)
