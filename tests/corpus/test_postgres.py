"""On PostgreSQL a corpus is queued, handed over, forgotten and dropped like on a file."""

from __future__ import annotations

from pathlib import Path

from hypermnesia.engine import CorpusPolicy, Engine
from hypermnesia.judge.chain import Chain
from hypermnesia.memory import Memory
from hypermnesia.store.postgres.store import PostgresStore
from tests.corpus.queues import lines, queue, rows
from tests.store.embedders import HashEmbedder
from tests.write.judges import ScriptedJudge


def test_a_corpus_works_the_same_on_postgresql(postgres_url: str, tmp_path: Path) -> None:
    """From consent to withdrawal."""
    embedder = HashEmbedder()
    store = PostgresStore(postgres_url, embedder.identity, embedder.dimension)
    policy = CorpusPolicy(folder=tmp_path)
    with Memory(Engine(store, embedder, Chain([ScriptedJudge()]), corpus=policy), "a") as memory:
        memory.add("alpha zero")
        memory.corpus_consent(given=True)
        added = memory.add_many(["alpha one", "alpha two"])
        memory.search("alpha")
        found = rows(memory)
        assert [row["use_case"] for row in found] == [
            "analyze", "analyze", "supersede", "supersede", "supersede", "rerank",
        ]  # fmt: skip
        done = memory.corpus_flush()
        assert (done.rows, done.pending) == (6, 0)
        assert lines(done.files[0]) == found
        memory.forget(ids=[added[1].id])  # type: ignore[union-attr]
        assert {row["use_case"] for row in rows(memory)} == {"analyze", "supersede"}
        memory.add("alpha three")
        assert memory.corpus_consent(given=False).dropped > 0
        assert queue(memory) == []
        assert memory.corpus_stats().uploaded == 6
