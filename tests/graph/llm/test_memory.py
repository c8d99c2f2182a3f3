"""A memory that constructs with a language model, from its settings to its report."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hypermnesia import Memory
from hypermnesia.config import build, load
from hypermnesia.errors import InvalidInput
from hypermnesia.graph.choice import constructor_for
from hypermnesia.graph.llm import LlmConstructor
from hypermnesia.graph.local import LocalConstructor
from hypermnesia.models.answer_cache import AnswerCache
from hypermnesia.models.chat import ChatClient
from tests.conftest import OpenMemory
from tests.graph.llm.scripted import NOON, SAID, constructor, good, of, step_of, turns_of
from tests.servers.http import nothing_listening, serve
from tests.servers.protocols import completion

TALK = [
    {"speaker": speaker, "content": text, "timestamp": NOON.isoformat(), "id": f"m{i}"}
    for i, (speaker, text) in enumerate(SAID)
]


def test_what_a_model_wrote_is_remembered_and_reported(open_memory: OpenMemory) -> None:
    """Facts, the episode and its topic, with the tokens that they took."""
    with serve(good) as server:
        memory = open_memory(language_model=ChatClient(server.url, "small"))
        report = memory.ingest(TALK)
    assert (report.turns, report.facts, report.topics, report.fallbacks) == (3, 3, 1, {})
    assert {step_of(request) for request in server.received} == set(report.tokens)
    assert set(report.tokens.values()) >= {150}
    topics = memory.list(levels="topic")
    assert [node.content for node in topics] == ["Rex. The dog of Ann."]


def test_steps_that_fell_back_are_reported(open_memory: OpenMemory) -> None:
    """The rest is the model's."""
    with serve(of({"facts": lambda _: completion("no")})) as server:
        memory = open_memory(language_model=ChatClient(server.url, "small"))
        report = memory.ingest(TALK)
    assert set(report.fallbacks) == {"facts"}
    assert report.facts > 0


def test_a_dead_server_loses_no_turn(open_memory: OpenMemory) -> None:
    """Everything is constructed locally."""
    with nothing_listening() as url:
        memory = open_memory(language_model=ChatClient(url, "small"))
        report = memory.ingest(TALK)
    assert (report.turns, report.failed) == (3, [])
    assert {"episode", "facts"} <= set(report.fallbacks)


def test_a_rerun_into_another_store_asks_nothing(open_memory: OpenMemory, tmp_path: Path) -> None:
    """The same conversation is the same questions."""
    answers = AnswerCache(tmp_path / "answers.db")
    with serve(good) as server:
        model = ChatClient(server.url, "small")
        for name in ("one.db", "two.db"):
            memory = open_memory(name, language_model=model, answers=answers, llm_concurrency=2)
            report = memory.ingest(TALK)
            asked = len(server.received)
            server.received.clear()
    assert asked == 0
    assert set(report.tokens.values()) == {0}


def test_forgetting_erases_the_kept_answers(open_memory: OpenMemory, tmp_path: Path) -> None:
    """Also when no model is configured any more."""
    path = tmp_path / "answers.db"
    answers = AnswerCache(path)
    with serve(good) as server:
        constructor(server.url, answers).facts(turns_of())
    assert b"Fact of" in path.read_bytes()
    memory = open_memory(answers=answers)
    added = memory.add("Ann adopted Rex.")
    memory.forget(ids=[added.id], dry_run=True)
    assert b"Fact of" in path.read_bytes()
    memory.forget(ids=[added.id])
    assert b"Fact of" not in path.read_bytes()


def test_settings_choose_the_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is asked only where its address is configured; its key comes from the environment."""
    monkeypatch.setenv("HYPERMNESIA_LLM_KEY", "sk-secret")
    store = str(tmp_path / "memory.db")
    plain = build(load(store=store, threads=1))
    assert isinstance(constructor_for(plain), LocalConstructor)
    plain.store.close()
    with serve(good) as server:
        chosen = load(
            store=store, threads=1, llm_url=server.url, llm_model="small", llm_concurrency=3,
            llm_cache=str(tmp_path / "answers.db"),
        )  # fmt: skip
        engine = build(chosen)
        form = constructor_for(engine)
        form.episode(turns_of())
        engine.store.close()
    assert isinstance(form, LlmConstructor)
    assert form.parallel == 3
    assert server.received[0].headers["authorization"] == "Bearer sk-secret"
    assert server.received[0].body["model"] == "small"
    assert (tmp_path / "answers.db").exists()


def test_a_model_without_a_name_is_refused(tmp_path: Path) -> None:
    """The error says what is missing."""
    with pytest.raises(InvalidInput, match="llm_model"):
        Memory.open(tmp_path / "memory.db", llm_url="http://localhost:1")


def test_answers_are_kept_in_the_platforms_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless told otherwise; nothing is created before there is an answer."""
    monkeypatch.delenv("HYPERMNESIA_LLM_CACHE")
    monkeypatch.setattr("hypermnesia.config.user_folder", tmp_path.joinpath)
    engine = build(load(store=str(tmp_path / "memory.db"), threads=1))
    engine.store.close()
    assert engine.answers is not None
    assert engine.answers.path == tmp_path / "cache" / "answers.db"
    assert not engine.answers.path.parent.exists()


def test_keeping_answers_can_be_switched_off(tmp_path: Path) -> None:
    """Then nothing of them is on disk."""
    engine = build(load(store=str(tmp_path / "memory.db"), threads=1, llm_cache="off"))
    engine.store.close()
    assert engine.answers is None


URL, MODEL = (os.environ.get(f"HYPERMNESIA_TEST_LLM_{name}") for name in ("URL", "MODEL"))


@pytest.mark.skipif(not (URL and MODEL), reason="HYPERMNESIA_TEST_LLM_URL and _MODEL are not set")
def test_a_real_model_constructs_or_is_stood_in_for(open_memory: OpenMemory) -> None:
    """Wiring, not quality: it was asked, it was understood at least once, and nothing is lost."""
    model = ChatClient(URL or "", MODEL or "", timeout=600)
    report = open_memory(language_model=model).ingest(TALK)
    assert (report.turns, report.failed) == (3, [])
    assert report.facts > 0
    assert sum(report.tokens.values()) > 0
    assert set(report.tokens) - set(report.fallbacks)
