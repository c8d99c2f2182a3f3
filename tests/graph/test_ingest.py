"""Conversations through the facade: what is stored, what is not stored twice, what survives."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hypermnesia.errors import Conflict, InvalidInput, ModelError
from hypermnesia.graph.ahead import CHUNK
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Encoding, OnnxEncoder
from tests.conftest import OpenMemory
from tests.faults.forking import finish, kill, spawn
from tests.store.embedders import HashEmbedder
from tests.write.judges import ScriptedJudge

START = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)

TALK = (
    ("Ann", "I moved to Lisbon last month and found a flat near the river."),
    ("Bo", "How do you like the neighbourhood?"),
    ("Ann", "I love it. I walk to the market every Saturday."),
    ("Bo", "I still work at the hospital in Porto."),
    ("Ann", "My sister Clara visits me next week."),
    ("Bo", "Say hello to her from me!"),
)


def talk(session: str | None = "one", start: datetime | None = START) -> list[dict[str, Any]]:
    """Six messages, a minute apart."""
    return [
        {
            "speaker": speaker,
            "content": content,
            "session": session,
            "timestamp": start and start + timedelta(minutes=i),
        }
        for i, (speaker, content) in enumerate(TALK)
    ]


def contents(memory: Memory, level: str, scope: str | None = None) -> list[str]:
    """Texts of a level, oldest first."""
    page = memory.list(scope=scope, levels=(level,), newest=False, limit=1000)
    return [node.content for node in page]


def test_turns_are_kept_word_for_word_with_speaker_and_time(memory: Memory) -> None:
    """Every message is a turn, whatever became of it otherwise."""
    report = memory.ingest(talk())
    assert (report.turns, report.known, report.failed) == (6, 0, [])
    page = memory.list(levels=("turn",), newest=False)
    assert [node.content for node in page] == [f"{who}: {text}" for who, text in TALK]
    assert [node.valid_from for node in page] == [START + timedelta(minutes=i) for i in range(6)]
    assert {node.status for node in page} == {"active"}


def test_facts_name_the_speaker_keep_the_date_and_lead_to_their_turn(memory: Memory) -> None:
    """A fact stands on its own, and says where it came from."""
    memory.ingest([*talk()[:1], {"speaker": "Bo", "id": "b2", "content": "I bought a boat."}])
    facts = list(memory.list(levels=("fact",)))
    moved = next(fact for fact in facts if "Lisbon" in fact.content)
    assert moved.content.startswith("Ann moved to Lisbon last month (February 2024)")
    assert moved.metadata["when"][0][:2] == ["2024-02-01", "2024-02-29"]
    boat = next(fact for fact in facts if "boat" in fact.content)
    assert boat.content == "Bo bought a boat."
    assert boat.provenance.turn_id == "b2"


def test_episodes_and_topics_are_told(memory: Memory) -> None:
    """A session makes at least one of each, and both can be searched."""
    report = memory.ingest(talk())
    assert report.episodes >= 1
    assert report.topics >= 1
    assert memory.search("Lisbon", levels=("episode",))
    assert memory.search("Lisbon", levels=("topic",))
    assert memory.check().problems == ()


def test_the_same_messages_again_add_nothing(memory: Memory) -> None:
    """Neither with ids nor without, neither with times nor without."""
    for messages in (talk(), talk("two", None), [{"role": "user", "content": "x", "id": "7"}]):
        first = memory.ingest(messages)
        before = memory.list(limit=1000).items
        again = memory.ingest(messages)
        assert (first.turns, again.turns, again.known) == (len(messages), 0, len(messages))
        assert (again.facts, again.episodes, again.topics) == (0, 0, 0)
        assert memory.list(limit=1000).items == before


def test_a_longer_version_of_a_talk_adds_what_is_new(memory: Memory) -> None:
    """The turns go on where the session stopped."""
    memory.ingest(talk()[:4])
    report = memory.ingest(talk())
    assert (report.turns, report.known) == (2, 4)
    assert contents(memory, "turn") == [f"{who}: {text}" for who, text in TALK]
    assert memory.check().problems == ()


def test_two_people_may_say_the_same(memory: Memory) -> None:
    """Equal texts are different turns, also by the same speaker."""
    yes = {"speaker": "Ann", "content": "Yes!", "session": "s"}
    assert memory.ingest([yes, yes, {**yes, "speaker": "Bo"}]).turns == 3
    assert contents(memory, "turn").count("Ann: Yes!") == 2


def test_observing_grows_a_live_session_message_by_message(memory: Memory) -> None:
    """One message at a time comes to the same turns, and is found at once."""
    for message in talk():
        assert memory.observe(message).turns == 1
        assert memory.search(message["content"], levels=("turn",))[0].content.endswith(
            message["content"]
        )
    assert contents(memory, "turn") == [f"{who}: {text}" for who, text in TALK]
    assert memory.check().problems == ()


def test_talk_about_one_thing_stays_one_episode_however_it_arrives(
    open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """All at once, in two pieces, or message by message."""
    whole, pieces, live = (open_memory(f"{i}.db", embedder=encoder) for i in range(3))
    whole.ingest(talk())
    pieces.ingest(talk()[:4])
    pieces.ingest(talk())
    for message in talk():
        live.observe(message)
    for memory in (whole, pieces, live):
        assert len(contents(memory, "episode")) == 1


def test_a_message_said_twice_while_observing_is_two_turns(memory: Memory) -> None:
    """Without id and time, the moment tells them apart."""
    ok = {"role": "user", "content": "ok"}
    assert memory.observe(ok).turns == memory.observe(ok).turns == 1


def test_prohibited_messages_are_refused_and_the_others_stay(memory: Memory) -> None:
    """A credential is named by its rule, and its text is nowhere."""
    secret = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    messages = talk()
    messages.insert(2, {"speaker": "Ann", "content": f"our key is {secret}"})
    report = memory.ingest(messages)
    assert (report.turns, report.refused) == (6, 1)
    assert secret not in report.failed[0].message
    assert not memory.search("our key", levels=("turn", "fact"), min_score=0.9)


@pytest.mark.parametrize("label", ["id", "session", "speaker", "caption"])
def test_a_credential_is_refused_wherever_a_message_holds_it(memory: Memory, label: str) -> None:
    """Labels are stored and shown like the text; the place in the report does not repeat it."""
    secret = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    messages = [
        {"speaker": "Ann", "content": "I like tea.", "session": "one"},
        {"speaker": "Ann", "content": "I like cocoa.", "session": "one"} | {label: secret},
    ]
    report = memory.ingest(messages)
    assert (report.turns, report.refused) == (1, 1)
    assert report.failed[0].index == 1
    assert secret not in report.failed[0].where + report.failed[0].message
    assert contents(memory, "turn") == ["Ann: I like tea."]


@pytest.mark.parametrize("personal", [False, True])
def test_what_was_masked_in_the_store_does_not_come_back(memory: Memory, *, personal: bool) -> None:
    """The same conversation again, grown by a message, brings only that one."""
    messages = [
        {"speaker": "Ann", "content": "The staging password is hunter2-Kx9", "id": "1"},
        {"speaker": "Ann", "content": "Write to ann.lee@example.org", "session": "two"},
        {"speaker": "Ann", "content": "I like tea."},
    ]
    memory.ingest(messages)
    assert memory.scan(fix=True, personal=personal).fixed > 0
    report = memory.ingest([*messages, {"speaker": "Ann", "content": "I like cocoa."}])
    assert (report.turns, report.known) == (1, 3)
    assert memory.scan(personal=personal).leaks == ()


def test_a_refused_message_is_told_by_its_id_or_its_number(memory: Memory) -> None:
    """Numbers count from one, as in every report of a source."""
    secret = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    message = {"speaker": "Ann", "content": f"it is {secret}", "session": "one"}
    report = memory.ingest([message, message | {"id": "D1"}])
    assert [item.where for item in report.failed] == [
        "message 1 of session 'one'",
        "message 'D1' of session 'one'",
    ]


def test_an_unusable_message_fails_alone_with_its_place(memory: Memory) -> None:
    """The index and the field are named."""
    messages: list[Any] = [*talk()[:2], {"content": "who says so?"}, 7, *talk()[2:]]
    report = memory.ingest(messages)
    assert report.turns == 6
    assert [item.where for item in report.failed] == ["message 3", "message 4"]
    assert "speaker" in report.failed[0].message


@pytest.mark.parametrize("source", [7, {"role": "user", "content": "x"}, None])
def test_what_is_no_conversation_is_refused(memory: Memory, source: Any) -> None:
    """One message is for observe, and a number is nothing at all."""
    with pytest.raises(InvalidInput, match="ingest takes a list"):
        memory.ingest(source)


def test_messages_without_time_follow_those_that_have_one(memory: Memory) -> None:
    """Missing times are the last known one's; unordered ones are kept as they are."""
    at = [START, None, START - timedelta(days=1), None]
    memory.ingest(
        [{"speaker": "Ann", "content": f"number {i}", "timestamp": t} for i, t in enumerate(at)]
    )
    found = {node.content: node.valid_from for node in memory.list(levels=("turn",))}
    assert found["Ann: number 1"] == START
    assert found["Ann: number 3"] == START - timedelta(days=1)


