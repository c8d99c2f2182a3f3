"""Erased is erased: from every answer, every table and every byte of the files."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import random
from pathlib import Path

import pytest

from hypermnesia.errors import InvalidInput, NotFound
from hypermnesia.identity import new_id
from hypermnesia.memory import Memory
from hypermnesia.store.sqlite import store
from tests.conftest import OpenMemory
from tests.write.judges import ScriptedJudge

WORDS = ("zyxquavor", "brimblefex", "quondarily", "wexlothic", "fyrdwhistle", "marnoqueep")


def on_disk(folder: Path, *words: str) -> set[str]:
    """Which of the words occur in any file, in UTF-8 or as FTS5 cuts them (a shared prefix off)."""
    data = b"".join(entry.read_bytes() for entry in folder.iterdir() if entry.is_file()).lower()
    return {word for word in words if word[2:7].encode() in data}


def test_no_byte_of_a_forgotten_memory_stays_on_disk(memory: Memory, tmp_path: Path) -> None:
    """Not in rows, labels, terms, events, free pages or the write-ahead log."""
    memory.add_many([f"bystander {i} " + "padding " * (i % 50) for i in range(120)])
    content, tag, name, value, source, edited = WORDS
    secret = memory.add(
        f"{content} " + "more " * 900,
        tags=[tag],
        metadata={name: value},
        provenance={"source": source},
    )
    memory.update(secret.id, content=f"{edited} instead", salience=2)
    memory.search(f"{edited} instead")
    assert on_disk(tmp_path, *WORDS) == set(WORDS)
    assert memory.forget(ids=[secret.id]).ids == (secret.id,)
    assert on_disk(tmp_path, *WORDS) == set()
    assert memory.check().problems == ()


def test_forgetting_among_many_edits_leaves_no_remains(memory: Memory, tmp_path: Path) -> None:
    """Whatever pages the rows had moved through before."""
    chance = random.Random(5)
    words = ["".join(chance.choices("bcdfghjklmnpqrstvwxz", k=12)) for _ in range(60)]
    ids = [
        o.id  # type: ignore[union-attr]
        for o in memory.add_many(
            {"content": f"{word} " * chance.choice([1, 3, 400]), "tags": [word]} for word in words
        )
    ]
    for i in range(0, 60, 3):
        memory.update(ids[i], metadata={words[i]: words[i] * chance.choice([1, 90])})
    assert len(on_disk(tmp_path, *words)) == 60
    doomed = sorted(chance.sample(range(60), 40))
    for i in doomed[:20]:
        memory.forget(ids=[ids[i]])
    memory.forget(ids=[ids[i] for i in doomed[20:]])
    assert on_disk(tmp_path, *words) == {words[i] for i in set(range(60)) - set(doomed)}
    assert memory.check().problems == ()


def test_a_forgotten_memory_is_in_no_answer(memory: Memory) -> None:
    """By any verb."""
    gone = memory.add("alpha gone", tags=["t"]).id
    kept = memory.add("alpha kept", tags=["t"]).id
    memory.forget(ids=[gone])
    assert [hit.id for hit in memory.search("alpha gone")] == [kept]
    assert [hit.id for hit in memory.search("gone", status=["active", "low_signal"])] == [kept]
    assert [n.id for n in memory.list(tags="t")] == [kept]
    assert "gone" not in memory.context("alpha gone")
    assert memory.profile().counts["active"] == 1
    for attempt in (memory.get, memory.history, memory.events, memory.restore):
        with pytest.raises(NotFound, match="forgotten"):
            attempt(gone)
    with pytest.raises(NotFound, match="forgotten"):
        memory.forget(ids=[gone])


def test_a_forgotten_text_can_be_remembered_anew(memory: Memory) -> None:
    """As a new memory, with nothing of the old."""
    old = memory.add("alpha", tags=["old"], metadata={"k": 1})
    memory.forget(ids=[old.id])
    new = memory.add("alpha")
    assert new.id != old.id
    assert not new.duplicate
    node = memory.get(new.id)
    assert (node.tags, dict(node.metadata), node.access_count) == ((), {}, 0)
    assert len(memory.search("alpha")) == 1


def test_other_handles_notice_a_forgotten_memory(open_memory: OpenMemory) -> None:
    """Their caches are not asked once more."""
    one, other = open_memory(), open_memory()
    gone = one.add("alpha").id
    assert other.search("alpha")
    one.forget(ids=[gone])
    assert other.search("alpha") == []
    with pytest.raises(NotFound):
        other.get(gone)


def test_what_a_reader_kept_in_the_log_goes_with_the_next_write(
    open_memory: OpenMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader in the middle of something may hold the write-ahead log open."""
    monkeypatch.setattr(store, "SCRUB_WAIT_MS", 1)
    memory, other = open_memory(), open_memory()
    gone = memory.add(f"{WORDS[0]} here").id
    reading = other._engine.store
    assert isinstance(reading, store.SqliteStore)
    with reading._connections.snapshot() as connection:
        connection.execute("SELECT count(*) FROM memory").fetchall()
        memory.forget(ids=[gone])
        assert memory.search(WORDS[0]) == []
    memory.add("anything else")
    assert on_disk(tmp_path, WORDS[0]) == set()


