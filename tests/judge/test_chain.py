"""The fallback chain and its circuit-breaker."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING

import pytest

from hypermnesia.errors import JudgeError
from hypermnesia.judge.chain import FAILURES, PAUSE, Chain
from hypermnesia.judge.protocol import Judged, Passage
from hypermnesia.judge.system_one import SystemOneJudge
from hypermnesia.types import Analysis
from tests.judge.passages import passage, passages
from tests.servers.http import nothing_listening, serve
from tests.servers.protocols import system_one

if TYPE_CHECKING:
    from collections.abc import Sequence


class Scripted:
    """A judge that answers a constant, or fails while ``broken``; counts its calls."""

    def __init__(self, name: str, gate: float = 3.0, *, broken: bool = False) -> None:
        self.name = name
        self.gate = gate
        self.broken = broken
        self.calls = 0

    def analyze(self, memories: Sequence[Passage]) -> list[Analysis]:
        """An analysis of the name's own."""
        self._call()
        return [Analysis("fact", {"fact": 1.0}, 0.5, 2.0) for _ in memories]

    def relevance(self, query: Passage, candidates: Sequence[Passage]) -> list[float]:
        """Always one half."""
        self._call()
        return [0.5 for _ in candidates]

    def supersede(self, existing: Sequence[Passage], incoming: Passage) -> list[float]:
        """Always one quarter."""
        self._call()
        return [0.25 for _ in existing]

    def _call(self) -> None:
        self.calls += 1
        if self.broken:
            raise JudgeError(f"{self.name} is broken")


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """The time now."""
        return self.now


def ask(chain: Chain) -> Judged[list[float]]:
    """One relevance question."""
    return chain.relevance(passage("q"), passages("a"))


def test_an_empty_chain_is_off_and_not_degraded() -> None:
    """Judging off is a choice, not a failure."""
    chain = Chain([])
    assert chain.analyze(passages("a")) == Judged(None, "off", degraded=False)
    assert ask(chain) == Judged(None, "off", degraded=False)
    assert chain.supersede(passages("a"), passage("b")) == Judged(None, "off", degraded=False)


def test_the_first_judge_answers_all_three_questions() -> None:
    """The others are not asked."""
    first, second = Scripted("chat"), Scripted("local")
    chain = Chain([first, second])
    assert ask(chain) == Judged([0.5], "chat", degraded=False)
    assert chain.supersede(passages("a"), passage("b")) == Judged([0.25], "chat", degraded=False)
    analyzed = chain.analyze(passages("a", "b"))
    assert (analyzed.backend, analyzed.degraded, len(analyzed.value or [])) == ("chat", False, 2)
    assert second.calls == 0


def test_the_next_judge_answers_when_the_first_fails(caplog: pytest.LogCaptureFixture) -> None:
    """The result says who answered and that it is degraded; the log says why."""
    chain = Chain([Scripted("system_one", broken=True), Scripted("local")])
    with caplog.at_level(logging.WARNING, "hypermnesia"):
        assert ask(chain) == Judged([0.5], "local", degraded=True)
    assert "system_one could not answer: system_one is broken" in caplog.text


def test_the_last_judge_s_failure_leaves_no_answer_and_says_so() -> None:
    """A memory can still be stored, unjudged."""
    chain = Chain([Scripted("chat", broken=True), Scripted("local", broken=True)])
    assert ask(chain) == Judged(None, "off", degraded=True)


def test_other_exceptions_are_not_hidden() -> None:
    """A bug in a judge is not a server that is down."""

    class Buggy(Scripted):
        def _call(self) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(Chain([Buggy("local")]))


def test_a_judge_that_failed_three_times_in_a_row_is_left_alone() -> None:
    """From the fourth call on a dead server costs nothing."""
    dead = Scripted("chat", broken=True)
    chain = Chain([dead, Scripted("local")], clock=Clock())
    answers = [ask(chain) for _ in range(FAILURES + 5)]
    assert dead.calls == FAILURES == 3
    assert answers == [Judged([0.5], "local", degraded=True)] * 8


def test_an_answer_in_between_starts_the_count_anew() -> None:
    """Only failures in a row open the breaker."""
    flaky = Scripted("chat")
    chain = Chain([flaky], clock=Clock())
    for broken in (True, True, False, True, True, False):
        flaky.broken = broken
        ask(chain)
    assert flaky.calls == 6


def test_after_the_pause_one_trial_decides() -> None:
    """A failed trial opens the breaker for another pause, an answer closes it."""
    clock, judge = Clock(), Scripted("chat", broken=True)
    chain = Chain([judge], clock=clock)
    for _ in range(FAILURES):
        ask(chain)
    clock.now += PAUSE - 0.001
    ask(chain)
    assert judge.calls == FAILURES
    clock.now += 0.001
    ask(chain)
    ask(chain)
    assert judge.calls == FAILURES + 1
    judge.broken = False
    clock.now += PAUSE
    assert [ask(chain).backend for _ in range(3)] == ["chat"] * 3


def test_only_one_of_many_threads_takes_the_trial() -> None:
    """A server that is coming up is not met by everyone at once."""
    clock, release = Clock(), threading.Event()

    class Slow(Scripted):
        def _call(self) -> None:
            self.calls += 1
            if self.calls > FAILURES:
                release.wait(10)
            raise JudgeError("still down")

    judge = Slow("chat")
    chain = Chain([judge], clock=clock)
    for _ in range(FAILURES):
        ask(chain)
    clock.now += PAUSE
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(ask, chain) for _ in range(8)]
        completed = as_completed(asked, timeout=10)
        skipped = [next(completed).result() for _ in range(7)]  # while the eighth is in its trial
        release.set()
    assert skipped == [Judged(None, "off", degraded=True)] * 7
    assert judge.calls == FAILURES + 1


def test_each_answer_has_the_gate_of_the_judge_that_gave_it() -> None:
    """Score distributions differ; nothing is gated with judging off."""
    chain = Chain([Scripted("chat", 3.0), Scripted("local", 1.75)])
    assert [chain.gate(name) for name in ("chat", "local", "off")] == [3.0, 1.75, 0.0]


def test_a_memory_judged_by_a_backend_configured_no_longer_still_has_a_gate() -> None:
    """An old memory can be updated after a change of judges, and with judging off."""
    assert Chain([Scripted("local", 1.75)]).gate("system_one") == 3.0
    assert Chain([]).gate("local") == 0.0


def test_a_dead_server_falls_back_to_a_living_one() -> None:
    """The chain over real connections: refused, then answered."""
    with serve(system_one) as server, nothing_listening() as nowhere:
        chain = Chain([SystemOneJudge(nowhere, "m"), SystemOneJudge(server.url, "m")])
        judged = chain.relevance(passage("q"), passages("yes", "no"))
    assert (judged.value, judged.degraded) == ([0.9, 0.1], True)


def test_many_threads_share_a_chain() -> None:
    """Every caller gets its own answer."""
    with serve(system_one) as server:
        chain = Chain([SystemOneJudge(server.url, "m")])
        with ThreadPoolExecutor(8) as pool:
            texts = ["yes", "no"] * 8
            found = [pool.submit(chain.relevance, passage("q"), passages(t)) for t in texts]
            assert [future.result().value for future in found] == [[0.9], [0.1]] * 8
