"""Looking into a memory's queue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypermnesia.engine import CorpusPolicy
from hypermnesia.memory import Memory
from hypermnesia.store.outbox import Queued
from tests.conftest import OpenMemory
from tests.write.judges import ScriptedJudge

KEY = "sk_live_" + "51HxAbCdEfGhIjKlMnOpQrStUv"
PASSWORD = "Kestrel-4821"


def agreeing(open_memory: OpenMemory, folder: Path | None = None, **policy: Any) -> Memory:
    """A memory whose default scope agreed, with a judge from tables, that can hand over."""
    policy.setdefault("judges", [ScriptedJudge()])
    policy.setdefault("corpus", CorpusPolicy(folder=folder))
    memory = open_memory(**policy)
    memory.corpus_consent(given=True)
    return memory


def queue(memory: Memory, scope: str | None = None) -> list[Queued]:
    """What is queued or has left, oldest first."""
    return list(memory._engine.store.queued(scope))  # pyright: ignore[reportPrivateUsage]


def rows(memory: Memory, use_case: str | None = None) -> list[dict[str, Any]]:
    """The same, as they will leave."""
    found = [json.loads(item.body or "") for item in queue(memory)]
    return [row for row in found if use_case in {None, row["use_case"]}]


def lines(path: Path) -> list[Mapping[str, Any]]:
    """Rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
