"""What every judge promises, checked against each remote backend."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from hypermnesia.judge.chat import ChatJudge
from hypermnesia.judge.protocol import Judge
from hypermnesia.judge.system_one import SystemOneJudge
from hypermnesia.models.chat import ChatClient
from hypermnesia.types import MEMORY_TYPES
from tests.judge.passages import passage, passages
from tests.servers import protocols
from tests.servers.http import Handler, serve

TEXTS = (
    "yes, we moved billing from Kafka to NATS",
    "hi",
    "\u202e\x00 \ud800 'quoted' {\"json\": [1,",
    "数据库 🧠 naïve",
    "x" * 64_000,
)
Make = Callable[[str], Judge]

BACKENDS: dict[str, tuple[Handler, Make]] = {
    "system_one": (protocols.system_one, lambda url: SystemOneJudge(url, "m")),
    "chat": (protocols.chat, lambda url: ChatJudge(ChatClient(url, "m"))),
    "chat, log-probabilities": (
        protocols.chat_with_logprobs,
        lambda url: ChatJudge(ChatClient(url, "m")),
    ),
}


@pytest.fixture(params=list(BACKENDS.values()), ids=list(BACKENDS))
def backend(request: pytest.FixtureRequest) -> tuple[Handler, Make]:
    """Each backend with a server that speaks its protocol."""
    return request.param


def test_a_judge_has_a_name_and_a_gate_within_the_salience_scale(
    backend: tuple[Handler, Make],
) -> None:
    """Both are recorded or applied with every memory."""
    judge = backend[1]("http://127.0.0.1")
    assert judge.name in {"system_one", "chat", "local"}
    assert 0.0 <= judge.gate <= 4.0


def test_every_analysis_is_complete_and_bounded(backend: tuple[Handler, Make]) -> None:
    """One analysis a memory, whatever its text."""
    handler, make = backend
    with serve(handler) as server:
        analyses = make(server.url).analyze(passages(*TEXTS))
    assert len(analyses) == len(TEXTS)
    for analysis in analyses:
        assert set(analysis.type_probabilities) == set(MEMORY_TYPES)
        assert math.isclose(sum(analysis.type_probabilities.values()), 1.0)
        best = max(analysis.type_probabilities.values())
        assert analysis.type_probabilities[analysis.memory_type] == best
        assert 0.0 <= analysis.durable <= 1.0
        assert 0.0 <= analysis.salience <= 4.0


def test_every_relevance_is_a_probability_in_the_order_asked(
    backend: tuple[Handler, Make],
) -> None:
    """One number a candidate."""
    handler, make = backend
    with serve(handler) as server:
        judge = make(server.url)
        scores = judge.relevance(passage(TEXTS[2]), passages(*TEXTS))
        swapped = judge.relevance(passage(TEXTS[2]), passages(*reversed(TEXTS)))
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert swapped == scores[::-1]


def test_every_supersession_is_a_probability_in_the_order_asked(
    backend: tuple[Handler, Make],
) -> None:
    """One number an existing memory."""
    handler, make = backend
    with serve(handler) as server:
        scores = make(server.url).supersede(passages(*TEXTS), passage("new"))
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scores == pytest.approx([0.9, 0.1, 0.1, 0.1, 0.1])
