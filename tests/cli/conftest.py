"""The command line in this process, on a store of the test's own, with models that cost nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hypermnesia import config
from hypermnesia.cli.app import app
from hypermnesia.engine import Engine
from hypermnesia.judge.chain import Chain
from hypermnesia.store.sqlite.store import SqliteStore
from tests.store.embedders import HashEmbedder
from tests.write.judges import ScriptedJudge

OLD = "The staging API listens on port 8080."
NEW = "The staging API now listens on port 9090."
CHATTER = "ok thanks"


class Terminal:
    """Runs commands as a user would; ``run`` for any outcome, the others expect success."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def run(self, *args: str, stdin: str | bytes = "") -> Result:
        """Whatever happens."""
        verb, *rest = args
        return CliRunner().invoke(app, [verb, "--store", str(self.store), *rest], input=stdin)

    def out(self, *args: str, stdin: str | bytes = "") -> str:
        """What is printed on stdout."""
        result = self.run(*args, stdin=stdin)
        assert result.exit_code == 0, result.output
        return result.stdout

    def json(self, *args: str, stdin: str | bytes = "") -> Any:
        """The JSON document that is printed."""
        verb, *rest = args
        return json.loads(self.out(verb, "--json", *rest, stdin=stdin))

    def add(self, content: str, *args: str) -> str:
        """Remember a text; its id."""
        return self.json("add", *args, "--", content)["id"]


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the developer's reaches a test."""
    for name in [name for name in os.environ if name.startswith("HYPERMNESIA_")]:
        monkeypatch.delenv(name)
    (tmp_path / "config.toml").touch()
    monkeypatch.setenv("HYPERMNESIA_CONFIG", str(tmp_path / "config.toml"))


@pytest.fixture
def judge() -> ScriptedJudge:
    """Finds NEW to replace OLD, and CHATTER to be beneath the gate."""
    return ScriptedJudge(replaces={(OLD, NEW): 0.95}, saliences={CHATTER: 0.1})


@pytest.fixture
def hm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, judge: ScriptedJudge) -> Terminal:
    """The command line on a fresh store, with hashed words for an encoder."""

    def build(settings: config.Settings) -> Engine:
        embedder = HashEmbedder()
        path = config.store_path(settings)
        store = SqliteStore(path, embedder.identity, embedder.dimension, wait=5)
        return Engine(store, embedder, Chain([judge]), redact=settings.redact)

    monkeypatch.setattr(config, "build", build)
    return Terminal(tmp_path / "memory.db")
