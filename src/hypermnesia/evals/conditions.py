"""The settings that a result was made with, fit to be published."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hypermnesia.config import Settings, embedder_of

_OF_THE_MACHINE = {"store", "scope", "busy_timeout", "llm_cache", "threads"}
"""Settings that do not decide what is found."""


def in_force(settings: Settings) -> dict[str, Any]:
    """Every setting that may change a result, as plain JSON.

    Folders and addresses are the user's own affair: of a folder its name is given, of an address
    its host. Keys are no settings.
    """
    values = settings.model_dump(mode="json", exclude=_OF_THE_MACHINE)
    return {name: _public(name, value) for name, value in values.items()}


def encoder_of(settings: Settings) -> str:
    """The identity of the text encoder: its name, what its weights are, and how it is used.

    Raises:
        InvalidInput: an endpoint lacks its model's name or dimension.
        ModelError: the files of a model cannot be read.
    """
    return embedder_of(settings).identity


def _public(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if "://" in value:
        return urlsplit(value).hostname
    return Path(value).name if name in {"encoder", "rerank_model"} else value
