"""The fallback chain: the configured judge, then the next, then none.

A judge that failed is never hidden: the answer names the backend that gave it and
says that it is degraded, and the reason is logged.
"""

from __future__ import annotations

import logging
import threading
import time
from copy import copy
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from hypermnesia.errors import JudgeError
from hypermnesia.judge.protocol import Judge, Judged, Passage, is_local
from hypermnesia.judge.questions import GATE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hypermnesia.types import Analysis

T = TypeVar("T")

FAILURES = 3
"""Failures in a row after which a judge is left alone for a while."""
PAUSE = 30.0
"""Seconds it is left alone, so that a dead server does not cost its time-out on every call."""
OFF = "off"
"""Backend of an answer that no judge gave."""

logger = logging.getLogger("hypermnesia")


class Listener(Protocol):
    """Is told every answer of a chain, in the terms of its questions."""

    def analyzed(self, memories: Sequence[Passage], answer: Judged[list[Analysis]]) -> None:
        """Memories were judged."""
        ...

    def ranked(
        self, query: Passage, candidates: Sequence[Passage], answer: Judged[list[float]]
    ) -> None:
        """Candidates were judged for a query."""
        ...

    def compared(
        self, existing: Sequence[Passage], incoming: Passage, answer: Judged[list[float]]
    ) -> None:
        """A newcomer was compared with stored memories."""
        ...


@runtime_checkable
class Glancing(Protocol):
    """A judge that rules most replacements out by the text alone."""

    def may_replace(self, texts: Sequence[str], incoming: Passage) -> list[bool]:
        """Which memories ``incoming`` might replace, whatever their vectors."""
        ...


class Chain:
    """Asks the first judge, and each next one only when those before it failed.

    After :data:`FAILURES` failures in a row a judge is skipped for :data:`PAUSE` seconds;
    then one call may try it again, while the others go on skipping it. One answer closes
    the matter. Instances are safe to share between threads.

    Args:
        judges: the configured judge first; none at all means that judging is off.
        clock: monotonic seconds.
    """

    def __init__(
        self, judges: Sequence[Judge], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._links = [(judge, _Breaker(clock)) for judge in judges]
        self._listener: Listener | None = None
        first = judges[0] if judges else None
        self._glancing = first if isinstance(first, Glancing) else None

    def analyze(self, memories: Sequence[Passage]) -> Judged[list[Analysis]]:
        """Type, durability and salience of each memory; never raises JudgeError."""
        answer = self._ask(lambda judge: judge.analyze(memories))
        if self._listener is not None:
            self._listener.analyzed(memories, answer)
        return answer

    def relevance(self, query: Passage, candidates: Sequence[Passage]) -> Judged[list[float]]:
        """Relevance in [0, 1] of each candidate; never raises JudgeError."""
        answer = self._ask(lambda judge: judge.relevance(query, candidates))
        if self._listener is not None:
            self._listener.ranked(query, candidates, answer)
        return answer

    def supersede(self, existing: Sequence[Passage], incoming: Passage) -> Judged[list[float]]:
        """Probability that ``incoming`` replaces each existing memory; never raises JudgeError."""
        answer = self._ask(lambda judge: judge.supersede(existing, incoming))
        if self._listener is not None:
            self._listener.compared(existing, incoming, answer)
        return answer

    def may_replace(self, texts: Sequence[str], incoming: Passage) -> list[bool]:
        """Which memories are worth asking :meth:`supersede` about; without a reason, all are.

        A listener is to hear of every pair, and a judge that reads texts alone rules nothing out.
        """
        if self._glancing is None or self._listener is not None:
            return [True] * len(texts)
        return self._glancing.may_replace(texts, incoming)

    @property
    def local(self) -> bool:
        """Whether the local judge is the only one, or there is none."""
        return all(is_local(judge.name) for judge, _ in self._links)

    @property
    def present(self) -> bool:
        """Whether there is any judge; without one, neighbours need not be looked for."""
        return bool(self._links)

    def heard_by(self, listener: Listener) -> Chain:
        """The same judges, who tell a listener what they answer."""
        heard = copy(self)
        heard._listener = listener  # noqa: SLF001 - another of this class
        return heard

    def model(self, backend: str) -> str:
        """Name of the model behind a backend; the backend's own name where it tells none."""
        named = (judge for judge, _ in self._links if judge.name == backend)
        return getattr(next(named, None), "model", backend)

    def gate(self, backend: str) -> float:
        """Default salience gate of the judge that answered; 0 with judging off.

        Args:
            backend: as :attr:`.protocol.Judged.backend` names it, or as recorded with a
                memory. A backend that is configured no longer has the published gate.
        """
        if backend == OFF or not self._links:
            return 0.0
        gates = {judge.name: judge.gate for judge, _ in self._links}
        # What the local judge said before it was trained further counts as its own.
        kin = [gate for name, gate in gates.items() if is_local(name)] if is_local(backend) else []
        return gates.get(backend, kin[0] if kin else GATE)

    def _ask(self, question: Callable[[Judge], T]) -> Judged[T]:
        for position, (judge, breaker) in enumerate(self._links):
            if not breaker.closed():
                continue
            try:
                value = question(judge)
            except JudgeError as error:
                breaker.failed()
                logger.warning("the judge %s could not answer: %s", judge.name, error)
            else:
                breaker.answered()
                return Judged(value, judge.name, degraded=position > 0)
        return Judged(None, OFF, degraded=bool(self._links))


class _Breaker:
    """Counts failures in a row and says whether a judge may be asked."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._until = 0.0

    def closed(self) -> bool:
        """May the judge be asked? After a pause the first caller takes the one trial."""
        with self._lock:
            if self._failures < FAILURES:
                return True
            now = self._clock()
            if now < self._until:
                return False
            self._until = now + PAUSE
            return True

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            self._until = self._clock() + PAUSE

    def answered(self) -> None:
        with self._lock:
            self._failures = 0
