"""The facade: opening, reading, looking after a store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

import hypermnesia
from hypermnesia.errors import EncoderMismatch, InvalidInput, ModelError, Refused, StoreError
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Encoding
from hypermnesia.types import MemoryType
from tests.conftest import OpenMemory
from tests.store.embedders import HashEmbedder
from tests.write.judges import ScriptedJudge


def test_a_memory_opens_with_settings_and_remembers(tmp_path: Path) -> None:
    """As a user does it: real encoder, real judge, one file."""
    path = tmp_path / "memory.db"
    with hypermnesia.Memory.open(path, scope="acme", threads=1) as memory:
        added = memory.add("We chose NATS over Kafka for billing", at="2026-05-03T10:00:00Z")
        assert (added.judge, added.degraded) == ("local", False)
    with Memory.open(str(path), scope="acme", judge="off", threads=1) as memory:
        (hit,) = memory.search("what does billing use?")
        assert (hit.id, hit.node.scope) == (added.id, "acme")
        assert hit.explain["final"] == hit.score
        assert memory.check().ok


def test_opening_a_bad_path_or_setting_is_refused(tmp_path: Path) -> None:
    """Before anything is created."""
    with pytest.raises(StoreError):
        Memory.open(tmp_path)
    with pytest.raises(InvalidInput, match="gate"):
        Memory.open(tmp_path / "memory.db", gate=9)
    with pytest.raises(InvalidInput, match="colour"):
        Memory.open(tmp_path / "memory.db", colour="red")
    with pytest.raises(InvalidInput, match="white space"):
        Memory.open(tmp_path / "memory.db", scope=" padded ")
    with pytest.raises(InvalidInput, match="not supported"):
        Memory.open("mysql://host/db")
    assert list(tmp_path.iterdir()) == []


def test_times_keep_their_offset_and_events_their_own_time(memory: Memory) -> None:
    """Event time is what the caller says, ingest time is now; both are instants."""
    before = datetime.now(UTC)
    added = memory.add("text", at="2020-02-29T23:30:00-05:00")
    node = memory.get(added.id)
    assert node.valid_from == datetime(2020, 3, 1, 4, 30, tzinfo=UTC)
    assert node.valid_from.utcoffset() == timedelta(hours=-5)
    assert before <= node.created_at <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("at", "instant"),
    [
        ("2026-05-03", datetime(2026, 5, 3, tzinfo=UTC)),
        (date(2026, 5, 3), datetime(2026, 5, 3, tzinfo=UTC)),
        ("2026-05-03T10:00", datetime(2026, 5, 3, 10, tzinfo=UTC)),
        (datetime(2026, 5, 3, 10), datetime(2026, 5, 3, 10, tzinfo=UTC)),  # noqa: DTZ001 - means UTC
        (
            datetime(2026, 5, 3, 10, tzinfo=timezone(timedelta(hours=2))),
            datetime(2026, 5, 3, 8, tzinfo=UTC),
        ),
        ("1931-12-31T23:59:59.999999Z", datetime(1931, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
    ],
    ids=str,
)
def test_an_event_time_can_be_given_in_several_forms(
    memory: Memory, at: datetime | date | str, instant: datetime
) -> None:
    """Without an offset it is UTC, never the local zone of the machine."""
    assert memory.get(memory.add("text", at=at).id).valid_from == instant


def test_bare_dates_bound_whole_days(memory: Memory) -> None:
    """``until`` and ``as_of`` include the day they name, ``since`` begins with it."""
    memory.add("noon", at="2026-05-03T12:00:00Z")
    day, before, after = "2026-05-03", "2026-05-02", "2026-05-04"
    assert len(memory.list(since=day, until=day)) == 1
    assert len(memory.list(until=before)) == len(memory.list(since=after)) == 0
    assert len(memory.list(as_of=day)) == 1
    assert len(memory.list(as_of=before)) == 0
    assert len(memory.list(until="9999-12-31")) == 1


def test_list_pages_through_everything(memory: Memory) -> None:
    """Newest first unless told otherwise."""
    memory.add_many([{"content": f"n{i}", "at": f"19{60 + i}-01-01"} for i in range(20)])
    found, cursor = list[str](), None
    while True:
        page = memory.list(limit=7, cursor=cursor)
        found += [node.content for node in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == [f"n{i}" for i in reversed(range(20))]
    assert [n.content for n in memory.list(limit=2, newest=False)] == ["n0", "n1"]
    for limit in (0, 1001, True):
        with pytest.raises(InvalidInput, match="limit"):
            memory.list(limit=limit)


def test_a_profile_shows_a_scope_at_a_glance(open_memory: OpenMemory) -> None:
    """Counts, span, and the most salient of each type."""
    types: dict[str, MemoryType] = {"we chose b": "decision", "we chose c": "decision"}
    judge = ScriptedJudge(saliences={"we chose c": 4.0, "chat": 0.0}, types=types)
    memory = open_memory(judges=[judge])
    for text, at in (("a", "2020-01-01"), ("we chose b", "2021-01-01"), ("we chose c", None)):
        memory.add(text, at=at)
    memory.add("chat")
    memory.add("elsewhere", scope="other")
    profile = memory.profile()
    assert dict(profile.counts) == {"active": 3, "low_signal": 1}
    assert dict(profile.types) == {"fact": 1, "decision": 2}
    assert profile.first == datetime(2020, 1, 1, tzinfo=UTC)
    assert [n.content for n in profile.highlights["decision"]] == ["we chose c", "we chose b"]
    empty = memory.profile("nobody")
    assert (dict(empty.counts), empty.first, dict(empty.highlights)) == ({}, None, {})


def test_suggest_tells_repeats_from_related_and_new(open_memory: OpenMemory) -> None:
    """By similarity and numbers, not by position."""
    memory = open_memory(embedder=HashEmbedder(dimension=384))
    memory.add("invoice INV-1001 is over 40 euros")
    assert memory.suggest("Invoice INV-1001 is over 40 euros").repeats
    other = memory.suggest("invoice INV-1002 is over 45 euros")
    assert not other.repeats
    assert other.related
    new = memory.suggest("pandas eat bamboo")
    assert (new.repeats, new.related, new.known) == ((), (), False)


def test_events_tell_what_happened(memory: Memory) -> None:
    """Oldest first, without the text of a forgotten memory."""
    added = memory.add("text")
    memory.update(added.id, tags=["t"])
    memory.add("text")
    assert [e.kind for e in memory.events(added.id)] == ["add", "update", "add"]


def test_recalls_are_counted(memory: Memory) -> None:
    """Once per search that returned the memory."""
    added = memory.add("alpha")
    memory.add("omega")
    for _ in range(2):
        memory.search("alpha", k=1)
    node = memory.get(added.id)
    assert node.access_count == 2
    assert node.accessed_at is not None


def test_scopes_are_listed_while_they_hold_something(memory: Memory) -> None:
    """In order of their names."""
    memory.add("b", scope="beta")
    gone = memory.add("a", scope="alpha").id
    assert memory.scopes() == ["alpha", "beta"]
    memory.forget(ids=[gone])
    assert memory.scopes() == ["beta"]


def test_scopes_are_compared_exactly(memory: Memory) -> None:
    """Case and composition make other scopes; nothing is folded."""
    for scope in ("Café", "cafe\u0301", "café", "a%", "a_", "ab"):
        memory.add("text", scope=scope)
    for scope in ("Café", "cafe\u0301", "café", "a%", "a_", "ab"):
        assert len(memory.search("text", scope=scope)) == 1
    assert len(memory.list(scope="default")) == 0


def test_a_backup_is_a_store_of_its_own(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path
) -> None:
    """Taken while others write, equal to one moment; an existing file is not overwritten."""
    ids = [memory.add(f"alpha {i} " + "x " * 300).id for i in range(40)]
    other = open_memory()
    steps = list[tuple[int, int]]()

    def progress(done: int, total: int) -> None:
        steps.append((done, total))
        other.add(f"meanwhile {len(steps)}")

    memory.backup(tmp_path / "copy.db", progress)
    assert steps
    assert steps[-1][0] == steps[-1][1]
    copy = open_memory("copy.db")
    assert {n.id for n in copy.list(limit=1000)} == set(ids)
    assert copy.check().problems == ()
    with pytest.raises(StoreError, match="exists already"):
        memory.backup(tmp_path / "copy.db")
    with pytest.raises(StoreError):
        memory.backup(tmp_path / "missing" / "copy.db")


def test_a_backup_that_fails_leaves_no_half_file(memory: Memory, tmp_path: Path) -> None:
    """Nobody takes it for a backup."""
    memory.add("alpha")

    def interrupt(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.backup(tmp_path / "copy.db", interrupt)
    assert not (tmp_path / "copy.db").exists()
    assert memory.search("alpha")


class Failing(HashEmbedder):
    """Breaks after a number of batches."""

    batches = 1

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """As told."""
        self.batches -= 1
        if self.batches < 0:
            raise ModelError("out of order")
        return super().encode(texts)


def test_reindexing_for_another_encoder_resumes_where_it_broke(open_memory: OpenMemory) -> None:
    """Lexical search goes on meanwhile; adding waits for the end."""
    memory = open_memory()
    memory.add_many([f"alpha item {i}" for i in range(150)])
    memory.close()
    newer = Failing(dimension=24, name="newer")
    memory = open_memory(embedder=newer)
    with pytest.raises(EncoderMismatch, match="reindex"):
        memory.add("not yet")
    assert memory.search("alpha item")
    newer.batches = 2  # the probe, and one batch
    with pytest.raises(ModelError):
        memory.reindex()
    assert len(memory.search("alpha item", k=50)) == 50
    newer.batches = 99
    assert memory.reindex() == 150 - 64
    assert memory.check().problems == ()
    assert memory.add("now").status == "active"


def test_a_search_without_the_encoder_answers_by_words(open_memory: OpenMemory) -> None:
    """And says that it is degraded."""

    class Mute(HashEmbedder):
        def encode_queries(self, texts: Sequence[str]) -> list[Encoding]:
            raise ModelError("no model here")

    memory = open_memory()
    memory.add("alpha beta")
    memory.close()
    (hit,) = open_memory(embedder=Mute()).search("alpha")
    assert hit.explain.degraded
    assert hit.explain.dense is None
    assert hit.explain.lexical is not None


def test_recall_masks_secrets_unless_they_are_asked_for(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """In every read; the export keeps them, being the owner's copy."""
    memory = open_memory()
    added = memory.add("the wifi password is hunter2horse", tags=["t"])
    assert "hunter2horse" not in memory.get(added.id).content
    assert memory.get(added.id, reveal=True).content.endswith("hunter2horse")
    (hit,) = memory.search("wifi password")
    assert hit.redacted
    for text in (
        hit.content,
        hit.node.content,
        memory.context("wifi password"),
        str(list(memory.list())),
        str(memory.profile()),
        str(memory.history(added.id)),
    ):
        assert "hunter2horse" not in text
    memory.export(tmp_path / "export.jsonl")
    assert "hunter2horse" in (tmp_path / "export.jsonl").read_text("utf-8")
    memory.close()
    assert "hunter2horse" in open_memory(redact="off").search("wifi")[0].content


