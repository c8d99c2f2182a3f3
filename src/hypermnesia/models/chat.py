"""A thin client for any OpenAI-compatible ``/v1/chat/completions`` server.

A little longer than most modules, because the protocol and its client stand side by side.
"""

from __future__ import annotations

import json
import re
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from hypermnesia.errors import ModelError
from hypermnesia.models.http import ATTEMPTS, Endpoint, JsonObject, Secret

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TIMEOUT = 60.0
"""Seconds one attempt may take: writing an answer takes longer than scoring a text."""
MAX_TOKENS = 1024
"""Tokens of an answer, unless the caller knows better."""
ALTERNATIVES = 5
"""Alternatives asked for at each token when log-probabilities are wanted; servers give 5 to 20."""

Role: TypeAlias = Literal["system", "user", "assistant"]
_Format: TypeAlias = Literal["json_schema", "json_object", "plain"]
_FORMATS: tuple[_Format, ...] = ("json_schema", "json_object", "plain")

_THOUGHT = re.compile(r"^(?!\s*\{).*</think>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Token:
    """One token of an answer.

    Attributes:
        alternatives: natural log-probability of each likely token at this place, this one
            included, as given. Servers that force a form may count what it forbids, too.
    """

    text: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer.

    Attributes:
        text: what the model wrote.
        truncated: the answer was cut at the token limit.
        tokens: empty unless log-probabilities were asked for and given.
        input_tokens: tokens of the prompt, 0 when the server does not count.
        output_tokens: tokens of the answer, 0 when the server does not count.
    """

    text: str
    truncated: bool
    tokens: tuple[Token, ...]
    input_tokens: int
    output_tokens: int


class LanguageModel(Protocol):
    """Writes an answer to a prompt."""

    @property
    def identity(self) -> str:
        """Names the model; recorded with what it wrote."""
        ...

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = MAX_TOKENS,
        logprobs: bool = False,
    ) -> Completion:
        """The answer to a prompt.

        Args:
            messages: the prompt, oldest first.
            schema: JSON Schema of the answer. How far it is enforced depends on the
                server, so read the answer with :func:`read_json` and check it.
            max_tokens: the answer is cut here.
            logprobs: ask for log-probabilities; a server may not give them.

        Raises:
            ModelError: no answer.
        """
        ...


class ChatClient:
    """Asks a chat model; satisfies :class:`LanguageModel`; safe to share between threads.

    When the server refuses (400, 422) a JSON schema, the request is repeated with
    ``json_object`` and then with the schema in the prompt alone; the same again without
    log-probabilities. What it refused is remembered.

    Args:
        base_url: where the API lives, with or without a trailing ``/v1``.
        model: as the server names it.
        api_key: sent as a bearer token; read by the caller from the environment.
        timeout: seconds one attempt may take; all together take at most twice that.
        attempts: requests sent at most for one answer, refusals not counted.
        options: fields to set in every request, such as ``reasoning_effort``; ``None``
            takes a field away (``{"temperature": None}``).
        concurrency: answers under way at once, whatever the number of threads that ask;
            ``None`` = any number.

    Raises:
        ModelError: the address or the key cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: Secret | None = None,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
        options: Mapping[str, Any] | None = None,
        concurrency: int | None = None,
    ) -> None:
        self._model = model
        self._endpoint = Endpoint(base_url, api_key=api_key, timeout=timeout, attempts=attempts)
        self._options = dict(options or {})
        self._refused: frozenset[tuple[_Format, bool]] = frozenset()
        self._turnstile: AbstractContextManager[object] = (
            nullcontext() if concurrency is None else BoundedSemaphore(concurrency)
        )

    @property
    def identity(self) -> str:
        """Model name and host."""
        return f"{self._model}@{self._endpoint.host}"

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = MAX_TOKENS,
        logprobs: bool = False,
    ) -> Completion:
        """The answer to a prompt; see :class:`LanguageModel`."""
        with self._turnstile:
            return self._complete(messages, schema, max_tokens, logprobs=logprobs)

    def _complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None,
        max_tokens: int,
        *,
        logprobs: bool,
    ) -> Completion:
        *shapes, last = [s for s in _shapes(schema is not None, logprobs) if self._accepts(s)]
        for position, (form, wanted) in enumerate(shapes):
            body = self._body(messages, schema, max_tokens, form, wanted)
            reply = self._endpoint.offer("/v1/chat/completions", body)
            if reply is not None:
                self._refused |= frozenset(shapes[:position])
                return _completion(reply)
        body = self._body(messages, schema, max_tokens, *last)
        reply = self._endpoint.post("/v1/chat/completions", body)
        self._refused |= frozenset(shapes)
        return _completion(reply)

    def _accepts(self, shape: tuple[_Format, bool]) -> bool:
        return shape not in self._refused

    def _body(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None,
        max_tokens: int,
        form: _Format,
        logprobs: bool,
    ) -> JsonObject:
        prompt = [{"role": m.role, "content": m.content} for m in messages]
        body: JsonObject = {"model": self._model, "messages": prompt, "temperature": 0}
        body["max_tokens"] = max_tokens
        if schema is not None and form != "json_schema":
            # In the last message, because many chat templates want the roles to alternate.
            prompt[-1]["content"] += f"\n\n{_in_words(schema)}"
        if form != "plain":
            body["response_format"] = _response_format(form, schema)
        if logprobs:
            body |= {"logprobs": True, "top_logprobs": ALTERNATIVES}
        body |= self._options
        return {name: value for name, value in body.items() if value is not None}


