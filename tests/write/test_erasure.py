"""Forgetting with a receipt: what goes, and the proof that it is gone."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from hypermnesia.errors import NotFound, StoreBusy
from hypermnesia.identity import new_id
from hypermnesia.memory import Memory
from hypermnesia.models.answer_cache import AnswerCache
from hypermnesia.store.outbox import Queued
from hypermnesia.store.sqlite.store import SqliteStore
from hypermnesia.types import Receipt
from tests.conftest import OpenMemory
from tests.store.bench import NOON
from tests.write.judges import ScriptedJudge

WORDS = ("zyxquavor", "brimblefex", "quondarily", "wexlothic", "fyrdwhistle", "marnoqueep")
FIRST = "the wifi is called zyxquavor one"
SECOND = "the wifi is called brimblefex two"
THIRD = "the wifi is called quondarily three"


@pytest.fixture
def chain(open_memory: OpenMemory) -> tuple[Memory, list[str]]:
    """Three versions, each of which superseded the one before."""
    judge = ScriptedJudge(replaces={(FIRST, SECOND): 1.0, (SECOND, THIRD): 1.0})
    memory = open_memory(judges=[judge])
    return memory, [memory.add(text).id for text in (FIRST, SECOND, THIRD)]


def on_disk(folder: Path, *words: str) -> set[str]:
    """Which of the words occur in any file, in UTF-8 or as FTS5 cuts them (a shared prefix off)."""
    data = b"".join(entry.read_bytes() for entry in folder.iterdir() if entry.is_file()).lower()
    return {word for word in words if word[2:7].encode() in data}


def proof(memory: Memory, *ids: str) -> Receipt:
    """The receipt of an erasure that left nothing."""
    receipt = memory.forget(ids=ids, erase=True).receipt
    assert receipt is not None
    assert receipt.complete, receipt.places
    return receipt


def test_a_receipt_names_each_index_and_no_word_of_the_memory(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """Texts, labels, provenance and former texts are searched for; ids appear as digests."""
    answers = AnswerCache(tmp_path / "answers.db")
    answers.put("key", f"they said {WORDS[0]} here")
    memory = open_memory(answers=answers)
    memory.add_many([f"bystander {i} " + "padding " * (i % 50) for i in range(60)])
    gone = memory.add(
        f"{WORDS[0]} of old " + "more " * 900,
        tags=[WORDS[1]],
        metadata={WORDS[2]: f"{WORDS[3]} within"},
        provenance={"source": WORDS[4]},
    ).id
    memory.update(gone, content=f"{WORDS[5]} instead")
    assert on_disk(tmp_path, *WORDS) == set(WORDS)
    receipt = proof(memory, gone)
    assert on_disk(tmp_path, *WORDS) == set()
    assert receipt.erased == (hashlib.sha256(gone.encode()).hexdigest(),)
    assert receipt.samples >= 6
    assert {place.place for place in receipt.places} >= {
        "rows", "event log", "lexical index", "labels", "vectors", "counters", "hypergraph",
        "database file", "write-ahead log", "kept answers",
    }  # fmt: skip
    assert not any(word in str(receipt) for word in (*WORDS, gone))
    assert memory.check().problems == ()


def test_erasing_takes_what_a_memory_superseded_with_it(
    chain: tuple[Memory, list[str]], tmp_path: Path
) -> None:
    """Those are its earlier texts. What superseded it is another's word and stays."""
    memory, (first, second, third) = chain
    assert memory.forget(ids=[second], erase=True, dry_run=True).ids == (second, first)
    proof(memory, second)
    assert on_disk(tmp_path, *WORDS[:3]) == {WORDS[2]}
    assert [node.id for node in memory.history(third)] == [third]


def test_without_erase_superseded_versions_stay(chain: tuple[Memory, list[str]]) -> None:
    """And there is no receipt."""
    memory, (first, second, third) = chain
    forgotten = memory.forget(ids=[third])
    assert forgotten == type(forgotten)((third,), dry_run=False)
    assert {memory.get(i).status for i in (first, second)} == {"superseded"}


def test_what_was_forgotten_before_gets_a_receipt(chain: tuple[Memory, list[str]]) -> None:
    """Its earlier versions go then; nothing is left to take samples of after that."""
    memory, (_, second, third) = chain
    memory.forget(ids=[third])
    assert proof(memory, third).samples > 0
    with pytest.raises(NotFound):
        memory.get(second)
    assert proof(memory, third).samples == 0


def test_another_memory_may_say_the_same(open_memory: OpenMemory) -> None:
    """Words of a memory that stays, in whatever case, are no trace of the one that went."""
    memory = open_memory()
    memory.add("Zyxquavor is the name of the wifi", scope="other")
    gone = memory.add("zyxquavor is the name of the wifi").id
    assert proof(memory, gone).samples > 0


def test_words_of_the_store_itself_are_no_trace(memory: Memory) -> None:
    """Its schema says "conversation" and "superseded", too."""
    gone = memory.add("superseded", tags=["conversation"], metadata={"created_at": "preference"})
    proof(memory, gone.id)