def test_the_log_masks_former_texts_like_current_ones(memory: Memory) -> None:
    """An update must not leave the old secret readable in the events."""
    added = memory.add("The wifi password is Blue-Tram-4821!", pin=True)
    memory.update(added.id, content="The wifi password is kept in the vault")
    shown = str(memory.events(added.id))
    assert "Blue-Tram" not in shown
    assert "[redacted:" in shown


def test_a_made_up_cursor_is_refused_in_an_empty_scope_too(memory: Memory) -> None:
    """Otherwise a mistake looks like the end of a list."""
    with pytest.raises(InvalidInput, match="cursor"):
        memory.list(scope="never used", cursor="nonsense")


def test_a_store_is_its_owners_alone(open_memory: OpenMemory, tmp_path: Path) -> None:
    """Memories are private whatever the umask says, and so is their backup."""
    memory = open_memory("private.db")
    memory.backup(tmp_path / "copy.db")
    for path in tmp_path.rglob("*.db*"):
        assert path.stat().st_mode & 0o077 == 0


def test_an_encoder_that_does_not_answer_leaves_the_store_as_it_was(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """Otherwise a wrong address would lock the store for adding."""
    memory = open_memory("one.db")
    memory.add("We chose NATS over Kafka")
    with Memory.open(
        tmp_path / "one.db", judge="off", encoder="http://127.0.0.1:9/v1",
        encoder_model="none", encoder_dimension=8,
    ) as other, pytest.raises(ModelError):  # fmt: skip
        other.reindex()
    assert not memory.add("Lena prefers short updates").duplicate
    assert memory.check().ok


@pytest.mark.parametrize("place", ["scope", "provenance"])
def test_a_credential_is_refused_wherever_it_stands(memory: Memory, place: str) -> None:
    """Not only in the text: what is stored is shown and exported."""
    key = "AKIA" + "Q3EGRIPLKM7TWZ2B"
    extra = {"scope": key} if place == "scope" else {"provenance": {"source": key}}
    with pytest.raises(Refused):
        memory.add("an ordinary note", **extra)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("items", ["We use Kafka", b"bytes", {"content": "x"}, None, 5])
def test_add_many_wants_many(memory: Memory, items: object) -> None:
    """A single text would be taken for a list of letters."""
    with pytest.raises(InvalidInput, match="add_many"):
        memory.add_many(items)  # pyright: ignore[reportArgumentType]


def test_forgetting_no_ids_is_a_mistake(memory: Memory) -> None:
    """An empty selection usually means that something went wrong before."""
    with pytest.raises(InvalidInput, match="empty"):
        memory.forget(ids=[])
