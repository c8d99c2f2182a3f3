"""Secrets that are in the store already."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from pathlib import Path

from hypermnesia.identity import new_id
from hypermnesia.memory import Memory
from hypermnesia.store.outbox import Queued
from tests.conftest import OpenMemory
from tests.store.bench import NOON

SECRET = "Blue-Tram-99"
SPOKEN = "Kestrel-4821"


def filled(open_memory: OpenMemory) -> Memory:
    """A store that kept what it got, log entries included."""
    memory = open_memory(secrets="keep")
    memory.add(f"DB_PASSWORD={SECRET} for staging", tags=[SECRET], metadata={"also": SECRET})
    memory.add(f"the wifi password is {SPOKEN}", scope="home")
    changed = memory.add(f"api_key = '{SECRET}'")
    memory.update(changed.id, content="the key is kept in the vault")
    memory.add("billing uses NATS")
    return memory


def found(memory: Memory, **options: object) -> list[tuple[str, str]]:
    """Scope and rule of every leak."""
    leaks = memory.scan(**options).leaks  # type: ignore[arg-type] - scope, fix, personal
    return sorted((leak.scope, leak.rule) for leak in leaks)


def test_a_scan_names_rule_and_count_and_changes_nothing(open_memory: OpenMemory) -> None:
    """The log of a memory counts as well; never the value."""
    memory = filled(open_memory)
    scanned = memory.scan()
    assert (scanned.memories, scanned.fixed, scanned.clean) == (4, 0, False)
    assert sorted((leak.rule, leak.count) for leak in scanned.leaks) == [
        ("credential", 1), ("credential", 3), ("spoken-secret", 1)
    ]  # fmt: skip
    assert SECRET not in str(scanned)
    assert found(memory) == found(memory)


def test_a_scan_keeps_to_the_scope_it_is_given(open_memory: OpenMemory) -> None:
    """Others are neither listed nor changed."""
    memory = filled(open_memory)
    assert found(memory, scope="home") == [("home", "spoken-secret")]
    memory.scan(scope="home", fix=True)
    assert found(memory) == [("default", "credential"), ("default", "credential")]


def test_a_fix_masks_text_labels_indexes_and_log_for_good(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """No file of the store holds a value any more; the store is sound and searchable."""
    memory = filled(open_memory)
    assert memory.scan(fix=True).clean
    again = memory.scan()
    assert (again.leaks, again.clean) == ((), True)
    for path in tmp_path.iterdir():
        assert SECRET.encode() not in path.read_bytes()
        assert SPOKEN.encode() not in path.read_bytes()
    assert memory.check().ok
    (hit, *_) = memory.search("wifi password", scope="home")
    assert hit.content == "the wifi password is [redacted:spoken-secret]"
    assert memory.list(metadata={"also": "[redacted:credential]"}).items


def test_terms_of_a_masked_text_are_not_found_any_more(open_memory: OpenMemory) -> None:
    """The lexical index is rewritten with the row."""
    memory = filled(open_memory)
    memory.scan(fix=True)
    hits = memory.search(SECRET)
    assert all(hit.explain.lexical is None or "Tram" not in str(hit.node) for hit in hits)


def test_two_memories_that_become_one_text_are_one(open_memory: OpenMemory) -> None:
    """A text is stored once in a scope, also after its secret is gone."""
    memory = open_memory(secrets="keep")
    memory.add("DB_PASSWORD=Blue-Tram-99")
    memory.add("DB_PASSWORD=Red-Tram-42")
    assert memory.scan(fix=True).clean
    assert [node.content for node in memory.list()] == ["DB_PASSWORD=[redacted:credential]"]
    assert memory.check().ok


def test_personal_data_is_looked_for_on_request(open_memory: OpenMemory) -> None:
    """And masked only then."""
    memory = open_memory()
    memory.add("write to bob@example.com")
    assert memory.scan(fix=True).leaks == ()
    assert found(memory, personal=True) == [("default", "email")]


def test_a_masked_turn_keeps_its_place(open_memory: OpenMemory) -> None:
    """Its session goes on, and telling the talk again adds a masked turn at most once."""
    memory = open_memory(secrets="keep")
    memory.ingest([{"speaker": "Ann", "content": f"password: {SECRET}", "id": "m1"}])
    memory.scan(fix=True)
    assert memory.check().ok
    (turn,) = memory.list(levels=("turn",)).items
    assert turn.content == "Ann: password: [redacted:credential]"
    assert turn.provenance.turn_id == "m1"


def test_judgements_of_a_masked_memory_do_not_leave(open_memory: OpenMemory) -> None:
    """They were queued before its secret was known for one, and hold it."""
    memory = open_memory(secrets="keep")
    ids = [memory.add(f"password: {SECRET}").id, memory.add("something else").id]
    store = memory._engine.store
    with store.write() as writer:
        writer.consent("default", given=True)
        writer.enqueue(
            [Queued(new_id(), "default", "analyze", (i,), NOON, f'"{SECRET}"') for i in ids]
        )
    memory.scan(fix=True)
    assert [row.memories for row in store.queued(None)] == [(ids[1],)]
