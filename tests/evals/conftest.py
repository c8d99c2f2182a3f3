"""Evaluations with an encoder that costs nothing, and without settings of the developer's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hypermnesia import config
from tests.store.embedders import HashEmbedder


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Memories that are opened embed by hashed words, and judge nothing."""
    for name in [name for name in os.environ if name.startswith("HYPERMNESIA_")]:
        monkeypatch.delenv(name)
    (tmp_path / "empty.toml").touch()
    monkeypatch.setenv("HYPERMNESIA_CONFIG", str(tmp_path / "empty.toml"))
    monkeypatch.setenv("HYPERMNESIA_LLM_CACHE", "off")
    monkeypatch.setenv("HYPERMNESIA_JUDGE", "off")
    monkeypatch.setattr(config, "embedder_of", embedder_of)


def embedder_of(settings: config.Settings) -> HashEmbedder:
    """The same encoder whatever the settings."""
    del settings
    return HashEmbedder()
