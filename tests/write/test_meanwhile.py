"""What another process does between a verb's reading and its writing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from hypermnesia.errors import Conflict
from hypermnesia.models.encoder import Encoding
from tests.conftest import OpenMemory
from tests.store.embedders import HashEmbedder
from tests.write.judges import ScriptedJudge


class Meanwhile(HashEmbedder):
    """Lets something happen once, while a text is embedded.

    Attributes:
        happens: what.
    """

    def __init__(self) -> None:
        super().__init__()
        self.happens: Callable[[], object] | None = None

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """The vectors, after it has happened."""
        happens, self.happens = self.happens, None
        if happens is not None:
            happens()
        return super().encode(texts)


def test_a_memory_that_is_superseded_meanwhile_is_not_rewritten(open_memory: OpenMemory) -> None:
    """It would stand again, beside what had replaced it, or in a circle with it."""
    embedder = Meanwhile()
    memory = open_memory(embedder=embedder)
    other = open_memory(judges=[ScriptedJudge(replaces={("port 1", "port 2"): 1.0})])
    old = memory.add("port 1", memory_type="fact").id
    embedder.happens = lambda: other.add("port 2")
    with pytest.raises(Conflict, match="superseded"):
        memory.update(old, content="port 3")
    assert [node.content for node in memory.history(old)] == ["port 1", "port 2"]
    assert [node.content for node in memory.list()] == ["port 2"]
    assert memory.check().problems == ()


def test_what_is_changed_meanwhile_is_not_lost(open_memory: OpenMemory) -> None:
    """A new text takes over the labels that another process has just given."""
    embedder = Meanwhile()
    memory, other = open_memory(embedder=embedder), open_memory()
    one = memory.add("port 1", tags=["a"]).id
    embedder.happens = lambda: other.update(one, tags=["b"], metadata={"k": 1})
    memory.update(one, content="port 3")
    node = memory.get(one)
    assert (node.content, node.tags, node.metadata) == ("port 3", ("b",), {"k": 1})
    assert memory.events(one)[-1].detail == {"before": {"content": "port 1"}}
