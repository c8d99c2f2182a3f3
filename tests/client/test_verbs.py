"""Each verb of the clients gives what the facade gives."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.errors import (
    Conflict,
    HypermnesiaError,
    InvalidInput,
    NotFound,
    Outdated,
    Refused,
)
from hypermnesia.memory import Memory
from hypermnesia.types import Added, Failure, Node

UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"
TALK = [
    {"role": "user", "content": "I moved to Lisbon.", "timestamp": "2026-05-03T10:00:00Z"},
    {"role": "assistant", "content": "How do you like it?", "timestamp": "2026-05-03T10:01:00Z"},
]


def at_rest(node: Node) -> tuple[Any, ...]:
    """A memory but for the counters that reading it changes."""
    return (node.id, node.content, node.tags, node.metadata, node.valid_from, node.updated_at)


def test_a_memory_comes_back_as_the_facade_has_it(client: Any, memory: Memory) -> None:
    """Every field, by id, in the list and in its history."""
    added = client.add(
        "Billing uses NATS",
        at=datetime(2026, 5, 3, 10, tzinfo=UTC),
        tags=("x", "y"),
        metadata={"n": 1.5, "deep": [None, {"k": True}]},
        pin=True,
        provenance={"source": "test"},
    )
    assert isinstance(added, Added)
    assert client.get(added.id) == memory.get(added.id)
    assert client.history(added.id) == memory.history(added.id)
    assert client.events(added.id) == memory.events(added.id)
    assert client.list() == memory.list()
    assert client.profile() == memory.profile()
    assert client.scopes() == memory.scopes()
    assert client.recent() == memory.recent()
    assert client.surroundings(added.id) == memory.surroundings(added.id)


def test_a_search_answers_as_the_facade_does(client: Any, memory: Memory) -> None:
    """With scores and reasons, filtered by whatever it filters by."""
    memory.add_many([
        {"content": "alpha beta", "tags": ["t"], "metadata": {"n": 1}, "at": "2026-05-03"},
        {"content": "alpha gamma", "tags": ["u"], "metadata": {"n": "1"}, "at": "2026-06-03"},
    ])  # fmt: skip
    several: list[dict[str, Any]] = [
        {},
        {"tags": "t"},
        {"tags": ("u",), "types": ["fact"], "levels": "fact"},
        {"metadata": {"n": 1}},
        {"since": date(2026, 6, 1), "until": "2026-06-30"},
        {"as_of": datetime(2026, 5, 10, tzinfo=UTC)},
        {"k": 1, "min_score": 0.1},
    ]
    for filters in several:
        ours, theirs = client.search("alpha", **filters), memory.search("alpha", **filters)
        assert [(hit.id, hit.content) for hit in ours] == [(h.id, h.content) for h in theirs]
        assert [dict(hit.explain) for hit in ours] == [dict(hit.explain) for hit in theirs]
        listed = {n: v for n, v in filters.items() if n not in {"k", "min_score"}}
        assert [n.id for n in client.list(**listed)] == [n.id for n in memory.list(**listed)]


def test_a_context_and_an_answer_cite(client: Any, memory: Memory) -> None:
    """The text is a text, and knows its sources."""
    memory.add("Billing uses NATS since May")
    block, expected = client.context("billing"), memory.context("billing")
    assert (block, block.citations, block.tokens) == (
        expected,
        expected.citations,
        expected.tokens,
    )
    answer = client.answer("What does billing use?")
    assert answer.text == memory.answer("What does billing use?").text
    assert client.suggest("Billing uses NATS since May").known


def test_a_batch_longer_than_a_request_keeps_its_places(client: Any) -> None:
    """Failures are told by their place in the whole."""
    items: list[Any] = [f"memory {number}" for number in range(250)]
    items[220] = {"content": " "}
    seen: list[int] = []
    outcomes = client.add_many(items, progress=seen.append)
    assert sum(seen) == 250
    failures = [one for one in outcomes if isinstance(one, Failure)]
    assert [one.index for one in failures] == [220]


@pytest.mark.parametrize("kind", ["list", "file", "stream"])
def test_a_conversation_is_taken_in(client: Any, memory: Memory, tmp_path: Path, kind: str) -> None:
    """From wherever it is here; it is a job there."""
    text = "\n".join(f"{one['role']}: {one['content']}" for one in TALK)
    path = tmp_path / "talk.txt"
    path.write_text(text, "utf-8")
    source = {"list": TALK, "file": path, "stream": io.StringIO(text)}[kind]
    seen: list[int] = []
    report = client.ingest(source, scope="talks", progress=seen.append)
    assert report.turns == 2
    assert sum(seen) <= 2
    turns = memory.list(scope="talks", levels="turn")
    assert "user: I moved to Lisbon." in {turn.content for turn in turns}
    if isinstance(source, io.StringIO):
        source.seek(0)
    again = client.ingest(source, scope="talks")
    assert (again.turns, again.known) == (0, 2)


def test_a_live_session_grows_by_a_message(client: Any, memory: Memory) -> None:
    """One after the other."""
    assert client.observe(TALK[0]).turns == 1
    assert memory.list(levels="turn").items


def test_a_memory_is_corrected_restored_and_forgotten(client: Any, memory: Memory) -> None:
    """In place, and for good."""
    added = memory.add("alpha")
    assert client.update(added.id, tags=["t"], pin=True).id == added.id
    assert at_rest(client.restore(added.id)) == at_rest(memory.get(added.id))
    assert client.forget(ids=[added.id], dry_run=True).ids == (added.id,)
    done = client.forget(query="alpha", min_similarity=0.5, erase=True)
    assert done.ids == (added.id,)
    assert done.receipt is not None
    assert not memory.list().items


def test_nobody_elses_change_is_overwritten(client: Any, memory: Memory) -> None:
    """If the caller says what it read."""
    added = memory.add("alpha")
    read = client.get(added.id)
    memory.update(added.id, tags=["theirs"])
    with pytest.raises(Outdated):
        client.update(added.id, tags=["ours"], unchanged_since=read.updated_at)
    now = client.get(added.id).updated_at
    client.update(added.id, tags=["ours"], unchanged_since=now)
    assert memory.get(added.id).tags == ("ours",)


def test_everything_is_exported_and_comes_back(client: Any, memory: Memory, tmp_path: Path) -> None:
    """As the facade writes it."""
    memory.add_many(["alpha", "beta"])
    path, own = tmp_path / "theirs.jsonl", tmp_path / "ours.jsonl"
    assert client.export(path) == 2 == memory.export(own)
    assert path.read_bytes() == own.read_bytes()
    memory.forget(scope="default")
    fresh = own.read_text("utf-8").replace("alpha", "gamma")
    path.write_text(fresh.replace('"id": "0', '"id": "1'), "utf-8")
    assert client.import_(path).added == 2
    assert {node.content for node in memory.list()} == {"gamma", "beta"}


def test_a_store_is_looked_after(client: Any, memory: Memory) -> None:
    """Checked, scanned, and indexed anew."""
    memory.add("alpha")
    assert client.check().ok
    assert client.scan().memories == 1
    assert client.reindex() == 0
    assert client.corpus_stats() == memory.corpus_stats()
    assert client.corpus_consent() == memory.corpus_consent()
    assert client.corpus_consent(given=True).given
    assert client.hyperedges([UNKNOWN]) == memory.hyperedges([UNKNOWN])


@pytest.mark.parametrize(
    ("verb", "arguments", "error"),
    [
        ("add", (" ",), InvalidInput),
        ("add", ("key sk_" + "live_51H8xk2eZvKYlo2C0abcdefgh",), Refused),
        ("get", (UNKNOWN,), NotFound),
        ("get", ("no id",), HypermnesiaError),
        ("ingest", (Path("nowhere.txt"),), InvalidInput),
        ("import_", ("nowhere.jsonl",), InvalidInput),
        ("search", ("",), InvalidInput),
    ],
)
def test_a_failure_is_the_exception_of_the_facade(
    client: Any, verb: str, arguments: tuple[Any, ...], error: type[Exception]
) -> None:
    """With a message that says what was wrong."""
    with pytest.raises(error) as caught:
        getattr(client, verb)(*arguments)
    assert str(caught.value)


def test_a_conflict_is_told(client: Any, memory: Memory) -> None:
    """Two memories cannot have the same text."""
    memory.add("alpha")
    other = memory.add("beta")
    with pytest.raises(Conflict):
        client.update(other.id, content="alpha")
    with pytest.raises(NotFound):
        client.update(other.id, content="gamma", scope="elsewhere")


def test_a_job_of_ones_own_is_seen(client: Any) -> None:
    """And one that is over cannot be cancelled."""
    client.ingest(TALK)
    (job,) = client.jobs()
    assert client.job(job.id) == job == client.cancel_job(job.id)
    assert job.state == "done"