def test_a_long_message_is_kept_in_parts(memory: Memory) -> None:
    """As much as four memories hold; nothing of it is lost."""
    words = " ".join(f"word{i}" for i in range(28_000))
    report = memory.ingest([{"speaker": "Ann", "content": words, "id": "long"}])
    parts = contents(memory, "turn")
    assert report.turns == len(parts) > 1
    assert " ".join(part.removeprefix("Ann: ") for part in parts) == words


def test_many_sessions_are_kept_apart(memory: Memory) -> None:
    """Every session has its own positions and episodes."""
    messages = [
        {"speaker": "Ann", "content": f"remark {i}", "session": f"s{i % 300}"} for i in range(600)
    ]
    report = memory.ingest(messages)
    assert (report.turns, report.episodes) == (600, 300)
    assert memory.check().problems == ()


def test_a_source_that_breaks_off_keeps_what_came_before(open_memory: OpenMemory) -> None:
    """All of it is stored, and the second attempt goes on from there."""
    memory = open_memory()
    read = 2 * CHUNK + 9
    messages = [
        {"speaker": "Ann", "content": f"remark {i}", "id": str(i)} for i in range(3 * CHUNK)
    ]

    def breaking() -> Iterator[Mapping[str, Any]]:
        yield from messages[:read]
        raise OSError("the network went away")

    with pytest.raises(OSError, match="network"):
        memory.ingest(breaking())
    assert len(contents(memory, "turn")) == read
    report = memory.ingest(messages)
    assert (report.turns, report.known) == (3 * CHUNK - read, read)
    assert memory.check().problems == ()


