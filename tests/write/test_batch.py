"""Many items: the next batch is embedded while the one before it is written."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from hypermnesia.engine import SLICE_CHARACTERS, embed
from hypermnesia.errors import ModelError
from hypermnesia.judge.protocol import Passage
from hypermnesia.models.encoder import Encoding
from hypermnesia.types import Added, Analysis, Failure
from hypermnesia.write.batch import BATCH, BATCH_CHARACTERS, SMALLEST
from tests.conftest import OpenMemory
from tests.store.embedders import HashEmbedder
from tests.write.judges import ScriptedJudge

TEXTS = [f"n{i}" for i in range(2 * BATCH + 5)]


class Telling(HashEmbedder):
    """Sets an event when it is asked for a text; refuses the text ``poison``."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.text = text
        self.asked = threading.Event()
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Note what is asked for."""
        self.texts += texts
        if self.text in texts:
            self.asked.set()
        if "poison" in texts:
            raise ModelError("this text cannot be embedded")
        return super().encode(texts)


def _embedding_threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("hypermnesia-embed")]


def test_the_next_batch_is_embedded_while_one_is_judged(open_memory: OpenMemory) -> None:
    """The judge of the first batch waits for the encoder of the second."""
    embedder = Telling(TEXTS[BATCH])
    met: list[bool] = []

    class Waiting(ScriptedJudge):
        def analyze(self, memories: Sequence[Passage]) -> list[Analysis]:
            met.append(embedder.asked.wait(10))
            return super().analyze(memories)

    memory = open_memory(embedder=embedder, judges=[Waiting()])
    outcomes = memory.add_many(TEXTS)
    assert met[0]
    assert [memory.get(o.id).content for o in outcomes if isinstance(o, Added)] == TEXTS
    assert not _embedding_threads()


def test_every_text_is_embedded_once(open_memory: OpenMemory) -> None:
    """Ahead or not; and not at all when the store knows it."""
    embedder = Telling()
    memory = open_memory(embedder=embedder)
    memory.add_many(TEXTS)
    assert sorted(embedder.texts) == sorted(TEXTS)
    outcomes = memory.add_many(TEXTS)
    assert all(isinstance(o, Added) and o.duplicate for o in outcomes)
    assert len(embedder.texts) == len(TEXTS)


def test_a_text_that_cannot_be_embedded_ahead_fails_alone(open_memory: OpenMemory) -> None:
    """In its place in a later batch."""
    memory = open_memory(embedder=Telling())
    outcomes = memory.add_many([*TEXTS[: BATCH + 1], "poison", *TEXTS[BATCH + 1 :]])
    failed = [o for o in outcomes if isinstance(o, Failure)]
    assert [(f.index, f.error) for f in failed] == [(BATCH + 1, "ModelError")]
    assert len(outcomes) == len(TEXTS) + 1


def test_an_interruption_keeps_what_is_stored_and_leaves_no_thread(
    open_memory: OpenMemory,
) -> None:
    """Ctrl-C between batches; the store works on."""
    memory = open_memory()

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.add_many(TEXTS, progress=interrupt)
    assert not _embedding_threads()
    assert [n.content for n in memory.list(limit=1000, newest=False)] == TEXTS[:BATCH]
    memory.add("and on")


@pytest.mark.parametrize("number", [1, 2 * SMALLEST, BATCH, 2 * BATCH + 5, 3 * BATCH - 1])
def test_the_last_batches_are_small(open_memory: OpenMemory, number: int) -> None:
    """While they are written nothing is embedded any more, so that little should be left."""
    sizes: list[int] = []

    class Sized(HashEmbedder):
        def encode(self, texts: Sequence[str]) -> list[Encoding]:
            sizes.append(len(texts))
            return super().encode(texts)

    texts = [f"n{i}" for i in range(number)]
    outcomes = open_memory(embedder=Sized()).add_many(texts)
    assert sum(sizes) == len(outcomes) == number
    assert max(sizes) <= BATCH
    assert sizes[-1] <= 2 * SMALLEST


def test_long_texts_are_embedded_a_few_at_a_time(open_memory: OpenMemory) -> None:
    """Until compressed, the token vectors of a text take up hundreds of times as much as it."""
    lengths: list[int] = []

    class Measured(HashEmbedder):
        def encode(self, texts: Sequence[str]) -> list[Encoding]:
            lengths.append(sum(map(len, texts)))
            return super().encode(texts)

    texts = [f"{i} " + "word " * 6_000 for i in range(20)]
    embedded = embed(Measured(), texts)
    assert [e.text for e in embedded] == texts
    assert len(lengths) > 1
    assert max(lengths) < SLICE_CHARACTERS + len(max(texts, key=len))

    stored: list[int] = []
    open_memory().add_many(texts, progress=stored.append)
    assert sum(stored) == len(texts)
    assert stored[0] * len(texts[0]) < BATCH_CHARACTERS + len(texts[0])