def read_json(text: str) -> JsonObject:
    """The JSON object in a model's answer.

    Takes it out of code fences, thoughts and surrounding prose, drops trailing commas,
    and closes what a cut answer left open after dropping its unfinished last member.
    It never makes a value up.

    Raises:
        ModelError: there is no object, or it is damaged beyond that.
    """
    text = _THOUGHT.sub("", text)
    start = text.find("{")
    if start < 0:
        raise ModelError("the model's answer holds no JSON object")
    for candidate in (text[start:], _mended(text[start:])):
        try:
            value, _ = json.JSONDecoder().raw_decode(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    raise ModelError("the model's answer holds no JSON object that can be read")


def _shapes(structured: bool, logprobs: bool) -> list[tuple[_Format, bool]]:
    """What to try in turn: the strictest form first, log-probabilities as long as possible."""
    forms = _FORMATS if structured else _FORMATS[-1:]
    wanted = (True, False) if logprobs else (False,)
    return [(form, wish) for wish in wanted for form in forms]


def _response_format(form: _Format, schema: Mapping[str, Any] | None) -> JsonObject:
    if form == "json_object":
        return {"type": form}
    return {"type": form, "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _in_words(schema: Mapping[str, Any]) -> str:
    shape = json.dumps(schema, ensure_ascii=False)
    return f"Answer with one JSON object and nothing else. It must match this JSON Schema: {shape}"


def _completion(reply: JsonObject) -> Completion:
    try:
        choice = reply["choices"][0]
        text = choice["message"]["content"]
    except (LookupError, TypeError):
        raise ModelError("the chat server's reply holds no choices[0].message.content") from None
    if not isinstance(text, str):
        raise ModelError("the chat model wrote no text (it refused, or only called tools)")
    return Completion(
        text=text,
        truncated=choice.get("finish_reason") == "length",
        tokens=_tokens(choice.get("logprobs")),
        input_tokens=_count(reply, "prompt_tokens"),
        output_tokens=_count(reply, "completion_tokens"),
    )


def _tokens(logprobs: Any) -> tuple[Token, ...]:
    """The tokens of ``choices[0].logprobs``; none when they are not given as documented."""
    try:
        return tuple(
            Token(
                str(entry["token"]),
                {str(a["token"]): float(a["logprob"]) for a in [entry, *entry["top_logprobs"]]},
            )
            for entry in logprobs["content"]
        )
    except (LookupError, TypeError, ValueError):
        return ()


def _count(reply: JsonObject, name: str) -> int:
    usage = reply.get("usage")
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) else 0


def _mended(text: str) -> str:
    """An object without trailing commas, closed after its last complete member if it was cut."""
    kept: list[str] = []
    open_brackets: list[str] = []
    complete = (0, "")  # how much is kept, and what closes it
    quoted = escaped = False
    for character in text:
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = True
        elif character in "{[":
            open_brackets.append("}" if character == "{" else "]")
        elif character == ",":
            complete = (len(kept), "".join(reversed(open_brackets)))
        elif character in "}]":
            if not open_brackets or open_brackets.pop() != character:
                return ""
            while kept and (kept[-1].isspace() or kept[-1] == ","):
                kept.pop()
            complete = (len(kept) + 1, "".join(reversed(open_brackets)))
        kept.append(character)
        if not open_brackets:
            return "".join(kept)
    length, closing = complete
    return "".join(kept[:length]) + closing
