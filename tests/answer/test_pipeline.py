"""Answers through the facade: a real store, and a scripted server for a model."""

from __future__ import annotations

import json
import logging

import pytest

from hypermnesia.answer.prompt import MARKER
from hypermnesia.answer.result import NOT_KNOWN
from hypermnesia.errors import InvalidInput
from hypermnesia.memory import Memory
from hypermnesia.models.chat import ChatClient
from hypermnesia.models.encoder import OnnxEncoder
from hypermnesia.serial import plain
from tests.conftest import OpenMemory
from tests.servers.http import in_turn, nothing_listening, serve
from tests.servers.protocols import completion
from tests.write.judges import ScriptedJudge

OLD, NEW = "Billing uses Kafka", "Billing uses NATS"
TALK = [
    {"speaker": "Ann", "content": "I adopted a dog yesterday.", "id": "D1",
     "timestamp": "2024-03-10T09:00:00"},
    {"speaker": "Bo", "content": "What is it called?", "id": "D2"},
]  # fmt: skip
QUESTION = "When did Ann adopt a dog?"


def opened(open_memory: OpenMemory, encoder: OnnxEncoder, url: str | None = None) -> Memory:
    """A memory of the talk, with a language model at an address."""
    model = None if url is None else ChatClient(url, "m", attempts=1)
    memory = open_memory(embedder=encoder, judges=[ScriptedJudge()], language_model=None)
    memory.ingest(TALK, scope="talk")
    memory.close()
    return open_memory(embedder=encoder, judges=[ScriptedJudge()], language_model=model)


def test_a_model_answers_from_the_context(open_memory: OpenMemory, encoder: OnnxEncoder) -> None:
    """It is shown turns with resolved dates, and what it cites is named."""
    with serve(in_turn(completion(f"1. [1]\n{MARKER} 9 March 2024 [1]"))) as server:
        answer = opened(open_memory, encoder, server.url).answer(QUESTION, scope="talk")
    (request,) = server.received
    prompt = request.body["messages"][1]["content"]
    assert "[1] 2024-03-10, Ann: I adopted a dog yesterday (9 March 2024)." in prompt
    assert (answer.text, answer.kind, answer.degraded) == ("9 March 2024", "model", False)
    assert answer.hits[0].sources == ("D1",)
    assert answer.tokens > 0
    assert json.loads(json.dumps(plain(answer)))["citations"][0]["sources"] == ["D1"]


def test_without_a_model_the_answer_is_extracted(
    open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """And says so."""
    answer = opened(open_memory, encoder).answer(QUESTION, scope="talk")
    assert (answer.text, answer.kind, answer.degraded) == ("9 March 2024", "extractive", False)
    assert answer.citations[0].sources == ("D1",)


def test_a_failing_model_is_replaced_and_reported(
    open_memory: OpenMemory, encoder: OnnxEncoder, caplog: pytest.LogCaptureFixture
) -> None:
    """One that is not there, and one that writes no answer."""
    with nothing_listening() as url, caplog.at_level(logging.WARNING, "hypermnesia"):
        answer = opened(open_memory, encoder, url).answer(QUESTION, scope="talk")
    assert (answer.text, answer.kind, answer.degraded) == ("9 March 2024", "extractive", True)
    assert "without the language model" in caplog.text
    assert "adopt" not in caplog.text
    with serve(in_turn(completion("I would rather not."))) as server:
        answer = opened(open_memory, encoder, server.url).answer(QUESTION, scope="talk")
    assert (answer.kind, answer.degraded, len(server.received)) == ("extractive", True, 2)


def test_an_empty_memory_asks_no_model(open_memory: OpenMemory) -> None:
    """There is nothing that it could answer from."""
    with serve(in_turn(completion(f"{MARKER} tea"))) as server:
        memory = open_memory(language_model=ChatClient(server.url, "m"))
        answer = memory.answer("what do I drink?")
    assert (answer.text, answer.known, server.received) == (NOT_KNOWN, False, [])


def test_an_answer_stays_in_its_scope(open_memory: OpenMemory, encoder: OnnxEncoder) -> None:
    """Another scope knows nothing of the talk."""
    memory = opened(open_memory, encoder)
    assert not memory.answer(QUESTION, scope="other").known


def test_a_model_sees_what_was_superseded_and_by_what(
    open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """If the filters let it; and the past is asked about as of its day."""
    judge = ScriptedJudge(replaces={(OLD, NEW): 0.95})
    with serve(in_turn(completion(f"{MARKER} Kafka [1]"))) as server:
        model = ChatClient(server.url, "m")
        memory = open_memory(embedder=encoder, judges=[judge], language_model=model)
        memory.add(OLD, at="2026-01-12")
        memory.add(NEW, at="2026-05-03")
        memory.answer("what did billing use?", status=["active", "superseded"])
        memory.answer("what does billing use?", as_of="2026-02-01")
    both, past = (request.body["messages"][1]["content"] for request in server.received)
    assert f'{OLD} (superseded by "{NEW}" on 2026-05-03)' in both
    assert "(asked on 2026-02-01)" in past
    assert "NATS" not in past


def test_bounds_are_those_of_a_context(memory: Memory) -> None:
    """Checked before anything is asked."""
    with pytest.raises(InvalidInput, match="max_tokens"):
        memory.answer("tea?", max_tokens=10)
    with pytest.raises(InvalidInput):
        memory.answer(" ")


def test_a_question_that_no_model_can_read_is_mended(
    open_memory: OpenMemory, encoder: OnnxEncoder
) -> None:
    """Half of a surrogate pair, as terminals and chats pass it on, is no error."""
    with opened(open_memory, encoder) as memory:
        assert memory.answer(f"{QUESTION} \ud83d", scope="talk").text.startswith("9 March 2024")