def test_a_trace_that_is_left_is_told(memory: Memory, tmp_path: Path) -> None:
    """Wherever in the file it lies, also in a table that the store knows nothing of."""
    gone = memory.add(f"{WORDS[0]} of old").id
    store = memory._engine.store
    assert isinstance(store, SqliteStore)
    with store._connections.transaction() as connection:
        connection.execute("CREATE TABLE stranger (text TEXT)")
        connection.execute("INSERT INTO stranger VALUES (?)", (f"so: {WORDS[0]} of old",))
    receipt = memory.forget(ids=[gone], erase=True).receipt
    assert receipt is not None
    assert not receipt.complete
    assert {p.place: p.found for p in receipt.places if p.found} == {"database file": 1}
    assert on_disk(tmp_path, WORDS[0])


def test_a_row_that_is_left_in_an_index_is_told(memory: Memory) -> None:
    """The places are really looked at: each is given something to find."""
    gone = memory.add("alpha beta").id
    store = memory._engine.store
    assert isinstance(store, SqliteStore)
    with store._connections.transaction() as connection:
        connection.execute("INSERT INTO label SELECT 1, 'tags', 'x', key FROM memory")
        connection.execute("INSERT INTO access SELECT key, 1, 1 FROM memory")
        connection.execute("INSERT INTO day SELECT key, 1, 1 FROM memory")
    found = {place.place: place.found for place in store.purge([gone], [])}
    assert found == {
        "rows": 1, "event log": 1, "lexical index": 5, "labels": 1, "vectors": 1, "counters": 1,
        "hypergraph": 1, "corpus queue": 0, "database file": 0, "write-ahead log": 0,
    }  # fmt: skip


def test_queued_judgements_go_with_the_memories_they_quote(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """Whichever of the memories in a row is erased; the others' own rows stay."""
    memory = open_memory()
    store = memory._engine.store
    gone, kept = memory.add(f"{WORDS[0]} of old").id, memory.add("something else").id
    with store.write() as writer:
        writer.consent("default", given=True)
        quoting = f'{{"input": "{WORDS[0]} of old"}}'
        writer.enqueue([
            Queued(new_id(), "default", "supersede", (kept, gone), NOON, quoting),
            Queued(new_id(), "default", "analyze", (gone,), NOON, quoting),
            Queued(new_id(), "default", "analyze", (kept,), NOON, '{"input": "something else"}'),
        ])  # fmt: skip
    assert {p.place: p.found for p in store.purge([gone], [])}["corpus queue"] == 2
    proof(memory, gone)
    assert on_disk(tmp_path, WORDS[0]) == set()
    assert [row.memories for row in store.queued(None)] == [(kept,)]


def test_an_episode_is_told_anew_without_the_turn(memory: Memory, tmp_path: Path) -> None:
    """Of a conversation only what was said in other turns stays, in heads and their indexes."""
    talk = [
        ("ana", "I adopted a dog from the shelter in Cork yesterday."),
        ("ben", f"My new bicycle is a {WORDS[0]} {WORDS[1]} from {WORDS[2]}, paid in cash."),
        ("ana", "The dog likes long walks along the river."),
    ]
    memory.ingest(
        [{"speaker": s, "content": c, "session": "one", "id": str(i)} for i, (s, c) in
         enumerate(talk)]
    )  # fmt: skip
    assert on_disk(tmp_path, *WORDS[:3]) == set(WORDS[:3])
    (turn,) = [n for n in memory.list(levels="turn") if WORDS[0] in n.content]
    proof(memory, turn.id)
    assert on_disk(tmp_path, *WORDS[:3]) == set()
    assert len(memory.list(levels="turn")) == 2
    assert memory.check().problems == ()


def test_a_store_in_use_is_waited_for_and_then_told_of(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """The memory is gone all the same, and the same command finishes the work later."""
    memory, other = open_memory(wait=0.2), open_memory()
    gone = memory.add(f"{WORDS[0]} of old").id
    reading = other._engine.store
    assert isinstance(reading, SqliteStore)
    with reading._connections.snapshot() as connection:
        connection.execute("SELECT count(*) FROM memory").fetchall()
        with pytest.raises(StoreBusy, match=f"forget --erase --id {gone}") as caught:
            memory.forget(ids=[gone], erase=True)
        assert WORDS[0] not in str(caught.value)
        with pytest.raises(NotFound):
            memory.get(gone)
    proof(memory, gone)
    assert on_disk(tmp_path, WORDS[0]) == set()


def test_a_writing_process_is_waited_for(open_memory: OpenMemory) -> None:
    """Rewriting the file needs the write lock."""
    memory, other = open_memory(wait=0.2), open_memory()
    gone = memory.add(f"{WORDS[0]} of old").id
    memory.forget(ids=[gone])
    with other._engine.store.write(), pytest.raises(StoreBusy, match="could not be rewritten"):
        memory.forget(ids=[gone], erase=True)
    proof(memory, gone)


def test_erasing_an_empty_selection_changes_nothing(memory: Memory) -> None:
    """No receipt either: there is nothing to prove."""
    memory.add("alpha")
    assert memory.forget(query="nothing of the kind", erase=True).receipt is None
    assert len(memory.list()) == 1