def test_a_killed_ingest_is_continued_by_starting_again(open_memory: OpenMemory) -> None:
    """Whatever the moment: the store is whole, and the rest is added."""
    messages = [{"speaker": "Ann", "content": f"I saw bird {i}", "id": str(i)} for i in range(400)]
    for told in range(3):
        name = f"{told}.db"

        def work(tell: Any, name: str = name) -> None:
            open_memory(name).ingest(messages, progress=lambda done: tell(str(done)))

        child, pipe = spawn(work)
        with os.fdopen(pipe, encoding="utf-8") as lines:
            for _ in range(told):
                lines.readline()
            kill(child)
        memory = open_memory(name)
        assert memory.check().problems == ()
        report = memory.ingest(messages)
        assert report.turns + report.known == 400
        assert report.known >= told * 64
        assert contents(memory, "turn") == [f"Ann: I saw bird {i}" for i in range(400)]
        assert memory.check().problems == ()


def test_an_interruption_leaves_the_rest_of_long_messages_unread(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what is being embedded at the moment is waited for, not the whole chunk."""
    read, ended, shutdown = list[str](), threading.Event(), ThreadPoolExecutor.shutdown

    class Interrupted(HashEmbedder):
        """Is interrupted at the first text, and takes until the end for the next."""

        def encode(self, texts: Any) -> list[Encoding]:
            first = not read
            read.extend(texts)
            if first:
                raise KeyboardInterrupt
            ended.wait()
            return super().encode(texts)

    def noticed(
        pool: ThreadPoolExecutor, wait: bool = True, *, cancel_futures: bool = False
    ) -> None:
        shutdown(pool, wait=False, cancel_futures=cancel_futures)
        ended.set()
        shutdown(pool, wait=wait)

    monkeypatch.setattr(ThreadPoolExecutor, "shutdown", noticed)
    memory = open_memory(embedder=Interrupted())
    messages = [{"speaker": "Ann", "content": f"{i} " + "word " * 12_000} for i in range(8)]
    with pytest.raises(KeyboardInterrupt):
        memory.ingest(messages)
    assert 0 < len(read) < len(messages)
    assert contents(memory, "turn") == []


def test_a_chunk_of_very_long_messages_is_a_small_one(memory: Memory) -> None:
    """Vectors of little text at a time are held, however long messages are."""
    chunks = list[int]()
    messages = [{"speaker": "Ann", "content": f"{i} " + "x" * 60_000} for i in range(20)]
    report = memory.ingest(messages, progress=chunks.append)
    assert report.turns == sum(chunks) == 20
    assert max(chunks) * 60_000 < 600_000


def test_two_processes_may_continue_one_session(open_memory: OpenMemory) -> None:
    """Each turn gets a place of its own."""

    def work(number: int, tell: Any) -> None:
        memory = open_memory()
        for i in range(12):
            report = memory.observe({"speaker": f"P{number}", "content": f"{number}/{i}"})
            tell(str(report.turns))
        memory.close()

    open_memory().close()
    children = [spawn(lambda tell, n=number: work(n, tell)) for number in range(3)]
    assert [line for child in children for line in finish(*child)] == ["1"] * 36
    memory = open_memory()
    assert len(contents(memory, "turn")) == 36
    assert memory.check().problems == ()


def test_an_encoder_that_fails_stores_nothing_of_the_chunk(open_memory: OpenMemory) -> None:
    """The error reaches the caller; starting again goes on."""

    class Failing(HashEmbedder):
        """Fails at the second chunk."""

        def encode(self, texts: Any) -> list[Encoding]:
            if any(f"remark {CHUNK + 6}" in text for text in texts):
                raise ModelError("the encoder is gone")
            return super().encode(texts)

    messages = [
        {"speaker": "Ann", "content": f"remark {i}", "id": str(i)} for i in range(2 * CHUNK)
    ]
    with pytest.raises(ModelError, match="gone"):
        open_memory(embedder=Failing()).ingest(messages)
    memory = open_memory()
    assert memory.ingest(messages).known == CHUNK


def test_a_newer_fact_replaces_an_older_one_and_its_turn_says_so(
    open_memory: OpenMemory,
) -> None:
    """Facts of talk go through the same write path as any memory."""
    old, new = "Ann works at Acme.", "Ann works at Globex now."
    memory = open_memory(judges=[ScriptedJudge(replaces={(old, new): 0.95})])
    memory.ingest([{"speaker": "Ann", "content": "I work at Acme.", "timestamp": START}])
    later = START + timedelta(days=30)
    report = memory.ingest(
        [{"speaker": "Ann", "content": "I work at Globex now.", "timestamp": later}]
    )
    assert report.superseded == 1
    (fact,) = memory.list(levels=("fact",), status=("superseded",))
    assert (fact.content, fact.valid_until) == (old, later)
    turn = next(
        h for h in memory.search("where does Ann work", levels=("turn",)) if "Acme" in h.content
    )
    assert turn.superseded_by == fact.superseded_by


def test_forgetting_a_turn_takes_its_words_out_of_everything(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """Facts, episode and topic say nothing of it, and no byte of the files does."""
    memory = open_memory()
    memory.ingest([*talk(), {"speaker": "Bo", "content": "I adopted a zebrafinch in Coimbra."}])
    (turn,) = [n for n in memory.list(levels=("turn",)) if "zebrafinch" in n.content]
    memory.forget(ids=[turn.id])
    texts = [str((node.content, node.metadata)) for node in memory.list(limit=1000)]
    assert texts
    assert not [text for text in texts if "zebrafinch" in text or "Coimbra" in text]
    assert memory.check().problems == ()
    memory.close()
    for file in tmp_path.glob("memory.db*"):
        assert b"zebrafinch" not in file.read_bytes().lower()


def test_a_topic_tells_of_the_episodes_that_are_left(memory: Memory) -> None:
    """One of them may go as a whole, with its only turn."""
    for day, place in enumerate(("Porto", "Faro", "Braga")):
        said = {"speaker": "Ann", "content": f"I visited {place} with my friend."}
        memory.ingest([said], session=f"day {day}")
    assert len(contents(memory, "topic")) == 1
    turn = next(node for node in memory.list(levels=("turn",)) if "Faro" in node.content)
    memory.forget(ids=[turn.id])
    (topic,) = contents(memory, "topic")
    assert len(contents(memory, "episode")) == 2
    assert "Porto" in topic
    assert "Braga" in topic
    assert "Faro" not in topic


def test_a_memory_of_ones_own_is_not_forgotten_with_talk_that_repeats_it(
    open_memory: OpenMemory,
) -> None:
    """The fact was there before; the turn is no source of it."""
    memory = open_memory()
    own = memory.add("Ann bought a boat.")
    memory.ingest([{"speaker": "Ann", "content": "I bought a boat."}])
    (turn,) = memory.list(levels=("turn",))
    memory.forget(ids=[turn.id])
    assert memory.get(own.id).content == "Ann bought a boat."


def test_what_was_said_cannot_be_rewritten(memory: Memory) -> None:
    """A turn is evidence; its labels may change, its words may not."""
    memory.ingest(talk())
    for level in ("turn", "episode", "topic"):
        (node, *_) = memory.list(levels=(level,))
        with pytest.raises(Conflict, match="word for word"):
            memory.update(node.id, content="something else")
        assert memory.update(node.id, tags=("seen",)).id == node.id


def test_what_a_user_put_on_an_episode_stays_when_it_is_told_anew(
    open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """Tags, pin and own metadata, when it grows and when a turn of it is forgotten."""
    memory = open_memory(embedder=encoder)
    memory.ingest(talk()[:4])
    labels: dict[str, Any] = {"tags": ("move",), "pin": True}
    for level in ("episode", "topic"):
        (head,) = memory.list(levels=(level,))
        memory.update(head.id, metadata={**head.metadata, "seen by": "Cy"}, **labels)
    memory.ingest(talk())
    (turn, *_) = memory.list(levels=("turn",))
    for change in (lambda: None, lambda: memory.forget(ids=[turn.id])):
        change()
        for level in ("episode", "topic"):
            (head,) = memory.list(levels=(level,))
            assert (head.tags, head.pinned, head.metadata["seen by"]) == (("move",), True, "Cy")
            assert head.metadata["title"]


def test_nothing_crosses_from_one_scope_to_another(memory: Memory) -> None:
    """The same talk in two scopes is two talks."""
    assert memory.ingest(talk(), scope="a").turns == memory.ingest(talk(), scope="b").turns == 6
    memory.forget(scope="a")
    assert contents(memory, "turn", "a") == []
    assert contents(memory, "turn", "b") == [f"{who}: {text}" for who, text in TALK]
    assert memory.check().problems == ()


def test_a_turn_without_place_is_reported(open_memory: OpenMemory, tmp_path: Path) -> None:
    """The check sees what only another program could have done."""
    memory = open_memory()
    memory.ingest(talk())
    memory.close()
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        connection.execute("DELETE FROM turn WHERE position = 3")
    assert [p.kind for p in open_memory().check().problems]
