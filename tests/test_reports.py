"""What users of memory systems report, each a sentence that must not be true here."""

from __future__ import annotations

import json
import os
import time
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hypermnesia.errors import EncoderMismatch, InvalidInput, Refused
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.types import Added, Failure
from tests.conftest import OpenMemory
from tests.faults import test_forget, test_processes
from tests.store.embedders import HashEmbedder
from tests.write.judges import ScriptedJudge

CHATTER = ("ok", "thanks!", "hello there", "lol", "sounds good", "one moment please")
WORTHWHILE = (
    "We decided to use PostgreSQL instead of MySQL for the ledger service",
    "The production deploy key rotates every 90 days, owned by the platform team",
    "Ana is allergic to peanuts",
)


# 1 -------------------------------------------------------------------------------------


def test_1_stored_memories_are_not_junk(judged_memory: Memory) -> None:
    """Chatter is kept out of recall by the gate; what matters is not."""
    statuses = {text: judged_memory.add(text).status for text in (*CHATTER, *WORTHWHILE)}
    assert all(statuses[text] == "active" for text in WORTHWHILE)
    assert [text for text in CHATTER if statuses[text] == "active"] == []


def test_1_recalled_text_stored_again_makes_no_new_memory(memory: Memory) -> None:
    """An agent that writes back what it has just read only refreshes it."""
    memory.add_many(["billing uses nats", "the office is in lyon"])
    for _ in range(3):
        for hit in memory.search("billing office"):
            assert memory.add(hit.content).duplicate
            assert memory.suggest(hit.content).repeats
    assert len(memory.list()) == 2


# 2 -------------------------------------------------------------------------------------


def test_2_a_changed_value_leaves_neither_both_live_nor_none(open_memory: OpenMemory) -> None:
    """One is live, the other is history, and both can be read."""
    first, second = "my name is Anna", "my name is Bea"
    memory = open_memory(judges=[ScriptedJudge(replaces={(first, second): 0.9})])
    old = memory.add(first).id
    new = memory.add(second)
    assert new.superseded == (old,)
    assert [hit.content for hit in memory.search("my name")] == [second]
    assert [node.content for node in memory.history(old)] == [first, second]


# 3 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", ["same text", "Same  TEXT", " same text\r\n"])
def test_3_adding_the_same_text_twice_neither_deletes_nor_doubles_it(
    memory: Memory, again: str
) -> None:
    """It is one memory before and after, found by every search."""
    first = memory.add("same text").id
    for _ in range(3):
        assert memory.add(again).id == first
    assert [hit.id for hit in memory.search("same text")] == [first]
    assert [node.content for node in memory.list()] == ["same text"]


def test_3_nfc_and_nfd_forms_make_no_duplicates(memory: Memory) -> None:
    """A composed and a decomposed accent are the same letter."""
    text = "Żółć w café"
    ids = {memory.add(unicodedata.normalize(form, text)).id for form in ("NFC", "NFD")}
    assert len(ids) == 1


# 4 -------------------------------------------------------------------------------------


def test_4_one_bad_item_does_not_fail_a_whole_batch(memory: Memory) -> None:
    """It is reported in its place, the others are stored."""
    outcomes = memory.add_many(["one", "", {"content": "two", "at": "bad"}, "three"])
    assert [type(o) for o in outcomes] == [Added, Failure, Failure, Added]
    assert len(memory.list()) == 2


def test_4_a_judge_that_fails_loses_no_memory(open_memory: OpenMemory) -> None:
    """The text is stored all the same, and says that nobody judged it."""
    memory = open_memory(judges=[ScriptedJudge(broken=True)])
    added = memory.add("kept")
    assert (added.status, added.judge, added.degraded) == ("active", "off", True)
    assert memory.search("kept")


# 5 -------------------------------------------------------------------------------------