def test_a_dry_run_forgets_nothing(memory: Memory) -> None:
    """And says what would go, for each kind of selection."""
    ids = {memory.add(f"alpha {i}", scope="s").id for i in range(3)}
    for selection in ({"ids": sorted(ids)}, {"query": "alpha", "scope": "s"}, {"scope": "s"}):
        report = memory.forget(**selection, dry_run=True, min_similarity=0.1)  # type: ignore[arg-type]
        assert report.dry_run
        assert set(report.ids) == ids
    assert len(memory.list(scope="s")) == 3


def test_forgetting_by_query_has_a_floor(memory: Memory) -> None:
    """Only what is really alike goes, in one scope, older versions included."""
    alike = memory.add("the wifi is called hydra").id
    elsewhere = memory.add("the wifi is called hydra", scope="other").id
    unlike = memory.add("lunch was fine").id
    assert memory.forget(query="the wifi is called hydra").ids == (alike,)
    assert memory.get(unlike).content == "lunch was fine"
    assert memory.get(elsewhere).scope == "other"
    assert memory.forget(query="nothing of the kind").ids == ()


def test_forgetting_a_scope_empties_it_alone(open_memory: OpenMemory) -> None:
    """Whatever the status; over a thousand at once."""
    judge = ScriptedJudge(saliences={"n1": 0.0}, replaces={("n2", "n3"): 1.0})
    memory = open_memory(judges=[judge])
    memory.add_many([f"n{i}" for i in range(600)], scope="full")
    memory.add("kept", scope="other")
    assert len(memory.forget(scope="full").ids) == 600
    for status in ("active", "low_signal", "superseded"):
        assert len(memory.list(scope="full", status=status)) == 0
    assert memory.scopes() == ["other"]
    assert len(memory.list(scope="other")) == 1
    assert memory.check().problems == ()


def test_one_unknown_id_keeps_all_from_being_forgotten(memory: Memory) -> None:
    """All or nothing."""
    known = memory.add("alpha").id
    with pytest.raises(NotFound):
        memory.forget(ids=[known, new_id()])
    with pytest.raises(NotFound, match="in scope 'other'"):
        memory.forget(ids=[known], scope="other")
    assert memory.get(known).content == "alpha"


def test_forget_without_a_selection_is_refused(memory: Memory) -> None:
    """It must never mean everything."""
    memory.add("alpha")
    with pytest.raises(InvalidInput, match="a scope alone to empty it"):
        memory.forget()
    assert len(memory.list()) == 1
