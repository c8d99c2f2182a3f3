"""A judge behind the public System One API, hosted or self-hosted.

Wire shape: ``POST {base}/v1/systemone`` with ``{model, state, questions}``, answered by
``{model, answers, usage}``; see :mod:`hypermnesia.judge.questions` for the primitives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from hypermnesia.errors import JudgeError, ModelError
from hypermnesia.judge import questions
from hypermnesia.models.http import ATTEMPTS, TIMEOUT, Endpoint, Secret

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hypermnesia.judge.protocol import Passage
    from hypermnesia.types import Analysis

T = TypeVar("T")


class SystemOneJudge:
    """Asks a System One server; safe to share between threads.

    Args:
        base_url: where the API lives, with or without a trailing ``/v1``.
        model: the model that answers, as the server names it.
        api_key: sent as a bearer token; read by the caller from the environment.
        timeout: seconds one attempt may take; all together take at most twice that.
        attempts: requests sent at most for one question block.

    Raises:
        ModelError: the address or the key cannot be used.
    """

    name = "system_one"
    gate = questions.GATE

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: Secret | None = None,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
    ) -> None:
        self.model = model
        self._endpoint = Endpoint(base_url, api_key=api_key, timeout=timeout, attempts=attempts)

    def analyze(self, memories: Sequence[Passage]) -> list[Analysis]:
        """Type, durability and salience of each memory; see :class:`.protocol.Judge`."""
        return questions.analyze(self._ask, memories)

    def relevance(self, query: Passage, candidates: Sequence[Passage]) -> list[float]:
        """Relevance of each candidate, in one request; see :class:`.protocol.Judge`."""
        return questions.relevance(self._ask, query, candidates)

    def supersede(self, existing: Sequence[Passage], incoming: Passage) -> list[float]:
        """Whether a new memory replaces each stored one; see :class:`.protocol.Judge`."""
        return questions.supersede(self._ask, existing, incoming)

    def _ask(self, block: questions.Block, read: Callable[[Any], T]) -> T:
        body = {
            "model": self.model,
            "state": block.state,
            "questions": {key: questions.wire(q) for key, q in block.questions.items()},
        }
        try:
            reply = self._endpoint.post("/v1/systemone", body)
        except ModelError as error:
            raise JudgeError(str(error)) from error
        return read(reply.get("answers"))
