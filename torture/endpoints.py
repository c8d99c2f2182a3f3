"""Judges, encoders and language models that are slow, fail, or answer nonsense.

Each kind of server misbehaves in each way while texts are added, taken in and searched for. Judges
and language models have something to fall back on, so every verb goes through; without vectors a
text cannot be stored, so there the error must say so and nothing may be left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias, get_args

from tests.graph.llm import scripted
from tests.servers import protocols
from tests.servers.http import Handler, Received, Reply, Server, serve
from tests.store.embedders import HashEmbedder

from hypermnesia.engine import SUPERSEDE_THRESHOLD, Engine
from hypermnesia.errors import HypermnesiaError, ModelError
from hypermnesia.judge.chain import Chain
from hypermnesia.judge.chat import ChatJudge
from hypermnesia.judge.local import LocalJudge
from hypermnesia.judge.system_one import SystemOneJudge
from hypermnesia.memory import Memory
from hypermnesia.models.chat import ChatClient
from hypermnesia.models.embeddings import EmbeddingsEndpoint
from hypermnesia.store.sqlite.store import SqliteStore
from torture.explained import explained
from torture.image import changes, image_of
from torture.invariants import Look, violations
from torture.opening import DIMENSION, SCOPE, Reading
from torture.report import Tally
from torture.steps import Choice, Step, Verb, perform

Kind: TypeAlias = Literal["system_one", "chat", "encoder", "language model"]
KINDS: tuple[Kind, ...] = get_args(Kind)
VERBS: tuple[Verb, ...] = ("add", "supersede", "add_many", "ingest", "update")
TIMEOUT = 0.15
"""Seconds that a client waits for an answer here."""

Nonsense: TypeAlias = Callable[[Reply, Server], Reply]
"""Spoils what a good server would answer."""


def _vectors(request: Received) -> Reply:
    """What the hashing embedder makes of the inputs."""
    encoder = HashEmbedder(DIMENSION)
    data = [
        {"index": i, "embedding": encoder.encode_queries([text])[0].dense[0].tolist()}
        for i, text in enumerate(request.body["input"])
    ]
    return Reply({"data": data, "model": request.body["model"]})


GOOD: Mapping[Kind, Handler] = {
    "system_one": protocols.system_one,
    "chat": protocols.chat,
    "encoder": _vectors,
    "language model": scripted.good,
}


def _shorter(value: Any) -> Any:
    """The last entry of every list is missing."""
    match value:
        case list():
            return [_shorter(inner) for inner in value[:-1]]  # type: ignore[misc]
        case dict():
            return {name: _shorter(inner) for name, inner in value.items()}  # type: ignore[misc]
        case _:
            return value


def _not_numbers(value: Any) -> Any:
    """Every figure is no number."""
    match value:
        case bool() | str():
            return value
        case int() | float():
            return float("nan")
        case list():
            return [_not_numbers(inner) for inner in value]  # type: ignore[misc]
        case dict():
            return {name: _not_numbers(inner) for name, inner in value.items()}  # type: ignore[misc]
        case _:
            return value


def _inside(reply: Reply, change: Callable[[Any], Any]) -> Reply:
    """The same reply with its answer changed, also where that is text in a chat message."""
    body = change(reply.body)
    if isinstance(reply.body, dict) and "choices" in reply.body:
        message = reply.body["choices"][0]["message"]
        text = json.dumps(change(json.loads(message["content"])))
        body = reply.body | {"choices": [{"message": {"role": "assistant", "content": text}}]}
    return Reply(body)


def _hanging(reply: Reply, server: Server) -> Reply:
    server.closing.wait(4 * TIMEOUT)
    return reply


def _dripping(reply: Reply, server: Server) -> Reply:
    def pieces() -> Iterator[bytes]:
        for byte in json.dumps(reply.body).encode():
            yield bytes([byte])
            if server.closing.wait(TIMEOUT / 8):
                return

    return Reply(raw=pieces())


NONSENSE: Mapping[str, Nonsense] = {
    "500": lambda _reply, _server: Reply({"error": "down"}, status=500),
    "429": lambda _reply, _server: Reply({}, status=429, headers={"Retry-After": "3600"}),
    "no JSON": lambda _reply, _server: Reply(raw=b"<html>a proxy's page</html>"),
    "half a body": lambda reply, _server: Reply(
        raw=(raw := json.dumps(reply.body).encode())[: len(raw) // 2],
        headers={"Content-Length": str(len(raw))},
    ),
    "half of the JSON": lambda reply, _server: Reply(raw=json.dumps(reply.body).encode()[:-9]),
    "no bytes": lambda _reply, _server: Reply(raw=b""),
    "hangs up": lambda _reply, _server: Reply(hang_up=True),
    "too few": lambda reply, _server: _inside(reply, _shorter),
    "no numbers": lambda reply, _server: _inside(reply, _not_numbers),
    "another shape": lambda _reply, _server: Reply([[["?"], None, {"data": 1}]]),
    "hangs": _hanging,
    "drips": _dripping,
}


@contextmanager
def _serving(kind: Kind) -> Generator[tuple[str, list[Nonsense | None]]]:
    """A server, and the way in which it misbehaves at the moment."""
    way: list[Nonsense | None] = [None]
    running: list[Server] = []

    def handler(request: Received) -> Reply:
        reply = GOOD[kind](request)
        return reply if way[0] is None else way[0](reply, running[0])

    with serve(handler) as server:
        running.append(server)
        yield server.url, way


def _open(kind: Kind, url: str, place: Path) -> Memory:
    """A memory of which one part is on a server, asked once or twice for an answer."""
    local = LocalJudge(floor=SUPERSEDE_THRESHOLD)
    chat = ChatClient(url, "small", timeout=TIMEOUT, attempts=2)
    judges: dict[Kind, Any] = {
        "system_one": [SystemOneJudge(url, "judge", timeout=TIMEOUT, attempts=2), local],
        "chat": [ChatJudge(chat), local],
    }
    embedder = (
        EmbeddingsEndpoint(url, "hash", dimension=DIMENSION, timeout=TIMEOUT, attempts=2)
        if kind == "encoder"
        else HashEmbedder(DIMENSION)
    )
    store = SqliteStore(place, embedder.identity, embedder.dimension)
    model = chat if kind == "language model" else None
    chain = Chain(judges.get(kind, [local]))
    return Memory(Engine(store, embedder, chain, language_model=model), SCOPE)


def nonsense(folder: Path, chance: Random, tally: Tally, ways: int = len(NONSENSE)) -> None:
    """Let one kind of server misbehave in so many ways; afterwards it answers well again."""
    kind = chance.choice(KINDS)
    for name, way in chance.sample(list(NONSENSE.items()), ways):
        place = folder / f"{kind}-{name.replace(' ', '-')}.db"
        with _serving(kind) as (url, misbehaving), Reading(str(place)) as reading:
            found: list[str] = []
            with _open(kind, url, place) as memory:
                choice = Choice(chance)
                perform(memory, choice.step(memory, "add"), str(place), folder)
                misbehaving[0] = way
                for verb in VERBS:
                    found += _tried(kind, memory, choice.step(memory, verb), reading, folder)
                found += _searched(memory)
                misbehaving[0] = None
            with _open(kind, url, place) as memory:  # a judge that failed is not asked for a while
                perform(memory, choice.step(memory, "add"), str(place), folder)
                found += violations(Look(memory, reading))
            tally.add(f"{kind}: {name}", len(VERBS), found)


def _tried(kind: Kind, memory: Memory, step: Step, reading: Reading, folder: Path) -> list[str]:
    """Do a step: where there is something to fall back on it goes through, else it leaves none."""
    before = image_of(reading)
    try:
        perform(memory, step, "", folder)
    except (ModelError, AssertionError) as error:
        if kind != "encoder":
            return [f"{step.verb} failed: {error}"]
    except HypermnesiaError as error:
        return [f"{step.verb} failed: {type(error).__name__}: {error}"]
    else:
        if kind != "encoder" and not changes(before, image_of(reading)):
            return [f"{step.verb} returned and changed nothing"]
    return explained(before, image_of(reading), step)


def _searched(memory: Memory) -> list[str]:
    """A search answers, by words alone if it must, or says which model failed."""
    try:
        return [] if memory.search("note tells") else ["a search found nothing"]
    except ModelError:
        return []
