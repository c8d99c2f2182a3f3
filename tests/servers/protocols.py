"""Handlers that answer as well-behaved servers of each protocol do."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from tests.servers.http import Received, Reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TYPES = (
    "fact",
    "preference",
    "decision",
    "project",
    "solution",
    "architecture",
    "conversation",
)


class Secret:
    """A key that shows itself only when asked."""

    def __init__(self, value: str) -> None:
        self._value = value

    def get_secret_value(self) -> str:
        """The key."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(**********)"


def system_one(request: Received) -> Reply:
    """Answers every question; a text that mentions "yes" makes every noul 0.9, else 0.1."""
    state, questions = request.body["state"], request.body["questions"]
    answers = {key: _primitive(key, q, state) for key, q in questions.items()}
    usage = {"input_tokens": 12, "output_tokens": 3}
    return Reply({"model": "judge-1.0", "answers": answers, "usage": usage})


def _primitive(key: str, question: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    match question["type"]:
        case "choice":
            options = list(question["criteria"])
            rest = 0.4 / (len(options) - 1)
            probabilities = dict.fromkeys(options, rest) | {"decision": 0.6}
            answer = {"choice": "decision", "probabilities": probabilities, "confidence": 0.6}
        case "score":
            legend = {str(i): level for i, level in enumerate(question["criteria"])}
            probabilities = dict.fromkeys(legend, 0.0) | {"3": 0.75, "4": 0.25}
            answer = {"score": 3.25, "probabilities": probabilities, "confidence": 0.7}
            answer["legend"] = legend
        case _:
            answer = {"noul": 0.9 if "yes" in subject(key, state) else 0.1}
    return answer | {"type": question["type"]}


def subject(key: str, state: Mapping[str, Any]) -> str:
    """The text a noul is about."""
    if "candidates" in state:
        return str(state["candidates"][int(key.removeprefix("c"))]["memory"])
    return str(state.get("existing_memory", state.get("memory")))


def task(request: Received) -> Mapping[str, Any]:
    """State and questions in a chat judge's prompt."""
    prompt = next(m for m in request.body["messages"] if m["role"] == "user")
    return json.loads(prompt["content"])


def chat_answers(request: Received) -> dict[str, Any]:
    """What a good chat model would write: booleans or figures, as the schema asks."""
    asked = task(request)
    schema = request.body["response_format"]["json_schema"]["schema"]["properties"]
    answers: dict[str, Any] = {}
    for key, question in asked["questions"].items():
        likely = question["type"] == "noul" and "yes" in subject(key, asked["state"])
        match question["type"]:
            case "choice":
                answers[key] = {"choice": "decision", "confidence": 0.6}
            case "score":
                answers[key] = 3.25
            case _ if schema[key]["type"] == "boolean":
                answers[key] = likely
            case _:
                answers[key] = 0.9 if likely else 0.1
    return answers


def completion(text: str | None, **choice: Any) -> Reply:
    """A chat completion with the given text."""
    message = {"role": "assistant", "content": text}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"} | choice]
    usage = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
    return Reply({"id": "1", "object": "chat.completion", "choices": choices, "usage": usage})


def chat(request: Received) -> Reply:
    """A chat model without log-probabilities."""
    return completion(json.dumps(chat_answers(request)))


def chat_with_logprobs(request: Received) -> Reply:
    """A chat model that gives a boolean it is 90% sure of, with log-probabilities when asked."""
    text = json.dumps(chat_answers(request))
    if not request.body.get("logprobs"):
        return completion(text)
    return completion(text, logprobs={"content": [logprob(piece) for piece in pieces(text)]})


def pieces(text: str) -> Sequence[str]:
    """Text as tokens, roughly as a model's tokenizer would have it."""
    spaced = text
    for mark in (" true", " false", ",", "}", "{"):
        spaced = spaced.replace(mark, f"\x00{mark}\x00")
    return [piece for piece in spaced.split("\x00") if piece]


def logprob(token: str, sure: float = 0.9) -> dict[str, Any]:
    """The entry of one token; a boolean gets both values as alternatives."""
    alternatives = {token: 0.0}
    if token.strip() in {"true", "false"}:
        other = " false" if token.strip() == "true" else " true"
        alternatives = {token: math.log(sure), other: math.log(1 - sure)}
    top = [{"token": t, "logprob": p} for t, p in alternatives.items()]
    return {"token": token, "logprob": top[0]["logprob"], "top_logprobs": top}


def embeddings(request: Received) -> Reply:
    """A vector of three numbers for each input, answered in reverse order."""
    data = [
        {"object": "embedding", "index": i, "embedding": [float(len(text)), 1.0, 0.0]}
        for i, text in enumerate(request.body["input"])
    ]
    return Reply({"object": "list", "data": data[::-1], "model": request.body["model"]})


def rerank(request: Received) -> Reply:
    """A score that falls with the length of a document, answered best first."""
    scored = [
        {"index": i, "relevance_score": 1 / (1 + len(text))}
        for i, text in enumerate(request.body["documents"])
    ]
    return Reply({"results": sorted(scored, key=lambda s: -s["relevance_score"])})
