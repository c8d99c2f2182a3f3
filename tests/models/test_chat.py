"""The thin client for OpenAI-compatible chat servers, and the reading of JSON answers."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.errors import ModelError
from hypermnesia.models.chat import ChatClient, LanguageModel, Message, read_json
from tests.servers.http import Handler, Received, Reply, in_turn, serve
from tests.servers.protocols import Secret, completion, logprob

ASK = [Message("system", "Be brief."), Message("user", "Who?")]
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}
KEYS = st.text(max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5)


def refusing(*fields: str) -> Handler:
    """A server that answers 400 to a request with one of the response formats or fields."""

    def handler(request: Received) -> Reply:
        form = request.body.get("response_format", {}).get("type")
        if form in fields or any(field in request.body for field in fields):
            return Reply({"error": {"code": "unsupported"}}, status=400)
        return completion('{"name": "Ann"}')

    return handler


def formats(received: list[Received]) -> list[str | None]:
    """The response format of each request."""
    return [r.body.get("response_format", {}).get("type") for r in received]


def test_asks_as_the_protocol_documents_it() -> None:
    """Model, messages, temperature 0 and the token limit, under the bearer key."""
    with serve(in_turn(completion("Ann"))) as server:
        client = ChatClient(f"{server.url}/v1", "small", api_key=Secret("sk-1"))
        client.complete(ASK, max_tokens=7)
    (request,) = server.received
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-1"
    assert request.body == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Who?"},
        ],
        "temperature": 0,
        "max_tokens": 7,
    }


def test_reads_text_usage_and_truncation() -> None:
    """A cut answer is marked as one."""
    with serve(in_turn(completion("Ann", finish_reason="length"))) as server:
        model: LanguageModel = ChatClient(server.url, "small")
        answer = model.complete(ASK)
    assert (answer.text, answer.truncated, answer.tokens) == ("Ann", True, ())
    assert (answer.input_tokens, answer.output_tokens) == (120, 30)


def test_options_set_and_remove_fields_of_the_request() -> None:
    """A model with other parameters is a matter of configuration."""
    options = {"temperature": None, "max_tokens": None, "max_completion_tokens": 50}
    with serve(in_turn(completion("Ann"))) as server:
        ChatClient(server.url, "m", options=options).complete(ASK)
    body = server.received[0].body
    assert body["max_completion_tokens"] == 50
    assert not {"temperature", "max_tokens"} & set(body)


def test_asks_for_a_strict_json_schema() -> None:
    """The schema travels in the documented envelope, and the prompt stays as it is."""
    with serve(refusing()) as server:
        ChatClient(server.url, "m").complete(ASK, schema=SCHEMA)
    body = server.received[0].body
    envelope = {"name": "answer", "strict": True, "schema": SCHEMA}
    assert body["response_format"] == {"type": "json_schema", "json_schema": envelope}
    assert len(body["messages"]) == 2


@pytest.mark.parametrize(
    ("refused", "tried"),
    [
        (["json_schema"], ["json_schema", "json_object"]),
        (["json_schema", "json_object"], ["json_schema", "json_object", None]),
    ],
)
def test_falls_back_to_a_plainer_format_and_remembers_it(
    refused: list[str], tried: list[str | None]
) -> None:
    """The schema moves into the prompt; the second call does not try again what failed."""
    with serve(refusing(*refused)) as server:
        client = ChatClient(server.url, "m")
        assert client.complete(ASK, schema=SCHEMA).text == '{"name": "Ann"}'
        client.complete(ASK, schema=SCHEMA)
    assert formats(server.received) == [*tried, tried[-1]]
    system, user = server.received[-1].body["messages"]
    assert system["content"] == "Be brief."
    assert user["content"].startswith("Who?\n\n")
    assert json.dumps(SCHEMA) in user["content"]


def test_gives_up_log_probabilities_last() -> None:
    """A server that knows no log-probabilities still gets the strictest format."""
    with serve(refusing("logprobs")) as server:
        client = ChatClient(server.url, "m")
        assert client.complete(ASK, schema=SCHEMA, logprobs=True).tokens == ()
        client.complete(ASK, schema=SCHEMA, logprobs=True)
    assert ["logprobs" in r.body for r in server.received] == [True, True, True, False, False]
    assert formats(server.received)[-2:] == ["json_schema", "json_schema"]


def test_a_server_that_refuses_everything_is_reported_and_nothing_is_remembered() -> None:
    """A prompt that is too long says nothing about formats."""
    refusal = Reply({"error": {"code": "context_length_exceeded"}}, status=400)
    with serve(in_turn(refusal, refusal, refusal, completion("{}"))) as server:
        client = ChatClient(server.url, "m")
        with pytest.raises(ModelError, match=r"400 \(context_length_exceeded\)"):
            client.complete(ASK, schema=SCHEMA)
        client.complete(ASK, schema=SCHEMA)
    assert formats(server.received)[-1] == "json_schema"


def test_reads_log_probabilities() -> None:
    """Every token comes with its alternatives."""
    content = [logprob('{"a":'), logprob(" true", 0.75), logprob("}")]
    with serve(in_turn(completion('{"a": true}', logprobs={"content": content}))) as server:
        answer = ChatClient(server.url, "m").complete(ASK, logprobs=True)
    assert [token.text for token in answer.tokens] == ['{"a":', " true", "}"]
    assert answer.tokens[1].alternatives == pytest.approx(
        {" true": math.log(0.75), " false": math.log(0.25)}
    )
    assert server.received[0].body["top_logprobs"] == 5


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        [],
        "none",
        {},
        {"content": None},
        {"content": [{"token": "a"}]},
        {"content": [{"token": "a", "top_logprobs": [{"token": "a", "logprob": "low"}]}]},
    ],
)
def test_log_probabilities_of_another_shape_count_as_not_given(logprobs: Any) -> None:
    """They are an extra: their absence never costs the answer."""
    with serve(in_turn(completion("Ann", logprobs=logprobs))) as server:
        answer = ChatClient(server.url, "m").complete(ASK, logprobs=True)
    assert (answer.text, answer.tokens) == ("Ann", ())


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"choices": []},
        {"choices": None},
        {"choices": [{}]},
        {"choices": [{"message": {"content": None}}]},
        {"choices": [{"message": {"content": ["Ann"]}}]},
        {"choices": [{"message": "Ann"}]},
    ],
)
def test_a_reply_without_text_is_an_error(body: Any) -> None:
    """Nothing is made up for a model that refused or called a tool."""
    with serve(in_turn(Reply(body))) as server, pytest.raises(ModelError, match="chat"):
        ChatClient(server.url, "m").complete(ASK)


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "many"}])
def test_a_server_that_counts_no_tokens_counts_zero(usage: Any) -> None:
    """Usage is optional in practice."""
    body = {"choices": [{"message": {"content": "Ann"}}], "usage": usage}
    with serve(in_turn(Reply(body))) as server:
        answer = ChatClient(server.url, "m").complete(ASK)
    assert (answer.input_tokens, answer.output_tokens) == (0, 0)


def test_its_identity_names_model_and_host() -> None:
    """No credentials of the address are in it."""
    assert ChatClient("http://user:word@models.test:8000/v1", "m").identity == "m@models.test"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('\ufeff  {"a": 1}\n\n', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('```\n{"a": 1}\n```\nI hope this helps {really}!', {"a": 1}),
        ('Here it is: {"a": 1}', {"a": 1}),
        ('<think>{"a": 0}? No.</think>\n{"a": 1}', {"a": 1}),
        ('Maybe {"a": 0}.</think>{"a": 1}', {"a": 1}),
        ('{"a": "```json {} ``` </think>"}', {"a": "```json {} ``` </think>"}),
        ('{"a": [1, 2,], "b": {"c": 3,},}', {"a": [1, 2], "b": {"c": 3}}),
        ('{"a": [1 , ] , }', {"a": [1]}),
        ('{"a": ",}", "b": "\\",]"}', {"a": ",}", "b": '",]'}),
        ('{"a": 1, "b": "cut he', {"a": 1}),
        ('{"a": 1, "b": 0.9', {"a": 1}),
        ('{"a": 1, "b"', {"a": 1}),
        ('{"a": 1, ', {"a": 1}),
        ('{"a": [{"b": 1}, {"b": 2}, {"b"', {"a": [{"b": 1}, {"b": 2}]}),
        ('{"a": [{"b": 1}', {"a": [{"b": 1}]}),
        ('```json\n{"a": 1, "b": [2, 3', {"a": 1, "b": [2]}),
    ],
)
def test_a_slightly_malformed_answer_is_repaired(text: str, value: Any) -> None:
    """Fences, prose, thoughts, trailing commas and a cut tail cost nothing that was complete."""
    assert read_json(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "[1, 2]",
        "{",
        '{"a": 0.9',
        '{"a": "cut',
        "{'a': 1}",
        '{"a": 1]}',
        '{"a" 1}',
        '{"a": tru, "b": 1}',
        "{" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_an_answer_damaged_beyond_that_is_an_error(text: str) -> None:
    """Values are never guessed."""
    with pytest.raises(ModelError, match="JSON object"):
        read_json(text)


@given(OBJECTS)
def test_sound_json_is_read_as_it_is(value: dict[str, Any]) -> None:
    """Repair never changes what needs none, fenced or not."""
    for text in (json.dumps(value), f"```json\n{json.dumps(value, indent=1)}\n```"):
        assert read_json(text) == value


@given(OBJECTS, st.data())
def test_a_cut_answer_gives_a_part_of_what_was_written(
    value: dict[str, Any], data: st.DataObject
) -> None:
    """Whatever survives a cut is equal to what the whole answer said at that place."""
    text = json.dumps(value)
    cut = data.draw(st.integers(0, len(text)))
    with suppress(ModelError):
        assert _is_part(read_json(text[:cut]), value)


@given(st.text())
def test_any_text_is_an_object_or_a_model_error(text: str) -> None:
    """No answer of a model raises anything else."""
    with suppress(ModelError):
        assert isinstance(read_json(text), dict)


def _is_part(part: Any, whole: Any) -> bool:
    """A prefix of each container: the last one reached may itself be a part."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and _is_part(part[key], whole[key]) for key in part)
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(_is_part, part, whole))
    return bool(part == whole)
