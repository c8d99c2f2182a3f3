"""Every judgement is queued with the write or search that it belongs to, if its scope agreed."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from hypermnesia.corpus import row
from hypermnesia.errors import StoreError
from hypermnesia.judge.protocol import Passage
from hypermnesia.memory import Memory
from hypermnesia.store.outbox import Tally
from hypermnesia.write.batch import draft_of
from hypermnesia.write.pipeline import write
from tests.conftest import OpenMemory
from tests.corpus.queues import KEY, PASSWORD, agreeing, queue, rows
from tests.write.judges import ScriptedJudge

OLD, NEW = "the api listens on port 8080", "the api listens on port 9090"


def kinds(memory: Memory) -> Counter[str]:
    """How many rows of each use case."""
    return Counter(item.use_case for item in queue(memory))


def test_without_consent_nothing_is_queued(open_memory: OpenMemory) -> None:
    """It is off by default, and nothing is made up for later."""
    memory = open_memory(judges=[ScriptedJudge()])
    memory.add(OLD)
    memory.add(NEW)
    memory.search("api")
    memory.corpus_consent(given=True)
    assert queue(memory) == []


def test_an_add_queues_its_analysis_and_every_comparison(open_memory: OpenMemory) -> None:
    """One row a memory, one a pair, with what was answered."""
    judge = ScriptedJudge(replaces={(OLD, NEW): 0.95}, saliences={OLD: 3.25})
    memory = agreeing(open_memory, judges=[judge])
    old, new = memory.add(OLD), memory.add(NEW)
    first, second, pair = rows(memory)
    assert [first["memory_id"], second["memory_id"]] == [old.id, new.id]
    assert first["answers"]["salience"] == {"score": 3.25}
    assert pair["use_case"] == "supersede"
    assert pair["memory_id"] == new.id
    assert pair["state"] == {"existing_memory": OLD, "incoming_memory": NEW}
    assert pair["answers"] == {"supersede": {"noul": 0.95}}
    assert set(queue(memory)[2].memories) == {old.id, new.id}
    assert {row["provider"] for row in (first, second, pair)} == {"scripted"}


def test_a_known_text_is_not_judged_and_not_queued(open_memory: OpenMemory) -> None:
    """A duplicate refreshes its row, and no judge was asked."""
    memory = agreeing(open_memory)
    memory.add(OLD)
    memory.add(OLD)
    assert kinds(memory) == {"analyze": 1}


def test_a_batch_queues_what_was_judged_of_each(open_memory: OpenMemory) -> None:
    """Items of one transaction are compared with each other, too."""
    memory = agreeing(open_memory)
    memory.add_many(["alpha one", "alpha two", "alpha three", ""])
    assert kinds(memory) == {"analyze": 3, "supersede": 3}


def test_a_search_queues_a_ranking_of_three_or_more(open_memory: OpenMemory) -> None:
    """All candidates in one row, as they were asked together."""
    memory = agreeing(open_memory)
    memory.add_many(["alpha one", "alpha two"])
    memory.search("alpha")
    assert kinds(memory)["rerank"] == 0
    memory.add("alpha three")
    memory.search("alpha beta")
    (ranking,) = rows(memory, "rerank")
    assert ranking["state"]["query"] == "alpha beta"
    assert [c["index"] for c in ranking["state"]["candidates"]] == [0, 1, 2]
    assert ranking["answers"] == {f"c{i}": {"noul": 0.5} for i in range(3)}
    assert list(ranking["questions"]) == ["c0", "c1", "c2"]
    assert ranking["memory_id"] is None


def test_a_search_in_a_busy_store_answers_and_queues_nothing(open_memory: OpenMemory) -> None:
    """A row is lost rather than a search made to wait."""
    memory = agreeing(open_memory)
    memory.add_many(["alpha one", "alpha two", "alpha three"])
    with memory._engine.store.write():
        assert len(memory.search("alpha")) == 3
    assert kinds(memory)["rerank"] == 0


def test_a_corrected_text_is_queued_like_a_new_one(open_memory: OpenMemory) -> None:
    """Under the id that it keeps; other changes are not judged."""
    memory = agreeing(open_memory)
    added = memory.add(OLD)
    memory.update(added.id, tags=["t"])
    assert kinds(memory) == {"analyze": 1}
    memory.update(added.id, content=NEW)
    assert [row["state"]["memory"] for row in rows(memory, "analyze")] == [OLD, NEW]
    assert {row["memory_id"] for row in rows(memory)} == {added.id}


def test_facts_of_a_conversation_are_queued(open_memory: OpenMemory) -> None:
    """They go through the same write path; their source is ours to name."""
    memory = agreeing(open_memory)
    memory.ingest(
        [
            {"role": "user", "content": "I moved to Lisbon in May and work as a nurse there."},
            {"role": "assistant", "content": "How nice!"},
        ]
    )
    found = rows(memory, "analyze")
    assert found
    assert {row["source"] for row in found} == {"ingest"}


def test_a_judge_that_is_off_leaves_nothing_to_queue(open_memory: OpenMemory) -> None:
    """No answer, no row."""
    memory = agreeing(open_memory, judges=[])
    memory.add_many(["alpha one", "alpha two", "alpha three"])
    memory.search("alpha")
    assert queue(memory) == []


def test_the_judge_that_answered_is_named(open_memory: OpenMemory) -> None:
    """The fallback, when the configured one failed."""
    first = ScriptedJudge(name="remote", broken=True)
    memory = agreeing(open_memory, judges=[first, ScriptedJudge(name="local")])
    memory.add("alpha")
    assert [row["provider"] for row in rows(memory)] == ["local"]


def test_a_write_that_fails_queues_nothing(open_memory: OpenMemory) -> None:
    """The rows belong to its transaction."""
    memory = agreeing(open_memory)
    engine = memory._engine

    def failing(*_: object) -> None:
        raise StoreError("told to fail")

    with pytest.raises(StoreError, match="told to fail"):
        write(engine, [draft_of("alpha", "default", "redact")], within=failing)
    assert queue(memory) == []


def test_a_refused_item_of_a_batch_leaves_no_row(open_memory: OpenMemory) -> None:
    """It was not judged; the others were."""
    memory = agreeing(open_memory)
    memory.add_many(["alpha one", f"the key is {KEY}"])
    assert kinds(memory) == {"analyze": 1}


def test_consent_belongs_to_one_scope(open_memory: OpenMemory) -> None:
    """Of two, only the rows of the one that agreed."""
    memory = agreeing(open_memory)
    memory.add("alpha")
    memory.add("alpha", scope="private")
    assert [item.scope for item in queue(memory)] == ["default"]


def test_consent_that_is_withdrawn_meanwhile_stops_the_row(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked again in the transaction."""
    judge = ScriptedJudge()
    memory = agreeing(open_memory, judges=[judge])
    analyze = judge.analyze

    def withdrawing(memories: Sequence[Passage]) -> object:
        memory.corpus_consent(given=False)
        return analyze(memories)

    monkeypatch.setattr(judge, "analyze", withdrawing)
    memory.add("alpha")
    assert memory.list().items
    memory.corpus_consent(given=True)
    assert queue(memory) == []