def test_5_a_text_beyond_the_models_window_does_not_crash_add(
    open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """It is cut into windows, and what stands at its end is found."""
    memory = open_memory(embedder=encoder)
    filler = "The weekly report lists numbers of the previous week. " * 60
    long = memory.add(f"{filler}The spare key hangs behind the boiler.").id
    memory.add(filler)
    hit = memory.search("where is the spare key?")[0]
    assert hit.id == long
    assert hit.explain.dense is not None


# 6 -------------------------------------------------------------------------------------


@pytest.fixture
def far_zone() -> Iterator[None]:
    """A machine whose clock is set to a zone far from UTC."""
    former = os.environ.get("TZ")
    os.environ["TZ"] = "Pacific/Auckland"
    time.tzset()
    yield
    if former is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = former
    time.tzset()


def test_6_times_are_not_stored_in_the_local_zone_of_the_server(
    memory: Memory, far_zone: None, tmp_path: Path
) -> None:
    """A time without an offset is UTC; one with an offset keeps it, exported too."""
    bare = memory.add("bare", at="2026-05-03T10:00")
    aware = memory.add("aware", at="2026-05-03T10:00+02:00")
    assert memory.get(bare.id).valid_from.isoformat() == "2026-05-03T10:00:00+00:00"
    assert memory.get(aware.id).valid_from.isoformat() == "2026-05-03T10:00:00+02:00"
    memory.export(tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert json.loads(lines[1])["valid_from"] == "2026-05-03T10:00:00+02:00"


def test_6_old_conversations_are_not_dated_by_the_day_of_ingest(memory: Memory) -> None:
    """Event time and ingest time are two fields, and filters use the event's."""
    added = memory.add("we met in Oslo", at="2019-07-01")
    node = memory.get(added.id)
    assert node.valid_from == datetime(2019, 7, 1, tzinfo=UTC)
    assert datetime.now(UTC) - node.created_at < timedelta(hours=1)
    assert memory.search("oslo", until="2019-12-31")
    assert not memory.search("oslo", since="2020-01-01")


# 7 -------------------------------------------------------------------------------------


def test_7_several_writers_never_see_database_is_locked(tmp_path: Path) -> None:
    """Four processes, 800 adds: see the test of that name."""
    test_processes.four_writers(tmp_path / "memory.db", adds=25)


def test_7_a_store_is_not_healthy_while_it_cannot_be_written(open_memory: OpenMemory) -> None:
    """The check writes."""
    one, other = open_memory(), open_memory(wait=0.05)
    one.add("text")
    assert other.check().ok
    with one._engine.store.write():  # pyright: ignore[reportPrivateUsage]
        assert [problem.kind for problem in other.check().problems] == ["write"]
    assert other.check().ok


def test_7_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    """The next one writes at once."""
    test_processes.kill_rounds(tmp_path / "memory.db", rounds=3)


# 8 -------------------------------------------------------------------------------------


def test_8_delete_leaves_nothing_behind(memory: Memory, tmp_path: Path) -> None:
    """No vector, label or term, and no byte in the files."""
    gone = memory.add(
        f"{test_forget.WORDS[0]} here", tags=[test_forget.WORDS[1]], metadata={"k": "v"}
    ).id
    assert len(test_forget.on_disk(tmp_path, *test_forget.WORDS[:2])) == 2
    memory.forget(ids=[gone])
    assert test_forget.on_disk(tmp_path, *test_forget.WORDS[:2]) == set()
    counts = memory.check().counts
    assert (counts["memories"], counts["vectors"], counts["lexical"]) == (0, 0, 0)


def test_8_deleted_text_does_not_return_on_insert(memory: Memory) -> None:
    """Neither the old row, nor its labels, nor by importing an old export."""
    memory.forget(ids=[memory.add("text", tags=["old"]).id])
    assert memory.get(memory.add("text").id).tags == ()


def test_8_delete_does_not_say_success_while_search_still_finds_it(
    open_memory: OpenMemory,
) -> None:
    """Not even through another process's warm cache."""
    one, other = open_memory(), open_memory()
    gone = one.add("text").id
    assert other.search("text")
    assert one.forget(ids=[gone]).ids == (gone,)
    assert one.search("text") == other.search("text") == []


# 9 -------------------------------------------------------------------------------------


def test_9_user_two_never_sees_the_memories_of_user_one(memory: Memory) -> None:
    """By search, list, id, history, context, profile or forget."""
    secret = memory.add("the alpha plan", scope="user1").id
    memory.add("my alpha plan", scope="user2")
    assert {hit.node.scope for hit in memory.search("alpha plan", scope="user2", k=50)} == {"user2"}
    assert {node.scope for node in memory.list(scope="user2")} == {"user2"}
    assert "the alpha plan" not in memory.context("alpha plan", scope="user2")
    assert dict(memory.profile("user2").counts) == {"active": 1}
    for verb in (memory.get, memory.history, memory.events):
        with pytest.raises(LookupError):
            verb(secret, scope="user2")
    assert memory.forget(query="the alpha plan", scope="user2", min_similarity=0).ids != (secret,)
    assert memory.get(secret).content == "the alpha plan"


def test_9_filtering_does_not_starve(memory: Memory) -> None:
    """A thousand better matches in another scope take no place from this one's."""
    memory.add_many([f"alpha {i}" for i in range(300)], scope="loud")
    memory.add("alpha and much else besides, of little use", scope="quiet")
    assert len(memory.search("alpha", scope="quiet", k=1)) == 1


# 10 ------------------------------------------------------------------------------------


def test_10_a_changed_embedder_is_no_silent_empty_recall(open_memory: OpenMemory) -> None:
    """Words go on finding, edits say what to do, reindexing keeps every memory."""
    memory = open_memory()
    added = memory.add("alpha beta", tags=["t"])
    memory.close()
    memory = open_memory(embedder=HashEmbedder(dimension=48, name="other"))
    assert [hit.id for hit in memory.search("alpha")] == [added.id]
    for verb in (
        lambda: memory.add("more"),
        lambda: memory.update(added.id, content="alpha gamma"),
    ):
        with pytest.raises(EncoderMismatch, match=r"hash@32.*other@48.*reindex"):
            verb()
    assert memory.reindex() == 1
    (hit,) = memory.search("alpha")
    assert hit.explain.dense is not None
    assert memory.get(added.id).tags == ("t",)


# 11 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("東京都の天気は晴れ", "天気"),
        ("会議は金曜日です", "金曜"),
        ("서울의 날씨", "날씨"),
        ("ลูกค้าอยู่ที่กรุงเทพ", "กรุงเทพ"),
    ],
)
def test_11_short_words_of_any_script_are_found(memory: Memory, text: str, query: str) -> None:
    """Two characters are enough, by words alone."""
    memory.add_many([text, "unrelated", "無関係"])
    hit = memory.search(query)[0]
    assert hit.content == text
    assert hit.explain.lexical is not None


# 12, 13 --------------------------------------------------------------------------------


def test_12_a_single_read_is_bounded(memory: Memory) -> None:
    """Pages with a cursor, and a context within its budget."""
    memory.add_many([f"note {i} " + "word " * 300 for i in range(60)])
    assert len(memory.list()) == 50
    assert memory.list().cursor is not None
    assert memory.context("note", max_tokens=500).tokens <= 500


@pytest.mark.parametrize("k", [0, 51, 10**9])
def test_13_unbounded_queries_are_not_accepted(memory: Memory, k: int) -> None:
    """Fifty hits are the most."""
    with pytest.raises(InvalidInput):
        memory.search("x", k=k)


def test_13_every_type_of_a_filter_is_searched(open_memory: OpenMemory) -> None:
    """Not only the first."""
    judge = ScriptedJudge(types={"alpha 1": "decision", "alpha 2": "project", "alpha 3": "fact"})
    memory = open_memory(judges=[judge])
    memory.add_many(["alpha 1", "alpha 2", "alpha 3"])
    hits = memory.search("alpha", types=["decision", "project"])
    assert {hit.content for hit in hits} == {"alpha 1", "alpha 2"}


def test_13_no_hit_has_an_empty_text(memory: Memory) -> None:
    """After any mixture of edits."""
    ids = [o.id for o in memory.add_many([f"alpha {i}" for i in range(9)]) if isinstance(o, Added)]
    memory.forget(ids=ids[:3])
    memory.update(ids[3], content="alpha changed")
    assert len(memory.search("alpha", k=50)) == 6
    assert all(hit.content for hit in memory.search("alpha", k=50))


# 14, 15 --------------------------------------------------------------------------------


def test_14_store_then_search_does_not_miss(memory: Memory) -> None:
    """Each add is found by the very next search, by words and by vector."""
    for i in range(30):
        added = memory.add(f"topic{i} detail")
        hit = memory.search(f"topic{i}")[0]
        assert hit.id == added.id
        assert hit.explain.dense is not None
        assert hit.explain.lexical is not None


def test_15_superseded_facts_do_not_come_back(open_memory: OpenMemory) -> None:
    """By no default read, however well they match."""
    first, second = "billing uses kafka streams", "billing moved to nats"
    memory = open_memory(judges=[ScriptedJudge(replaces={(first, second): 0.95})])
    memory.add(first)
    memory.add(second)
    assert [hit.content for hit in memory.search(first)] == [second]
    assert first not in memory.context(first)
    assert [node.content for node in memory.list()] == [second]
    assert all(
        first not in node.content for n in memory.profile().highlights.values() for node in n
    )
    assert not memory.suggest(first).repeats


# 16, 17 --------------------------------------------------------------------------------


def test_16_an_api_key_is_not_stored_nor_recalled(memory: Memory, tmp_path: Path) -> None:
    """Provider keys are refused; spoken secrets are masked on recall."""
    key = "AKIA" + "Q3EGRZ7XNVLP2WYT"
    with pytest.raises(Refused):
        memory.add(f"the deploy key is {key}")
    added = memory.add("the door code is 4821#x9")
    assert "4821" not in memory.get(added.id).content
    assert "4821" not in memory.search("door code")[0].content
    assert key.encode() not in b"".join(f.read_bytes() for f in tmp_path.iterdir())


def test_17_no_query_returns_the_answer_of_another(memory: Memory) -> None:
    """Nearly equal questions and equal questions with other filters are other questions."""
    memory.add_many([{"content": f"invoice {i} paid", "tags": [f"t{i}"]} for i in range(20)])
    for i in range(20):
        assert memory.search(f"invoice {i}", k=1)[0].content == f"invoice {i} paid"
        (hit,) = memory.search("invoice", tags=f"t{i}")
        assert hit.content == f"invoice {i} paid"


# also ----------------------------------------------------------------------------------

PAIRS = (
    ("INV-1001 is about 40 euros", "INV-1002 is about 45 euros"),
    ("cat number 0", "cat number 1"),
    ("meeting room 12 is booked on Monday", "meeting room 13 is booked on Monday"),
)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_other_numbers_are_never_a_duplicate(judged_memory: Memory, one: str, other: str) -> None:
    """Identity and numbers decide, never similarity alone."""
    first = judged_memory.add(one, pin=True)
    assert not judged_memory.suggest(other).repeats
    second = judged_memory.add(other, pin=True)
    assert first.id != second.id
    assert not second.duplicate
    assert judged_memory.get(first.id).status == "active"