def test_forgetting_a_memory_takes_its_rows(open_memory: OpenMemory) -> None:
    """Those that only mention it as well."""
    memory = agreeing(open_memory)
    gone = memory.add("alpha one").id
    kept = memory.add("alpha two").id
    memory.add("alpha three")
    memory.search("alpha")
    memory.forget(ids=[gone])
    assert all("alpha one" not in (item.body or "") for item in queue(memory))
    assert kept in {memory_id for item in queue(memory) for memory_id in item.memories}


def test_a_memory_forgotten_during_a_search_leaves_no_row(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ranking was made before, and is queued after it was erased."""
    judge = ScriptedJudge()
    memory = agreeing(open_memory, judges=[judge])
    ids = [memory.add(f"alpha {word}").id for word in ("one", "two", "three")]

    def forgetting(query: Passage, candidates: Sequence[Passage]) -> list[float]:
        memory.forget(ids=ids[:1])
        return [0.5 for _ in candidates]

    monkeypatch.setattr(judge, "relevance", forgetting)
    memory.search("alpha")
    assert kinds(memory)["rerank"] == 0


def test_a_row_that_cannot_be_redacted_costs_the_row_and_not_the_memory(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Fail closed: counted, and logged without a word of it."""
    memory = agreeing(open_memory)

    def failing(*_: object, **__: object) -> None:
        raise RuntimeError(f"cannot redact {PASSWORD}")

    monkeypatch.setattr(row, "examine", failing)
    with caplog.at_level(logging.DEBUG):
        added = memory.add(f"the door code is {PASSWORD}")
    assert memory.get(added.id).status == "active"
    assert queue(memory) == []
    assert memory.corpus_stats().tallies == (Tally("default", "analyze", unredacted=1),)
    assert "could not be redacted: RuntimeError" in caplog.text
    assert PASSWORD not in caplog.text


@pytest.mark.parametrize("how", ["withdraw", "forget"])
def test_what_is_dropped_is_gone_from_the_file(
    open_memory: OpenMemory, tmp_path: Path, how: str
) -> None:
    """A query stands nowhere but in its row; neither file nor log hold a byte of it afterwards."""
    memory = agreeing(open_memory)
    ids = [memory.add(f"alpha {word}").id for word in ("one", "two", "three")]
    memory.search("alpha quokkaberry")

    def held() -> bool:
        return any(b"quokkaberry" in path.read_bytes() for path in tmp_path.glob("memory.db*"))

    assert held()
    if how == "withdraw":
        memory.corpus_consent(given=False)
    else:
        memory.forget(ids=ids[:1])
    assert not held()
